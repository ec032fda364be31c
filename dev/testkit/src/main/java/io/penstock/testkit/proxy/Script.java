package io.penstock.testkit.proxy;

import io.penstock.testkit.seeds.Seeds;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Which fault comes next: first what is scripted, one per matching request, then what the rule says. Safe for any
 * thread.
 */
final class Script {

    private Predicate<RequestHead> matching = RequestHead::isBulk;
    private Iterator<? extends Fault> scripted = Collections.emptyIterator();
    private Function<BulkRequestView, Optional<Fault>> rule = request -> Optional.empty();
    private long count;

    synchronized void match(Predicate<RequestHead> wanted) {
        matching = wanted;
    }

    synchronized void script(Iterable<? extends Fault> faults) {
        scripted = faults.iterator();
    }

    synchronized void always(Function<BulkRequestView, Optional<Fault>> wanted) {
        rule = wanted;
    }

    /** The n-th matching request meets the n-th draw, so both draws are made for every request. */
    void random(long seed, double probability, List<? extends Fault> faults) {
        Seeds seeds = new Seeds(seed);
        List<Fault> choices = List.copyOf(faults);
        always(request -> {
            synchronized (seeds) {
                Fault drawn = seeds.pick(choices);
                return seeds.chance(probability) ? Optional.of(drawn) : Optional.empty();
            }
        });
    }

    /** The number of a matching request, from 0; empty for one that simply passes. */
    synchronized Optional<Long> numberOf(RequestHead head) {
        return matching.test(head) ? Optional.of(count++) : Optional.empty();
    }

    Fault next(BulkRequestView request) {
        Function<BulkRequestView, Optional<Fault>> current;
        synchronized (this) {
            if (scripted.hasNext()) {
                return scripted.next();
            }
            current = rule;
        }
        // Outside the lock: a rule may wait for the request body.
        return current.apply(request).orElse(new Fault.Pass());
    }
}
