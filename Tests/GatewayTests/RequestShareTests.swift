import Concurrency
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Requests in the store's share of the processor", .socketTimeLimit)
struct RequestShareTests {
    /// Runs `body` with a store that uses its share of one request, while another store is active. The time does not
    /// pass. `body` gets the function that ends the use.
    private func runWhileUsed(_ body: (StoreClient, ProcessorShare, () -> Void) async throws -> Void) async throws {
        let shares = ProcessorShares(.init(runningCalls: 1), clock: ManualClock())
        let other = shares.makeShare()
        try await RealGateway.run(storing: { $0.processorShares = shares }) { gateway in
            let store = try await gateway.makeStore("Bob")
            // A first long poll begins the events of the store.
            #expect(try await store.http.call("GET", "/v1/events?cursor=now&timeout=0").status == 200)
            let share = try #require(gateway.server.stores?.findStore(store.id)?.openedStore?.core.share)
            await other.runCall {}
            let (begun, end) = (WakeSignal(), WakeSignal())
            async let use: Void = share.runCall {
                begun.wake()
                _ = await end.waitForSignal()
            }
            _ = await begun.waitForSignal()
            defer { end.wake() }
            try await body(store, share) { end.wake() }
            await use
        }
    }

    @Test
    func `A request waits for its store's share of the processor, and a long poll does not wait`() async throws {
        try await runWhileUsed { store, share, endUse in
            let poller = try await HTTPClient.connect(port: store.port, key: store.key)
            #expect(try await poller.call("GET", "/v1/events?cursor=now&timeout=0").status == 200)
            async let answer = store.http.createUser("bob")
            try await waitUntil("the request waits") { share.waitingCount == 1 }
            endUse()
            _ = try await answer
            #expect(share.waitingCount == 0)
        }
    }

    @Test
    func `A command over a WebSocket waits for its store's share of the processor`() async throws {
        try await runWhileUsed { store, share, endUse in
            let socket = try await WebSocketClient.open(store.http, "/")
            try await socket.send(#"{"corrId":"1","cmd":"/version"}"#)
            try await waitUntil("the command waits") { share.waitingCount == 1 }
            endUse()
            #expect(try await socket.receiveAnswer(to: "1")?["type"] == "versionInfo")
        }
    }
}
