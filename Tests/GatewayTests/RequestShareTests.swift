import Concurrency
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Requests in the store's share of the processor", .socketTimeLimit)
struct RequestShareTests {
    /// Runs `body` with a gateway while its store uses its share of one request, and another store is active. The time
    /// does not pass. `body` gets the function that ends the use.
    private func runWhileUsed(_ body: (RealGateway, ProcessorShare, () -> Void) async throws -> Void) async throws {
        let shares = ProcessorShares(.init(runningCalls: 1), clock: ManualClock())
        let (share, other) = (shares.makeShare(), shares.makeShare())
        try await RealGateway.run(share: share) { gateway in
            await other.runCall {}
            let (begun, end) = (WakeSignal(), WakeSignal())
            async let use: Void = share.runCall {
                begun.wake()
                _ = await end.waitForSignal()
            }
            _ = await begun.waitForSignal()
            defer { end.wake() }
            try await body(gateway, share) { end.wake() }
            await use
        }
    }

    @Test
    func `A request waits for its store's share of the processor, and a long poll does not wait`() async throws {
        try await runWhileUsed { gateway, share, endUse in
            let (client, poller) = (try await gateway.connectClient(), try await gateway.connectClient())
            #expect(try await poller.call("GET", "/v1/events?cursor=now&timeout=0").status == 200)
            async let answer = client.call("GET", "/v1/users")
            try await waitUntil("the request waits") { share.waitingCount == 1 }
            endUse()
            #expect(try await answer.status == 200)
            #expect(share.waitingCount == 0)
        }
    }

    @Test
    func `A command over a WebSocket waits for its store's share of the processor`() async throws {
        try await runWhileUsed { gateway, share, endUse in
            let socket = try await WebSocketClient.open(gateway.connectClient(), "/")
            try await socket.send(#"{"corrId":"1","cmd":"/version"}"#)
            try await waitUntil("the command waits") { share.waitingCount == 1 }
            endUse()
            #expect(try await socket.receiveAnswer(to: "1")?["type"] == "versionInfo")
        }
    }
}
