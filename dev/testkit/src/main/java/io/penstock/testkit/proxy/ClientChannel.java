package io.penstock.testkit.proxy;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** The client's end: reads requests and writes what a fault wants written. For one thread. */
final class ClientChannel {

    /** Small, so that a slow upload is felt by the client and does not vanish in a socket buffer. */
    private static final int SLOW_RECEIVE_BUFFER_BYTES = 8 << 10;

    private static final int SLICES_PER_SECOND = 20;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private Optional<Duration> idleLimit = Optional.empty();
    private long uploadBytesPerSecond = Long.MAX_VALUE;

    ClientChannel(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
    }

    /** The next request; empty if the client has hung up or the idle limit has passed. */
    Optional<RequestHead> nextRequest() throws IOException {
        if (idleLimit.filter(Duration::isZero).isPresent()) {
            return Optional.empty();
        }
        socket.setSoTimeout(
                idleLimit.map(limit -> Math.max(1, (int) limit.toMillis())).orElse(0));
        try {
            in.mark(1);
            if (in.read() < 0) {
                return Optional.empty();
            }
            in.reset();
        } catch (SocketTimeoutException idleTooLong) {
            return Optional.empty();
        }
        socket.setSoTimeout(0);
        return Optional.of(RequestHead.read(in));
    }

    byte[] readBody(RequestHead head) throws IOException {
        if (Wire.says(head.headers(), "Expect", "100-continue")) {
            out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        }
        InputStream body = uploadBytesPerSecond == Long.MAX_VALUE ? in : new SlowInput(in, uploadBytesPerSecond);
        uploadBytesPerSecond = Long.MAX_VALUE;
        return Wire.readBody(body, head.headers());
    }

    /** Slows the next body down. */
    void slowUpload(long bytesPerSecond) throws IOException {
        socket.setReceiveBufferSize(SLOW_RECEIVE_BUFFER_BYTES);
        uploadBytesPerSecond = bytesPerSecond;
    }

    void closeWhenIdle(Duration limit) {
        idleLimit = Optional.of(limit);
    }

    OutputStream out() {
        return out;
    }

    /** No byte comes before its time, so the last one comes when the rate says. */
    void drip(byte[] bytes, long bytesPerSecond) throws IOException, InterruptedException {
        int slice = sliceBytes(bytesPerSecond);
        for (int from = 0; from < bytes.length; from += slice) {
            int count = Math.min(slice, bytes.length - from);
            Thread.sleep(time(count, bytesPerSecond));
            out.write(bytes, from, count);
        }
    }

    /** Says nothing until the client hangs up or the proxy closes the socket. */
    void awaitHangUp() throws IOException {
        byte[] ignored = new byte[1024];
        int count = in.read(ignored);
        while (count >= 0) {
            count = in.read(ignored);
        }
    }

    /** Makes the close that follows a reset. */
    void cut(Fault.Cut cut) throws IOException {
        if (cut == Fault.Cut.RESET) {
            socket.setSoLinger(true, 0);
        }
    }

    /** Ends the connection now, whatever else is done for its last request. */
    void hangUp() throws IOException {
        socket.close();
    }

    private static int sliceBytes(long bytesPerSecond) {
        return Math.clamp(bytesPerSecond / SLICES_PER_SECOND, 1, 1 << 20);
    }

    private static Duration time(int bytes, long bytesPerSecond) {
        return Duration.ofNanos(bytes * 1_000_000_000L / bytesPerSecond);
    }

    /** Reads no faster than its rate. */
    private static final class SlowInput extends FilterInputStream {
        private final long bytesPerSecond;

        SlowInput(InputStream in, long bytesPerSecond) {
            super(in);
            this.bytesPerSecond = bytesPerSecond;
        }

        @Override
        public int read(byte[] into, int from, int count) throws IOException {
            int read = super.read(into, from, Math.min(count, sliceBytes(bytesPerSecond)));
            try {
                Thread.sleep(time(Math.max(read, 0), bytesPerSecond));
            } catch (InterruptedException closing) {
                Thread.currentThread().interrupt();
                throw new IOException("the fault proxy is closing", closing);
            }
            return read;
        }
    }
}
