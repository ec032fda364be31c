package io.penstock.testkit.sim;

import io.penstock.testkit.seeds.Seeds;

/** Which kinds of trouble a seed has: each run turns on some of them, so that rare pairs meet (swarm testing). */
final class Luck {
    final boolean ownIds;
    final boolean versions;
    final boolean badDocuments;
    final boolean tooLarge;
    final boolean asyncTranslog;
    final double dropBefore;
    final double dropAfter;
    final double late;
    final double garbled;
    final double itemPushBack;
    final double requestPushBack;
    final double unavailable;
    final double floodStage;
    final double serverCrash;
    final int kills;

    Luck(Seeds seeds) {
        ownIds = seeds.chance(0.5);
        versions = ownIds && seeds.chance(0.5);
        badDocuments = seeds.chance(0.5);
        tooLarge = seeds.chance(0.2);
        asyncTranslog = seeds.chance(0.3);
        dropBefore = some(seeds) / 3;
        dropAfter = some(seeds) / 3;
        garbled = some(seeds) / 2;
        itemPushBack = some(seeds);
        requestPushBack = some(seeds);
        unavailable = some(seeds);
        floodStage = some(seeds) / 4;
        serverCrash = some(seeds) / 4;
        // Without versions nothing can protect an id from an old write that a server carries out late.
        late = versions || !ownIds ? some(seeds) : 0;
        kills = seeds.chance(0.5) ? seeds.intBetween(1, 4) : 0;
    }

    private static double some(Seeds seeds) {
        return seeds.chance(0.4) ? seeds.intBetween(1, 30) / 100.0 : 0;
    }
}
