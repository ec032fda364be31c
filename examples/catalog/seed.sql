-- Fills the example: @tracks tracks (set it before; 1,000,000 by default), a tenth as many users, tags for two tracks of
-- three, and a hundredth as many playlists of some tracks each. The same rows every time.
SET @tracks = IFNULL(@tracks, 1000000);
SET SESSION max_recursive_iterations = 4294967295;
SET @sql = CONCAT('INSERT INTO users SELECT seq, CONCAT(ELT(1 + seq % 8, ''ada'', ''bo'', ''cleo'', ''dan'', ''eve'', ''finn'', ''gus'', ''hal''), seq),
    ELT(1 + seq % 5, ''de'', ''fr'', ''us'', ''se'', ''br'') FROM seq_1_to_', GREATEST(1, @tracks DIV 10));
EXECUTE IMMEDIATE @sql;
SET @sql = CONCAT('INSERT INTO tracks SELECT seq, 1 + (seq * 7919) % ', GREATEST(1, @tracks DIV 10), ',
    CONCAT(ELT(1 + seq % 7, ''Night'', ''Blue'', ''Slow'', ''Golden'', ''Paper'', ''Silent'', ''Electric''), '' '',
           ELT(1 + (seq DIV 7) % 6, ''Train'', ''River'', ''Machine'', ''Garden'', ''Letter'', ''Summer''), '' '', seq),
    60 + (seq * 31) % 400, (seq * 104729) % 1000000, seq % 50 <> 0,
    ''2020-01-01'' + INTERVAL seq % 150000000 SECOND FROM seq_1_to_', @tracks);
EXECUTE IMMEDIATE @sql;
SET @sql = CONCAT('INSERT INTO track_tags SELECT seq, ELT(1 + seq % 6, ''techno'', ''jazz'', ''folk'', ''ambient'', ''house'', ''punk'')
    FROM seq_1_to_', @tracks, ' WHERE seq % 3 <> 0');
EXECUTE IMMEDIATE @sql;
SET @sql = CONCAT('INSERT INTO playlists SELECT seq, CONCAT(''Playlist '', seq) FROM seq_1_to_', GREATEST(1, @tracks DIV 100));
EXECUTE IMMEDIATE @sql;
SET @sql = CONCAT('INSERT IGNORE INTO playlist_tracks SELECT 1 + seq % ', GREATEST(1, @tracks DIV 100), ', 1 + (seq * 6151) % ', @tracks,
    ' FROM seq_1_to_', GREATEST(1, @tracks DIV 10));
EXECUTE IMMEDIATE @sql;
