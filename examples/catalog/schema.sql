-- Users, tracks, tags and playlists: the tables of the example. Loaded into a database of its own.
CREATE TABLE users (
    id BIGINT PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    country CHAR(2) NOT NULL
);
CREATE TABLE tracks (
    id BIGINT PRIMARY KEY,
    user_id BIGINT NOT NULL,
    title VARCHAR(200) NOT NULL,
    seconds INT NOT NULL,
    plays BIGINT NOT NULL DEFAULT 0,
    public TINYINT(1) NOT NULL DEFAULT 1,
    created_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    KEY (user_id)
);
CREATE TABLE track_tags (
    track_id BIGINT NOT NULL,
    tag VARCHAR(40) NOT NULL,
    PRIMARY KEY (track_id, tag)
);
CREATE TABLE playlists (
    id BIGINT PRIMARY KEY,
    title VARCHAR(200) NOT NULL
);
CREATE TABLE playlist_tracks (
    playlist_id BIGINT NOT NULL,
    track_id BIGINT NOT NULL,
    PRIMARY KEY (playlist_id, track_id),
    KEY (track_id)
);
