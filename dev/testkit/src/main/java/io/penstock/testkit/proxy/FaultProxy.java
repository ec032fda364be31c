package io.penstock.testkit.proxy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * An HTTP/1.1 proxy on 127.0.0.1 that passes every request to one real server and plays {@link Fault}s on those that
 * match.
 *
 * <p>Bulk requests match unless {@link #match} says otherwise. Which fault a matching request meets is decided by
 * {@link #script}, and when that is used up by the rule of {@link #always} or {@link #random}; without either it
 * passes. Requests and replies are held whole, up to 128 MB each, and forwarded over a connection of their own.
 *
 * <p>Safe for any thread. {@link #close} ends every connection and thread, and fails if the proxy itself failed, for
 * example in a rule.
 */
public final class FaultProxy implements AutoCloseable {

    private static final Duration TIME_TO_END = Duration.ofSeconds(20);

    private final ServerSocket listener;
    private final OpenSockets sockets = new OpenSockets();
    private final Script script = new Script();
    private final Journal journal = new Journal();
    private final Upstream upstream;
    private final ExecutorService threads;
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    private FaultProxy(URI upstreamUri) throws IOException {
        ThreadFactory names = Thread.ofVirtual().name("fault-proxy-", 0).factory();
        upstream = new Upstream(upstreamUri, sockets, names);
        listener = new ServerSocket(0, 1024, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
        threads = Executors.newThreadPerTaskExecutor(names);
    }

    /** Listens at once. The upstream is a plain {@code http://host:port}; it need not be up yet. */
    public static FaultProxy start(URI upstream) {
        try {
            FaultProxy proxy = new FaultProxy(upstream);
            proxy.threads.execute(proxy::accept);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException("the fault proxy cannot listen on 127.0.0.1", e);
        }
    }

    /** Where the loader connects to: {@code http://127.0.0.1:port}. */
    public URI url() {
        return URI.create("http://127.0.0.1:" + listener.getLocalPort());
    }

    /** What went through so far. */
    public Journal journal() {
        return journal;
    }

    /**
     * Faults meet requests that fulfil this in place of bulk requests; the journal goes on counting bulk requests only.
     */
    public FaultProxy match(Predicate<RequestHead> wanted) {
        script.match(wanted);
        return this;
    }

    /**
     * One fault per matching request in the order the heads arrive, {@link Fault.Pass} for none. Replaces what is left
     * of an earlier script.
     */
    public FaultProxy script(Iterable<? extends Fault> faults) {
        script.script(faults);
        return this;
    }

    /** As {@link #script(Iterable)}. */
    public FaultProxy script(Fault... faults) {
        return script(List.of(faults));
    }

    /**
     * The rule for every matching request that no script covers; called on the connection's thread, so it must be safe
     * for several.
     */
    public FaultProxy always(Function<BulkRequestView, Optional<Fault>> rule) {
        script.always(rule);
        return this;
    }

    /** The same fault for every matching request that no script covers. */
    public FaultProxy always(Fault fault) {
        return always(request -> Optional.of(fault));
    }

    /** A rule that draws: the n-th matching request meets the same fault in every run with this seed. */
    public FaultProxy random(long seed, double probability, List<? extends Fault> faults) {
        script.random(seed, probability, faults);
        return this;
    }

    /** Forgets script and rule: from the next request on everything passes. */
    public FaultProxy heal() {
        return script(List.of()).always(request -> Optional.empty());
    }

    /** Connections open now, on both sides. */
    public int openSockets() {
        return sockets.count();
    }

    private void accept() {
        while (!sockets.isClosed()) {
            try {
                Socket socket = sockets.keep(listener.accept());
                threads.execute(() -> serve(socket));
            } catch (IOException | RejectedExecutionException closing) {
                // Seen by the loop's condition; a failed accept of one client is that client's loss.
            }
        }
    }

    private void serve(Socket socket) {
        try {
            new ClientConnection(socket, script, upstream, journal).serve();
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            failures.add(e);
        } finally {
            sockets.release(socket);
        }
    }

    /** Ends every connection and waits for every thread. A request under way is cut; the server may still apply it. */
    @Override
    public void close() {
        sockets.closeAll();
        sockets.release(listener);
        threads.shutdownNow();
        boolean ended = awaitThreads();
        if (!failures.isEmpty()) {
            throw new IllegalStateException("the fault proxy failed while it served a request", failures.remove());
        }
        if (!ended) {
            throw new IllegalStateException("threads of the fault proxy are still alive after " + TIME_TO_END);
        }
    }

    private boolean awaitThreads() {
        try {
            return threads.awaitTermination(TIME_TO_END.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
