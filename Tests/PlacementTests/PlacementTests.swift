import Foundation
import Gateway
import Logging
import ServerSupport
import Synchronization
import TestSupport
import Testing

@testable import Placement

@Suite(
    "Placement of stores on nodes",
    .socketTimeLimit,
    .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed")
)
struct PlacementTests {
    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func startNode(
        _ server: PostgresServer,
        _ name: String,
        owner: String? = nil,
        lease: Double = 30,
        room: Int = 10
    ) async throws(NodeError) -> PostgresPlacement {
        try await .registerAndStart(
            .init(
                connection: server.connectionString,
                node: name,
                owner: owner ?? name,
                lease: lease,
                load: { (0, room) }
            ),
            log: Self.log
        )
    }

    private func withServer(_ body: (PostgresServer) async throws -> Void) async throws {
        let server = try PostgresServer()
        defer { server.remove() }
        try await body(server)
    }

    private func findHolder(_ node: PostgresPlacement, _ store: String) async -> String? {
        do throws(PlacementError) {
            _ = try await node.acquireStore(store, above: 0)
            return nil
        } catch {
            guard case .atOtherNode(let name) = error else { return "\(error)" }
            return name
        }
    }

    @Test
    func `A store has a lease of only one node at a time, and each lease has a greater token`() async throws {
        try await withServer { server in
            let (one, two) = (try await startNode(server, "one"), try await startNode(server, "two"))
            let first = try await one.acquireStore("store", above: 0)
            #expect(first.isValid())
            #expect(await findHolder(two, "store") == "one")
            await one.releaseStore("store", first, isWanted: false)
            let second = try await two.acquireStore("store", above: 0)
            #expect(second.token > first.token)
            // The release of an earlier lease has no effect.
            await one.releaseStore("store", first, isWanted: false)
            #expect(await findHolder(one, "store") == "two")
            await two.endPlacement()
            #expect(!second.isValid())
            let third = try await one.acquireStore("store", above: 0)
            #expect(third.token > second.token)
            await one.endPlacement()
        }
    }

    /// Acquires a store. On a busy machine the node's short lease may end during the attempt, so this tries again.
    private func acquireStore(_ store: String, by node: PostgresPlacement) async throws -> StoreLease {
        var got: StoreLease?
        try await waitUntil("the node has the store") {
            do throws(PlacementError) {
                got = try await node.acquireStore(store, above: 0)
                return true
            } catch { return false }
        }
        return try #require(got)
    }

    @Test
    func `If several nodes request the same store at the same time, one of them gets the store`() async throws {
        try await withServer { server in
            var nodes: [PostgresPlacement] = []
            for name in ["one", "two", "three"] { nodes.append(try await startNode(server, name)) }
            let got = await withTaskGroup(of: (String, UInt64)?.self) { tasks in
                for store in 0..<40 {
                    for node in nodes {
                        tasks.addTask {
                            do throws(PlacementError) {
                                return ("store-\(store)", try await node.acquireStore("store-\(store)", above: 0).token)
                            } catch { return nil }
                        }
                    }
                }
                return await tasks.reduce(into: [String: Int]()) {
                    if let (store, _) = $1 { $0[store, default: 0] += 1 }
                }
            }
            #expect(got.count == 40 && got.values.allSatisfy { $0 == 1 })
            for node in nodes { await node.endPlacement() }
        }
    }

    @Test
    func `If PostgreSQL's table of tokens was lost, a node gets a greater token than the store's last token`()
        async throws
    {
        try await withServer { server in
            let one = try await startNode(server, "one")
            for _ in 0..<3 {
                await one.releaseStore("store", try await one.acquireStore("store", above: 0), isWanted: false)
            }
            try server.runSQL("DELETE FROM sxgw_store")
            #expect(try await one.acquireStore("store", above: 3).token > 3)
            await one.endPlacement()
        }
    }

    @Test
    func `A node does not start if a node with a different data folder uses the same node name`() async throws {
        try await withServer { server in
            let one = try await startNode(server, "one", owner: "a", lease: 10)
            await #expect(throws: NodeError.self) { try await startNode(server, "one", owner: "b", lease: 10) }
            let lease = try await acquireStore("store", by: one)
            let again = try await startNode(server, "one", owner: "a", lease: 30)
            #expect(try await again.acquireStore("store", above: 0).token > lease.token)
            // The former process notices the loss, and no longer owns its stores.
            try await waitUntil("the former process has lost its lease") { !lease.isValid() }
            await again.endPlacement()
            await one.endPlacement()
        }
    }

    @Test(arguments: ["away", "slow", "forgetful"])
    func `If a node cannot renew its leases in PostgreSQL, they end, and the next leases have greater tokens`(
        _ defect: String
    ) async throws {
        try await withServer { server in
            let one = try await startNode(server, "one", lease: 1)
            let lost = Mutex(0)
            one.onLeaseLoss { lost.withLock { $0 += 1 } }
            let lease = try await acquireStore("store", by: one)
            switch defect {
            case "away": try server.stop()
            case "slow": server.signal(SIGSTOP)
            default: try server.runSQL("DELETE FROM sxgw_node")
            }
            try await waitUntil("the lease has ended") { !lease.isValid() }
            try await waitUntil("the stores are lost") { lost.withLock { $0 } > 0 }
            switch defect {
            case "away": try server.start()
            case "slow": server.signal(SIGCONT)
            default: break
            }
            var token: UInt64 = 0
            try await waitUntil("the node has a lease again") {
                do throws(PlacementError) {
                    token = try await one.acquireStore("store", above: lease.token).token
                    return true
                } catch { return false }
            }
            #expect(token > lease.token && !lease.isValid())
            await one.endPlacement()
        }
    }

    @Test
    func `Stores of a node whose lease has ended, and stores that a node released, are offered to other nodes`()
        async throws
    {
        try await withServer { server in
            let one = try await startNode(server, "one", lease: 30)
            let wanted = try await one.acquireStore("wanted", above: 0)
            let unwanted = try await one.acquireStore("unwanted", above: 0)
            await one.releaseStore("wanted", wanted, isWanted: true)
            await one.releaseStore("unwanted", unwanted, isWanted: false)
            _ = try await one.acquireStore("held", above: 0)
            let two = try await startNode(server, "two", lease: 1)
            let offered = Mutex<Set<String>>([])
            two.onStoreOffer { ids in offered.withLock { $0.formUnion(ids) } }
            try await waitUntil("the wanted store is offered") { offered.withLock { $0 } == ["wanted"] }
            try server.runSQL("UPDATE sxgw_node SET lease_until = now() - interval '1 second' WHERE name = 'one'")
            try await waitUntil("the store of the dead node is offered") {
                offered.withLock { $0 } == ["wanted", "held"]
            }
            await two.endPlacement()
            await one.endPlacement()
        }
    }

    @Test
    func `If a node opens none of the stores that it is offered, the next stores are still offered to it`() async throws
    {
        try await withServer { server in
            let stores = (0..<40).map { "store-\($0)" }
            let narrow = try await startNode(server, "narrow", lease: 1, room: 3)
            try await narrow.recordWantedStores(stores)
            let wide = Mutex<[[String]]>([])
            let offered = Mutex<[[String]]>([])
            // The node opens none of the stores.
            narrow.onStoreOffer { ids in offered.withLock { $0.append(ids) } }
            try await waitUntil("each store was offered") { Set(offered.withLock { $0 }.joined()).count == 40 }
            #expect(offered.withLock { $0 }.allSatisfy { $0.count <= 3 })
            await narrow.endPlacement()
            let other = try await startNode(server, "other", lease: 1, room: 300)
            other.onStoreOffer { ids in wide.withLock { $0.append(ids) } }
            try await waitUntil("each store was offered to the other node") {
                Set(wide.withLock { $0 }.joined()).count == 40
            }
            #expect(wide.withLock { $0 }.allSatisfy { $0.count <= PostgresPlacement.maxOfferedStores })
            await other.endPlacement()
        }
    }

    @Test
    func `Each store without a node is offered to only one node at a time`() async throws {
        try await withServer { server in
            let stores = Set((0..<20).map { "store-\($0)" })
            let nodes = [try await startNode(server, "one", lease: 40), try await startNode(server, "two", lease: 40)]
            try await nodes[0].recordWantedStores(Array(stores))
            // Both nodes ask for the stores at the same time, as after the death of a third node.
            let offered = await withTaskGroup(of: [String].self) { tasks in
                for node in nodes {
                    tasks.addTask {
                        var stores: [String] = []
                        for _ in 0..<3 { stores += await node.findOfferedStores(10) }
                        return stores
                    }
                }
                return await tasks.reduce(into: []) { $0 += $1 }
            }
            #expect(offered.count == 20 && Set(offered) == stores)
            for node in nodes { await node.endPlacement() }
        }
    }

    @Test
    func `If a restarted node has no room for stores, its stores are offered to other nodes`() async throws {
        try await withServer { server in
            let one = try await startNode(server, "one", owner: "a", lease: 30)
            _ = try await one.acquireStore("held", above: 0)
            let again = try await startNode(server, "one", owner: "a", lease: 1, room: 0)
            again.onStoreOffer { _ in Issue.record("The node took a store without room.") }
            let two = try await startNode(server, "two", lease: 1)
            let offered = Mutex<Set<String>>([])
            two.onStoreOffer { ids in offered.withLock { $0.formUnion(ids) } }
            try await waitUntil("the store is offered to the other node") { offered.withLock { $0 } == ["held"] }
            for node in [one, again, two] { await node.endPlacement() }
        }
    }

    @Test
    func `A new store that is on no node is offered to a node`() async throws {
        try await withServer { server in
            let one = try await startNode(server, "one")
            let lease = try await one.acquireStore("held", above: 0)
            try await one.recordWantedStores(["held", "new"])
            try await one.recordWantedStores([])
            await one.releaseStore("held", lease, isWanted: nil)
            let two = try await startNode(server, "two", lease: 1)
            let offered = Mutex<Set<String>>([])
            two.onStoreOffer { ids in offered.withLock { $0.formUnion(ids) } }
            try await waitUntil("the new store is offered") { offered.withLock { $0 } == ["new"] }
            #expect(try await two.acquireStore("new", above: 7).token > 7)
            for node in [one, two] { await node.endPlacement() }
        }
    }

    @Test
    func `A node's registration handler is called again after it failed and after each new registration`() async throws
    {
        try await withServer { server in
            let one = try await startNode(server, "one", lease: 1)
            let calls = Mutex(0)
            one.onRegistration {
                calls.withLock { calls in
                    calls += 1
                    return calls > 1
                }
            }
            try await waitUntil("the handler is called again after its failure") { calls.withLock { $0 } == 2 }
            try server.runSQL("DELETE FROM sxgw_node")
            try await waitUntil("the handler is called after the new registration") { calls.withLock { $0 } > 2 }
            await one.endPlacement()
        }
    }

    @Test
    func `A store that was moved to a node without room is offered to other nodes`() async throws {
        try await withServer { server in
            let one = try await startNode(server, "one", lease: 1)
            let offered = Mutex<Set<String>>([])
            one.onStoreOffer { ids in offered.withLock { $0.formUnion(ids) } }
            try await one.passStore("store", try await acquireStore("store", by: one), to: "full", isWanted: true)
            let full = try await startNode(server, "full", lease: 1, room: 0)
            full.onStoreOffer { _ in Issue.record("The node took a store without room.") }
            try await waitUntil("the store is offered to the other") { offered.withLock { $0 } == ["store"] }
            await full.endPlacement()
            await one.endPlacement()
        }
    }

    @Test
    func `A node does not start if PostgreSQL is unreachable, and the error contains no password`() async {
        do throws(NodeError) {
            _ = try await PostgresPlacement.registerAndStart(
                .init(
                    connection: "host=/nonexistent user=x password=secret-word",
                    node: "one",
                    owner: "a",
                    lease: 1,
                    load: { (0, 0) }
                ),
                log: Self.log
            )
            Issue.record("The node has started.")
        } catch {
            #expect(
                "\(error)".contains("cannot be read") && "\(error)".contains("cannot be reached")
                    && !"\(error)".contains("secret-word")
            )
        }
    }

    @Test(arguments: [
        ("dbname=postgres", "dbname=nowhere", #"refuses the connection: database "nowhere" does not exist"#),
        ("user=sxgw", "user=nobody", #"refuses the connection: role "nobody" does not exist"#),
        ("dbname=postgres", "dbname=postgres", "is read-only"),
    ])
    func `The error for a connection that PostgreSQL refuses contains the reason of PostgreSQL`(
        part: String,
        other: String,
        words: String
    ) async throws {
        try await withServer { server in
            if words == "is read-only" { try server.runSQL("ALTER ROLE sxgw SET default_transaction_read_only = on") }
            do throws(NodeError) {
                _ = try await PlacementOverview.readOverview(server.connectionString.replacing(part, with: other))
                Issue.record("The file could be read.")
            } catch {
                #expect("\(error)".contains(words))
            }
        }
    }

    @Test
    func `A node whose folder of stores differs from that of a running node does not start`()
        async throws
    {
        try await withServer { server in
            func start(_ name: String, _ folder: String?) async throws(NodeError) -> PostgresPlacement {
                try await .registerAndStart(
                    .init(
                        connection: server.connectionString,
                        node: name,
                        owner: name,
                        folder: folder,
                        lease: 30,
                        load: { (0, 10) }
                    ),
                    log: Self.log
                )
            }
            let one = try await start("one", "a")
            do throws(NodeError) {
                _ = try await start("two", "b")
                Issue.record("The node has started.")
            } catch {
                guard case .otherFolder(node: "one") = error else { throw error }
            }
            await #expect(throws: PlacementError.self) { try await one.checkCapacity(of: "two") }
            let two = try await start("two", "a"), old = try await start("old", nil)
            for node in [one, two, old] { await node.endPlacement() }
            // When no running node uses the former folder any longer, a node with another folder can start, for example
            // after a restoration.
            let later = try await start("one", "b")
            await later.endPlacement()
        }
    }

    @Test
    func `A node lists the running nodes and the node of each store, without room on a draining node`()
        async throws
    {
        try await withServer { server in
            let (one, two) = (try await startNode(server, "one", lease: 1), try await startNode(server, "two"))
            let lease = try await acquireStore("store1", by: two)
            #expect(try await one.findNodes(of: ["store1", "store2"]) == ["store1": "two"])
            await two.releaseStore("store1", lease, isWanted: false)
            #expect(try await one.findNodes(of: ["store1"]).isEmpty)
            #expect(try await two.listNodes().map(\.name) == ["one", "two"])
            one.setDraining(isDraining: true)
            try await waitUntil("the node has no room") {
                try await two.listNodes().first { $0.name == "one" }?.remainingStoreCapacity == 0
            }
            await two.endPlacement()
            await one.endPlacement()
        }
    }

    @Test
    func `A starting node adds the missing column for folders to the table of nodes in PostgreSQL`() async throws {
        try await withServer { server in
            let one = try await startNode(server, "one")
            try server.runSQL("ALTER TABLE sxgw_node DROP COLUMN folder")
            #expect(try await PlacementOverview.readOverview(server.connectionString).nodes.map(\.folderID) == [nil])
            let two = try await startNode(server, "two")
            #expect(
                try await PlacementOverview.readOverview(server.connectionString).nodes.map(\.name) == ["one", "two"]
            )
            await two.endPlacement()
            await one.endPlacement()
        }
    }

    @Test
    func `The error for an SQL statement that PostgreSQL refuses has one line and no password`() async throws {
        try await withServer { server in
            let postgres = Postgres(server.connectionString + " password=secret-word", patience: 10_000)
            await #expect {
                try await postgres.runQuery(#"SELECT "secret-word" FROM pg_class"#)
            } throws: {
                "\($0)" == #"PostgreSQL refuses the statement (SQLSTATE 42703): column "…" does not exist"#
            }
            let long = String(repeating: "x", count: 300)
            await #expect {
                try await postgres.runQuery("DO $$ BEGIN RAISE EXCEPTION E'two\\nlines \(long)'; END $$")
            } throws: {
                let text = "\($0)"
                return text.contains("(SQLSTATE P0001): two lines xxx") && text.hasSuffix("x…") && text.count < 300
            }
            await postgres.closeConnection()
        }
    }

    @Test(arguments: [
        ("host=/run/postgresql user=x dbname=y", true), ("postgresql://x:y@127.0.0.1:5432/z", true), ("sxgw", true),
        ("host=x password=a b", false),
        ("host=x pasword=y", false), ("redis://127.0.0.1", false),
    ])
    func `Only a text that libpq can parse is accepted as a PostgreSQL connection string`(text: String, isOne: Bool) {
        #expect(PostgresPlacement.isConnectionString(text) == isOne)
    }

    @Test
    func `A node that stays without PostgreSQL logs only once that it has lost its stores`() async throws {
        try await withServer { server in
            let recorder = LogRecorder()
            let one = try await PostgresPlacement.registerAndStart(
                .init(connection: server.connectionString, node: "one", owner: "a", lease: 1, load: { (0, 10) }),
                log: recorder.makeLogger()
            )
            let failures = Mutex(0)
            one.onLeaseLoss { failures.withLock { $0 += 1 } }
            try server.stop()
            try await waitUntil("the node has tried again several times") { failures.withLock { $0 } > 4 }
            #expect(recorder.lines.count { $0.message.contains("has lost its stores") } == 1, "\(recorder.lines)")
            let reasons = recorder.lines.filter { $0.message.contains("does not answer") }.map(\.text)
            #expect(!reasons.isEmpty && zip(reasons, reasons.dropFirst()).allSatisfy { $0 != $1 }, "\(reasons)")
            await one.endPlacement()
        }
    }
}
