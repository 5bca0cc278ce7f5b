import SMP
import SimpleXCrypto
import Synchronization
import Testing
import TestSupport

/// Counter that starts at 1.
final class Counter: Sendable {
    private let value = Mutex(0)
    func nextNumber() -> Int {
        value.withLock {
            $0 += 1
            return $0
        }
    }
}

/// Queue of the events of a client, for tests that wait for them in order.
struct EventQueue: Sendable {
    private let stream: AsyncStream<SMPClientEvent>
    let handler: @Sendable (SMPClientEvent) -> Void

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: SMPClientEvent.self)
        self.stream = stream
        handler = { continuation.yield($0) }
    }

    /// Returns the value of `choose` for the next event that has one, and discards the events before it.
    func waitForFirst<T: Sendable>(_ choose: @Sendable (SMPClientEvent) -> T?) async throws -> T {
        for await event in stream {
            if let chosen = choose(event) { return chosen }
        }
        throw CancellationError()
    }
}

extension SMPClientConfiguration {
    /// Short timeouts, for peers that never answer.
    static var withShortTimeouts: SMPClientConfiguration {
        var configuration = SMPClientConfiguration()
        configuration.transport.responseTimeout = .milliseconds(150)
        configuration.reconnectBackoff.initialDelay = .milliseconds(5)
        configuration.reconnectBackoff.maxDelay = .milliseconds(50)
        return configuration
    }

    /// Default configuration with a short reconnection delay.
    static var withShortReconnect: SMPClientConfiguration {
        var configuration = SMPClientConfiguration()
        configuration.reconnectBackoff.initialDelay = .milliseconds(5)
        configuration.reconnectBackoff.maxDelay = .milliseconds(50)
        return configuration
    }
}

/// Credentials of a queue that exists on no relay.
func makeUnknownQueue(_ id: UInt8 = 1) throws -> RcvQueueCredentials {
    let (a, b) = try (X25519.PrivateKey(), X25519.PrivateKey())
    return RcvQueueCredentials(
        rcvID: [UInt8](repeating: id, count: 24),
        key: .ed25519(try Ed25519.PrivateKey()),
        dhSecret: try a.sharedSecret(with: b.publicKey)
    )
}
