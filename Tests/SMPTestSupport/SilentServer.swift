internal import NIOCore
internal import NIOPosix
internal import Synchronization
internal import TestSupport

/// A server that accepts TCP connections and sends nothing.
package final class SilentServer: Sendable {
    private let channel: any Channel
    private final class ConnectionCounter: Sendable { let count = Atomic(0) }
    private let counter: ConnectionCounter

    package init(port: Int) async throws {
        let counter = ConnectionCounter()
        self.counter = counter
        channel = try await ServerBootstrap(group: WaywardRelay.group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                counter.count.add(1, ordering: .relaxed)
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: port).get()
    }

    package var port: Int { channel.localAddress?.port ?? 0 }

    /// Waits until the server has accepted at least `number` connections.
    package func waitForConnections(_ number: Int) async throws {
        try await waitUntil("\(number) connections") { counter.count.load(ordering: .relaxed) >= number }
    }

    package func stop() async { try? await channel.close() }
}
