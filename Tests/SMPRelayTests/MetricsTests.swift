import NIOCore
import NIOPosix
import SMP
import SMPRelay
import TestSupport
import Testing

@Suite("Relay: statistics", .socketTimeLimit)
struct MetricsTests {
    @Test
    func `The relay serves the numbers of sessions, queues and messages in the Prometheus format`() async throws {
        try await withRelay({ ($0.metricsPort, $0.maxMessagesPerQueue) = (0, 1) }) { relay in
            let session = try await relay.connect(version: 18)
            let queue = try await session.createQueue(mode: .contact)
            #expect(try await session.post("a", to: queue) == .ok)
            #expect(try await session.post("b", to: queue) == .err(.quota))
            let message = try await session.nextMessage(queue)
            #expect(try await session.send(.ack(messageID: message.id), queue.rcvID, queue.rcvKey) != .ok)
            #expect(try await session.send(.send(.none, body: [1]), [1]) == .err(.auth))
            #expect(try await session.send(.key(queue.sndKey.publicKey), queue.rcvID, queue.rcvKey) == .ok)
            let expected = [
                "sessions": 1, "sessions_open": 1, "queues_created": 1, "queues": 1, "messages_sent": 1,
                "messages_received": 1,
                "messages_refused_quota": 1, "messages_refused_auth": 1, "queues_secured": 1, "messages": 1,
            ]
            let statistics = relay.relay.statistics
            for (name, value) in expected { #expect(statistics[name] == value, "\(name)") }
            let text = try await fetch(
                "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
                from: try #require(relay.relay.metricsPort)
            )
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(
                text.contains("\n# TYPE smp_relay_queues_created_total counter\nsmp_relay_queues_created_total 1\n")
            )
            #expect(text.contains("\nsmp_relay_sessions_open 1\n"))
            let refused = try await fetch("POST / HTTP/1.1\r\n\r\n", from: try #require(relay.relay.metricsPort))
            #expect(refused.hasPrefix("HTTP/1.1 405 "))
        }
    }

    /// Sends a request, and returns everything received until the connection ends.
    private func fetch(_ request: String, from port: Int) async throws -> String {
        let channel = try await ClientBootstrap(group: TestRelay.group).connect(host: "127.0.0.1", port: port) {
            channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var text = ""
            for try await part in inbound { text += String(buffer: part) }
            return text
        }
    }
}
