import Concurrency
import JSON
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Reading of the metrics of stores", .socketTimeLimit) struct StoreMetricsReadingTests {
    @Test
    func `Metrics name a store that does not answer without reading it again, and still read the other stores`()
        async throws
    {
        let clock = Mutex(ContinuousClock.now), counts = Mutex<[String: Int]>([:])
        let reading = StoreAmountsReader(patience: .milliseconds(1)) { clock.withLock { $0 } }
        let silence = AsyncLock()
        let turn = await silence.acquireTurn()
        let silent = (0...StoreAmountsReader.maxConcurrentReads).map { "silent\($0)" }
        let others = (0..<3).map { "other\($0)" }
        let sources =
            silent.map { id in
                StoreAmountsReader.Source(id: id) {
                    counts.withLock { $0[id, default: 0] += 1 }
                    await silence.runLocked {}
                }
            }
            + others.map { id in
                StoreAmountsReader.Source(id: id) { counts.withLock { $0[id, default: 0] += 1 } }
            }
        try await waitUntil("the other stores are read three times") {
            await reading.refreshAmounts(sources)
            return others.allSatisfy { id in counts.withLock { $0[id] ?? 0 } >= 3 }
        }
        #expect(silent.allSatisfy { id in counts.withLock { $0[id] } == 1 })
        clock.withLock { $0 += .seconds(60) }
        #expect(reading.lateStores.map(\.id) == silent)
        #expect(reading.lateStores.allSatisfy { $0.time == .seconds(60) })
        turn.end()
        try await waitUntil("the silent stores have answered") { reading.lateStores.isEmpty }
        try await waitUntil("the silent stores are read again") {
            await reading.refreshAmounts(sources)
            return silent.allSatisfy { id in counts.withLock { $0[id] ?? 0 } >= 2 }
        }
    }

    @Test
    func `Metrics name a store whose databases do not answer`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await LockableGateway.run(in: folder) { gateway in
            let admin = try await gateway.connectClient()
            let made = try await admin.post("/v1/stores", ["name": "Bob"]).json
            let id = try #require(made["store"]?["storeId"]?.stringValue)
            let reading = try #require(gateway.server.stores?.firstStore?.openedStore?.services.storeAmountsReader)
            let amount = "sxgw_store_used{store=\"\(id)\",resource=\"items\"} 0\n"
            try await waitUntil("the amounts of the store are read") {
                try await admin.call("GET", "/metrics").text.contains(amount)
            }
            let silence = AsyncLock()
            let turn = await silence.acquireTurn()
            try await waitUntil("the reading of the store has begun") {
                await reading.refreshAmounts([StoreAmountsReader.Source(id: id) { await silence.runLocked {} }])
                return !reading.lateStores.isEmpty
            }
            let text = try await admin.call("GET", "/metrics").text
            #expect(text.contains("sxgw_stores_amounts_late 1\n"))
            #expect(text.contains("sxgw_store_amounts_late_seconds{store=\"\(id)\"} "))
            #expect(text.contains(amount))
            turn.end()
            try await waitUntil("the store answers") { reading.lateStores.isEmpty }
        }
    }
}
