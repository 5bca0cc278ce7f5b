@testable import ChatCore
import Concurrency
import Files
import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Metrics and readiness over all stores", .socketTimeLimit)
struct StoreMetricsTests {
    @Test
    func `Metrics of the first store contain sums over all stores and the id of each store, but no store names`()
        async throws
    {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            let (one, two) = (try await gateway.makeStore("Bob Smith"), try await gateway.makeStore("two"))
            for store in [one, two] {
                _ = try await store.http.createUser("somebody")
                _ = try await store.http.post("/v1/users/1/connections/invitations", [:])
            }
            try await waitUntil("both queues are subscribed to") {
                try await admin.call("GET", "/metrics").text.contains("sxgw_queues{state=\"subscribed\"} 2\n")
            }
            let text = try await admin.call("GET", "/metrics").text
            for id in ["default", one.id, two.id] {
                for line in [
                    "sxgw_store_outboxes{store=\"\(id)\"} ", "sxgw_store_messages_waiting{store=\"\(id)\"} 0\n",
                    "sxgw_store_outbox_oldest_seconds{store=\"\(id)\"} 0\n",
                    "sxgw_store_receivers_failed{store=\"\(id)\"} 0\n",
                    "sxgw_store_used{store=\"\(id)\",resource=\"connections\"} \(id == "default" ? 0 : 1)\n",
                    "sxgw_store_queues{store=\"\(id)\",state=\"subscribed\"} \(id == "default" ? 0 : 1)\n",
                ] {
                    #expect(text.contains(line), "\(line)")
                }
            }
            #expect(text.contains("sxgw_stores_used{resource=\"connections\"} 2\n"))
            #expect(!text.contains("Bob") && !text.contains("somebody"))
            #expect(text.contains("sxgw_stores_relays_away 0\n"))
            let own = try await one.http.call("GET", "/metrics").text
            #expect(own.contains("sxgw_queues{state=\"subscribed\"} 1\n") && !own.contains("store=\""))
            #expect(!own.contains(two.id))
            await gateway.relay.stopAndWait()
            try await waitUntil("the stores miss their relay") {
                try await admin.call("GET", "/metrics").text.contains("sxgw_stores_relays_away 2\n")
            }
        }
    }

    @Test
    func `If more stores are open than metrics may list, metrics list only the busiest ones, and no locked store`()
        async throws
    {
        try await RealGateway.run(serving: { $0.maxStoresInMetrics = 2 }) { gateway in
            let admin = try await gateway.connectClient()
            let one = try await gateway.makeStore("one")
            let two = try await gateway.makeStore("two")
            _ = try await admin.call("GET", "/metrics").text
            _ = try await one.http.createUser("alice")
            _ = try await two.http.createUser("bob")
            let text = try await admin.call("GET", "/metrics").text
            #expect(text.contains("sxgw_outboxes 0\n") && !text.contains("sxgw_store_outboxes{"))
            let busiest = text.split(separator: "\n").filter { $0.hasPrefix("sxgw_store_commits_total{") }
            #expect(
                busiest.count == 2 && busiest.contains { $0.contains(one.id) }
                    && busiest.contains { $0.contains(two.id) },
                "\(busiest)"
            )
            #expect(try await admin.post("/v1/stores/\(one.id)/lock", [:]).status == 200)
            let fewer = try await admin.call("GET", "/metrics").text
            #expect(fewer.contains("sxgw_store_outboxes{store=\"default\"}") && !fewer.contains(one.id))
            // Metrics must be read without opening a store, so the locked store is still locked.
            #expect(try await gateway.readState(of: one.id) == "locked")
        }
    }

    @Test
    func `If more stores are open than metrics may list, a store that reaches no relay is listed first`() async throws {
        try await RealGateway.run(serving: { $0.maxStoresInMetrics = 1 }) { gateway in
            let admin = try await gateway.connectClient()
            let one = try await gateway.makeStore("one")
            let two = try await gateway.makeStore("two")
            for store in [one, two] { _ = try await store.http.createUser("somebody") }
            _ = try await two.http.post("/v1/users/1/connections/invitations", [:])
            try await waitUntil("the queue is subscribed to") {
                try await admin.call("GET", "/metrics").text.contains("sxgw_queues{state=\"subscribed\"} 1\n")
            }
            #expect(try await !admin.call("GET", "/metrics").text.contains("sxgw_store_relay_sessions{"))
            await gateway.relay.stopAndWait()
            let line = "sxgw_store_relay_sessions{store=\"\(two.id)\",state=\"connected\"} 0\n"
            try await waitUntil("the store is named") { try await admin.call("GET", "/metrics").text.contains(line) }
            let text = try await admin.call("GET", "/metrics").text
            #expect(!text.contains("sxgw_store_relay_sessions{store=\"\(one.id)\""))
        }
    }

    @Test
    func `The sums in the metrics include the channels, commits and refusals of all stores`() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            let one = try await gateway.makeStore("one")
            _ = try await one.http.createUser("somebody")
            #expect(
                try await one.http.post(
                    "/v1/users/1/groups",
                    ["groupProfile": ["displayName": "team", "fullName": ""]]
                )
                .status < 300
            )
            let limited = try await admin.put("/v1/stores/\(one.id)/limits", ["items": 1])
            #expect(limited.status == 200, "\(limited.text)")
            let refused = try await one.http.post("/v1/users/1/chats/local/1/messages", textMessage("note"))
            #expect(refused.status == 507, "\(refused.text)")
            let controller = try #require(gateway.server.stores?.findStore(one.id)?.openedStore?.core.controller)
            try await controller.store.write { tx in
                try tx.db.execute("UPDATE groups SET relay_own_status = 'active', current_members = 5")
            }
            let text = try await admin.call("GET", "/metrics").text
            for line in [
                "sxgw_channels 1\n", "sxgw_channel_members 4\n", "sxgw_store_full_refusals_total 1\n",
                "sxgw_store_commits_total{store=\"\(one.id)\"} \(controller.commitCounts.chatCount + controller.commitCounts.agentCount)\n",
            ] {
                #expect(text.contains(line), "\(line)")
            }
            let before = try #require(readChatCommits(text))
            #expect(before >= controller.commitCounts.chatCount)
            // The sums must not decrease when a store is closed.
            #expect(try await admin.post("/v1/stores/\(one.id)/lock", [:]).status == 200)
            #expect(try #require(readChatCommits(try await admin.call("GET", "/metrics").text)) >= before)
        }
    }

    private func readChatCommits(_ metrics: String) -> Int? {
        metrics.split(separator: "\n").first { $0.hasPrefix("sxgw_chat_commits_total ") }?.split(separator: " ").last
            .flatMap { Int($0) }
    }

    @Test
    func `The sum of a counter over all stores never decreases, even when a reopened store counts from zero`() {
        let totals = CounterTotals()
        func update(_ chat: [String: Int]) -> CounterTotals.Reading {
            totals.update(chat.mapValues { StoreCounters(commits: DatabaseCommitCounts(chat: $0)) })
        }
        #expect(update(["one": 5, "two": 2]).totals.commitSum == 7)
        let later = update(["one": 8, "two": 2])
        #expect(later.totals.commitSum == 10 && later.growth["one"]?.commitSum == 3)
        #expect(update(["two": 2]).totals.commitSum == 10)
        #expect(update(["one": 4, "two": 1]).totals.commitSum == 15)
    }

    @Test
    func `Metrics name a store whose databases are damaged, until the store is opened`() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            let one = try await gateway.makeStore("one")
            #expect(try await admin.post("/v1/stores/\(one.id)/lock", [:]).status == 200)
            let path = try #require(gateway.server.stores?.folders.makeStoreFolder(one.id).path) + "/simplex_v1_chat.db"
            let intact = try Data(contentsOf: URL(fileURLWithPath: path))
            var damaged = intact
            for offset in stride(from: 4_096 + 100, to: damaged.count, by: 4_096) { damaged[offset] ^= 0xFF }
            try damaged.write(to: URL(fileURLWithPath: path))
            let line = "sxgw_store_unopened{store=\"\(one.id)\"} 1\n"
            #expect(try await gateway.unlockStore(one.id).status == 500)
            let text = try await admin.call("GET", "/metrics").text
            #expect(text.contains("sxgw_stores_unopened 1\n") && text.contains(line))
            try intact.write(to: URL(fileURLWithPath: path))
            #expect(try await gateway.unlockStore(one.id).status == 200)
            let healed = try await admin.call("GET", "/metrics").text
            #expect(healed.contains("sxgw_stores_unopened 0\n") && !healed.contains(line))
        }
    }

    @Test
    func `The list of stores contains stores of other nodes, but no store that another node has deleted`() async throws
    {
        let placement = FakePlacement()
        try await RealGateway.run(storing: {
            $0.placement = placement
            try? FileManager.default.createDirectory(atPath: $0.folder, withIntermediateDirectories: true)
        }) { gateway in
            let one = try await gateway.makeStore("one")
            let folders = try #require(gateway.server.stores?.folders)
            let other = StoreID.make()
            try FileManager.default.copyItem(
                atPath: folders.makeStoreFolder(one.id).path,
                toPath: folders.makeStoreFolder(other).path
            )
            placement.addToOtherNode(elsewhere: other)
            func list() async throws -> [String: String] {
                let stores =
                    try await gateway.connectClient().call("GET", "/v1/stores").json["stores"]?.arrayValue ?? []
                return stores.reduce(into: [:]) { $0[$1["storeId"]?.stringValue ?? ""] = $1["node"]?.stringValue ?? "" }
            }
            let listed = try await list()
            #expect(listed[one.id] == "one" && listed[other] == "two", "\(listed)")
            try FileManager.default.removeItem(atPath: folders.makeStoreFolder(other).path)
            #expect(try await list()[other] == nil)
        }
    }

    @Test
    func `A fault of a store's record is logged only once, until a different fault occurs`() async throws {
        let (folder, recorder) = (try TemporaryFolder(), LogRecorder())
        defer { folder.remove() }
        try await LockableGateway.run(
            in: folder,
            storing: {
                $0.placement = FakePlacement()
                try? FileManager.default.createDirectory(atPath: $0.folder, withIntermediateDirectories: true)
            },
            log: recorder.makeLogger()
        ) { gateway in
            let client = try await gateway.connectClient()
            let host = try #require(gateway.server.stores)
            let made = try await client.post("/v1/stores", ["name": "Bob"]).json
            let id = try #require(made["store"]?["storeId"]?.stringValue)
            let other = StoreID.make()
            let (source, target) = (host.folders.makeStoreFolder(id), host.folders.makeStoreFolder(other))
            try FileManager.default.copyItem(atPath: source.path, toPath: target.path)
            let record = try #require(try DiskFiles.readFile(source.recordPath))
            func faults(after content: [UInt8]) async throws -> [String?] {
                try DiskFiles.replaceFile(target.recordPath, with: content)
                for _ in 0..<3 { #expect(try await client.call("GET", "/v1/stores").status == 200) }
                return recorder.lines.filter { $0.message == "a store cannot be read" && $0.fields["store"] == other }
                    .map { $0.fields["error"] }
            }
            #expect(try await faults(after: Array("{".utf8)).count == 1)
            DiskFiles.removeFile(target.recordPath)
            #expect(try await client.call("GET", "/v1/stores").status == 200)
            let logged = try await faults(after: Array("[]".utf8))
            #expect(logged.count == 3 && logged[1]?.contains("missing") == true, "\(logged)")
            #expect(try await faults(after: record).count == 3)
            #expect(host.findStore(other) != nil)
        }
    }

    @Test
    func `A node is not ready if it has no lease, or if the disk of the shared stores is full`() async throws {
        let placement = FakePlacement()
        let free = Mutex(UInt64(1 << 30))
        try await RealGateway.run(
            serving: {
                $0.diskSettings.readFreeBytes = { _ in free.withLock { $0 } }
            },
            storing: {
                $0.placement = placement
                try? FileManager.default.createDirectory(atPath: $0.folder, withIntermediateDirectories: true)
            }
        ) { gateway in
            let probe = try await HTTPClient.connect(port: gateway.port)
            #expect(try await probe.call("GET", "/readyz").status == 200)
            placement.set(hasLease: false)
            let refused = try await probe.call("GET", "/readyz")
            #expect(refused.status == 503)
            // The check of `deploy/haproxy.cfg` reads these words.
            #expect(try refused.json["detail"]?.stringValue?.contains("has no lease") == true)
            #expect(try await gateway.connectClient().call("GET", "/metrics").text.contains("sxgw_ready 0\n"))
            placement.set(hasLease: true)
            free.withLock { $0 = 0 }
            try await waitUntil("the disk is full") { try await probe.call("GET", "/readyz").status == 503 }
            let metrics = try await gateway.connectClient().call("GET", "/metrics").text
            #expect(metrics.contains("sxgw_stores_free_bytes 0\n"))
            free.withLock { $0 = 1 << 30 }
            try await waitUntil("the disk has room") { try await probe.call("GET", "/readyz").status == 200 }
        }
    }

    @Test
    func `'/readyz' of a node without a lease names the lease also while the chat of the first store is stopped`()
        async throws
    {
        let placement = FakePlacement()
        try await RealGateway.run(storing: { $0.placement = placement }) { gateway in
            let probe = try await HTTPClient.connect(port: gateway.port)
            #expect(try await gateway.connectClient().call("POST", "/v1/core/stop").status == 200)
            let stopped = try await probe.call("GET", "/readyz").json["detail"]?.stringValue
            #expect(stopped == "The chat is stopped.")
            placement.set(hasLease: false)
            let refused = try await probe.call("GET", "/readyz").json["detail"]?.stringValue
            #expect(refused?.contains("has no lease") == true)
        }
    }

    @Test
    func `If another process has the databases of a store open, the store's opening gets 503 and Retry-After`() {
        let problem = ProblemDetails(opening: ChatOpenError.database(.busy))
        #expect(problem.code == .unavailable && problem.detail.contains("end the node"))
        #expect(problem.headers.contains { $0.name == "Retry-After" && $0.value == "5" })
    }

    @Test
    func `While a disk does not answer, its last free bytes are returned, and it counts as silent after a timeout`()
        async throws
    {
        let disk = SilentDisk()
        defer { disk.answer(true) }
        let watch = DiskWatch("/shared", disk.settings)
        #expect(watch.takeLatestReading() == .init(freeBytes: nil, unansweredTime: .zero))
        try await waitUntil("the disk answers") { watch.takeLatestReading() == .init(freeBytes: 7) }
        disk.answer(false)
        disk.advance(by: .seconds(2))
        #expect(watch.takeLatestReading() == .init(freeBytes: 7, unansweredTime: .zero))
        #expect(await watch.refreshLatestReading() == .init(freeBytes: 7, unansweredTime: .zero))
        disk.advance(by: DiskWatch.silenceTimeout)
        #expect(!watch.takeLatestReading().isSilent)
        disk.advance(by: .seconds(1))
        #expect(watch.takeLatestReading() == .init(freeBytes: 7, unansweredTime: .seconds(6)))
        #expect(watch.takeLatestReading().isSilent)
        disk.answer(true)
        try await waitUntil("the disk answers again") { watch.takeLatestReading() == .init(freeBytes: 7) }
    }

    @Test
    func `While the data disk does not answer, metrics show the time without an answer, and the gateway is not ready`()
        async throws
    {
        let disk = SilentDisk()
        defer { disk.answer(true) }
        try await RealGateway.run(serving: { $0.diskSettings = disk.settings }) { gateway in
            // The stop of the gateway may wait for the disk, so the disk answers again before the stop.
            defer { disk.answer(true) }
            let client = try await gateway.connectClient()
            func readMetrics() async throws -> String { try await client.call("GET", "/metrics").text }
            try await waitUntil("the disk answers") {
                try await readMetrics().contains("sxgw_data_free_bytes 7\n")
            }
            #expect(try await readMetrics().contains("sxgw_data_disk_silent_seconds 0\n"))
            disk.answer(false)
            disk.advance(by: .seconds(2))
            #expect(try await client.call("GET", "/readyz").status == 200)
            disk.advance(by: DiskWatch.silenceTimeout + .seconds(2))
            let metrics = try await readMetrics()
            for line in [
                "sxgw_data_disk_silent_seconds 7\n", "sxgw_stores_disk_silent_seconds 7\n", "sxgw_ready 0\n",
                "sxgw_data_free_bytes 7\n", "sxgw_stores_free_bytes 7\n",
            ] {
                #expect(metrics.contains(line), "\(line)")
            }
            let refused = try await client.call("GET", "/readyz")
            #expect(refused.status == 503)
            #expect(try refused.json["detail"]?.stringValue == "The disk of the data folder does not answer.")
            disk.answer(true)
            try await waitUntil("the gateway is ready") { try await client.call("GET", "/readyz").status == 200 }
            #expect(try await readMetrics().contains("sxgw_data_disk_silent_seconds 0\n"))
        }
    }

    @Test
    func `Metrics are answered while all threads of the blocking pool wait for a disk`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            // The first reading of the amounts needs the pool, so it is done before all threads wait.
            #expect(try await client.call("GET", "/metrics").status == 200)
            let disk = SilentDisk()
            disk.answer(false)
            defer { disk.answer(true) }
            for _ in 0..<blockingThreadCount {
                Task { try await runBlocking { _ = disk.settings.readFreeBytes("/data") } }
            }
            try await waitUntil("all threads wait") { disk.waiterCount == blockingThreadCount }
            let metrics = try await client.call("GET", "/metrics").text
            #expect(metrics.contains("process_threads ") && metrics.contains("sxgw_data_free_bytes "))
        }
    }

    @Test
    func `Metrics of a gateway without nodes show the present free bytes of the disk with the stores`() async throws {
        let free = Mutex(UInt64(1 << 30))
        try await RealGateway.run(serving: { $0.diskSettings.readFreeBytes = { _ in free.withLock { $0 } } }) {
            gateway in
            free.withLock { $0 = 7 }
            let client = try await gateway.connectClient()
            try await waitUntil("the last reading is old") {
                try await client.call("GET", "/metrics").text.contains("sxgw_stores_free_bytes 7\n")
            }
            #expect(try await client.call("GET", "/readyz").status == 200)
        }
    }

    @Test
    func `The first request for a disk's free bytes after a long pause reads the disk instead of an old value`()
        async throws
    {
        let disk = SilentDisk(maxWait: .seconds(60))
        let watch = DiskWatch("/shared", disk.settings)
        #expect(await watch.refreshLatestReading() == .init(freeBytes: 7))
        disk.setFreeBytes(0)
        disk.advance(by: .seconds(600))
        #expect(await watch.refreshLatestReading() == .init(freeBytes: 0))
    }

    @Test
    func `If many stores lose a relay at once, one log line names the relay and the counts of stores and queues`()
        async throws
    {
        let (recorder, gate) = (LogRecorder(), AsyncStream.makeStream(of: Void.self))
        let losses = RelayLosses(log: recorder.makeLogger()) { for await _ in gate.stream { return } }
        for number in 0..<30 {
            losses.recordLoss(of: "smp://relay", in: "store\(number)", queues: 2, messages: number == 3 ? 5 : 0)
        }
        losses.recordLoss(of: "smp://relay", in: "store0", queues: 1, messages: 0)
        losses.recordLoss(of: "smp://other", in: "store1", queues: 1, messages: 0)
        gate.continuation.yield()
        try await waitUntil("the losses are logged") { recorder.lines.count == 2 }
        let line = try #require(recorder.lines.first { $0.fields["relay"] == "smp://relay" })
        #expect(line.message == "connection to a relay lost" && line.level == .warning)
        #expect(line.fields["queues"] == "61" && line.fields["messages"] == "5")
        #expect(line.fields["stores"]?.hasPrefix("store0 store1 ") == true)
        #expect(line.fields["stores"]?.hasSuffix(" store19 and 10 more") == true)
        #expect(recorder.lines.first { $0.fields["relay"] == "smp://other" }?.fields["stores"] == "store1")
    }
}

/// A disk that can be silent, and its clock. A reading of a silent disk blocks its thread, as a call of the system
/// does.
private final class SilentDisk: Sendable {
    private struct State {
        var answers = true
        var freeBytes: UInt64 = 7
        var waiterCount = 0
        var time = ContinuousClock.now
    }

    private let state = Mutex(State())
    private let maxWait: Duration

    init(maxWait: Duration = .milliseconds(1)) { self.maxWait = maxWait }

    var settings: DiskWatch.Settings {
        DiskWatch.Settings(
            readFreeBytes: { _ in self.readFreeBytes() },
            maxWait: maxWait,
            now: { self.state.withLock { $0.time } }
        )
    }

    /// Number of readings that wait for an answer.
    var waiterCount: Int { state.withLock { $0.waiterCount } }

    func answer(_ answers: Bool) { state.withLock { $0.answers = answers } }

    func setFreeBytes(_ bytes: UInt64) { state.withLock { $0.freeBytes = bytes } }

    func advance(by time: Duration) { state.withLock { $0.time += time } }

    private func readFreeBytes() -> UInt64 {
        state.withLock { $0.waiterCount += 1 }
        while !state.withLock({ $0.answers }) { usleep(1_000) }
        return state.withLock {
            $0.waiterCount -= 1
            return $0.freeBytes
        }
    }
}
