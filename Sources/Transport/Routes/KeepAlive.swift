import Glibc
package import NIOCore

/// The settings by which the operating system detects that a silent peer is gone (TCP keep-alive, `tcp(7)`).
package struct TCPKeepAlive: Hashable, Sendable {
    /// Seconds of silence before the first probe.
    package var idleSeconds: Int
    /// Seconds between probes.
    package var intervalSeconds: Int
    /// Number of lost probes after which the peer counts as gone.
    package var probeCount: Int

    package init(idle: Int = 30, interval: Int = 15, count: Int = 4) {
        self.idleSeconds = idle
        self.intervalSeconds = interval
        self.probeCount = count
    }

    /// The socket options for these settings. Values outside of the allowed range are replaced by the nearest allowed
    /// values.
    package var options: [(ChannelOptions.Types.SocketOption, SocketOptionValue)] {
        func option(_ name: CInt, _ value: Int) -> (ChannelOptions.Types.SocketOption, SocketOptionValue) {
            (
                ChannelOptions.Types.SocketOption(level: .tcp, name: NIOBSDSocket.Option(rawValue: name)),
                SocketOptionValue(min(max(value, 1), 32_767))
            )
        }
        return [
            (ChannelOptions.Types.SocketOption(level: .socket, name: .so_keepalive), 1),
            option(TCP_KEEPIDLE, idleSeconds), option(TCP_KEEPINTVL, intervalSeconds),
            option(TCP_KEEPCNT, min(probeCount, 127)),
        ]
    }
}
