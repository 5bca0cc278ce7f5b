import JSON
import SQLCipher
import Synchronization
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore

/// Limits of a store, and the handling of data above them.
@Suite(.socketTimeLimit) struct StoreLimitTests {
    private func setLimit(_ core: Core, _ resource: StoreLimits.Resource, with more: Int64) async throws {
        core.controller.setLimits(
            StoreLimits([resource: try await core.controller.readStoreFigures().resourceUse[resource] + more])
        )
    }

    private func usedAmount(_ core: Core, _ resource: StoreLimits.Resource) async throws -> Int64 {
        try await core.controller.readStoreFigures().resourceUse[resource]
    }

    /// Returns the texts of the received messages, in order.
    private func receivedTexts(_ core: Core) async throws -> [String] {
        try await core.run("/_get chat @1 count=100").itemTexts.filter { $0.hasPrefix("text ") }
    }

    private func sendTexts(_ core: Core, _ texts: [String]) async throws -> JSONValue {
        let messages = texts.map { #"{"msgContent":{"type":"text","text":"\#($0)"},"mentions":{}}"# }.joined(
            separator: ","
        )
        return try await core.run("/_send @1 live=off ttl=default json [\(messages)]")
    }

    @Test
    func `A command that exceeds the limit of items stores and sends nothing, and a command within the limit succeeds`()
        async throws
    {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        try await setLimit(alice, .items, with: 2)
        let before = try await usedAmount(alice, .items)
        let refused = try await sendTexts(alice, ["text 1", "text 2", "text 3"])
        #expect(refused.errorType == "exception" && refused.text.contains("no room for more"), "\(refused)")
        #expect(try await usedAmount(alice, .items) == before)
        #expect(try await sendTexts(alice, ["text 1", "text 2"])["type"] == "newChatItems")
        #expect(try await sendTexts(alice, ["text 3"]).errorType == "exception")
        try await waitForText("text 2", bob)
        #expect(try await receivedTexts(bob) == ["text 1", "text 2"])
        #expect(try await alice.controller.readStoreFigures().refusalCount == 2)
        // Commands that read and delete still succeed, and free space.
        let item = try #require(try await alice.run("/_get chat @1 count=1").itemIds.first)
        #expect(try await alice.run("/_delete item @1 \(item) internal")["type"] == "chatItemsDeleted")
        #expect(try await sendTexts(alice, ["text 3"])["type"] == "newChatItems")
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `Concurrent commands together do not exceed a store's limit of items`() async throws {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        try await setLimit(alice, .items, with: 5)
        let before = try await usedAmount(alice, .items)
        let sent = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<30 {
                group.addTask { try await sendTexts(alice, ["text \(number)"])["type"] == "newChatItems" }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(sent == 5)
        #expect(try await usedAmount(alice, .items) == before + 5)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `Messages to a full store wait, also through a restart, and arrive once and in order when the store has room`()
        async throws
    {
        let world = try await World(queueQuota: 4)
        let (alice, bob) = try await world.makeConnectedCores()
        try await setLimit(bob, .items, with: 0)
        let full = try await usedAmount(bob, .items)
        // A batch cannot hold two texts of this size. A batch is received completely or waits completely.
        let sent = (0..<12).map { "text \($0) " + String(repeating: "x", count: 9000) }
        for text in sent { #expect(try await sendTexts(alice, [text])["type"] == "newChatItems") }
        try await waitUntil("a message waits for room") {
            try await bob.controller.readStoreFigures().overLimitConnectionCount == 1
        }
        #expect(try await receivedTexts(bob) == [])
        let item = try #require(try await bob.run("/_get chat @1 count=1").itemIds.first)
        #expect(try await bob.run("/_delete item @1 \(item) internal")["type"] == "chatItemsDeleted")
        try await waitForText(sent[0], bob)
        try await waitUntil("the next message waits") {
            try await bob.controller.readStoreFigures().overLimitConnectionCount == 1
        }
        #expect(try await receivedTexts(bob) == [sent[0]])
        #expect(try await usedAmount(bob, .items) == full)
        // The queue has room for four messages, and the sender keeps the other messages.
        await bob.controller.close()
        let again = try await world.core("bob") { $0.storeLimits = StoreLimits([.items: full]) }
        try await waitUntil("the message waits again") {
            try await again.controller.readStoreFigures().overLimitConnectionCount == 1
        }
        #expect(try await receivedTexts(again) == [sent[0]])
        again.controller.setLimits(StoreLimits())
        try await waitForText(sent[11], again)
        #expect(try await receivedTexts(again) == sent)
        #expect(try await again.controller.readStoreFigures().overLimitConnectionCount == 0)
        for core in [alice, again] { await core.controller.close() }
    }

    @Test
    func `A message waits through many starts of a full store, and is shown when the store has room`() async throws {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        try await setLimit(bob, .items, with: 0)
        let full = try await usedAmount(bob, .items)
        #expect(try await sendTexts(alice, ["text 1"])["type"] == "newChatItems")
        var again = bob
        // These are more starts than the attempts after which an event that ends the process is given up.
        for _ in 0..<7 {
            try await waitUntil("the message waits") {
                try await again.controller.readStoreFigures().overLimitConnectionCount == 1
            }
            await again.controller.close()
            again = try await world.core("bob") { $0.storeLimits = StoreLimits([.items: full]) }
        }
        again.controller.setLimits(StoreLimits())
        try await waitForText("text 1", again)
        #expect(try await receivedTexts(again) == ["text 1"])
        for core in [alice, again] { await core.controller.close() }
    }

    @Test
    func `Files with an impossible size are refused, and the total size of files does not overflow`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        bob.controller.setLimits(StoreLimits([.fileBytes: 1 << 40]))
        for size in [Int64.max, Int64.max - 1, 6 << 30, 5 << 30] {
            let file =
                #"{"fileName":"huge.bin","fileSize":\#(size),"fileDescr":{"fileDescrText":"","fileDescrPartNo":0,"fileDescrComplete":false}}"#
            try await alice.sendRaw("x.msg.new", #"{"content":{"type":"file","text":"x"},"file":\#(file)}"#)
        }
        _ = try await sendTexts(alice, ["text 1"])
        try await waitForText("text 1", bob)
        for id in 1...3 { #expect(try await bob.run("/freceive \(id)").errorType == "fileSize") }
        #expect(try await bob.run("/freceive 4")["type"] == "rcvFileAccepted")
        #expect(try await usedAmount(bob, .fileBytes) == 5 << 30)
        // The file has the state in which an earlier version accepted it.
        try await bob.controller.store.write { tx in try tx.db.execute("UPDATE files SET file_path = 'huge.bin'") }
        #expect(try await usedAmount(bob, .fileBytes) == 4 * (5 << 30))
        // The totals follow every change of files.
        for change in [
            "UPDATE files SET file_path = NULL WHERE file_id = 1",
            "UPDATE files SET file_path = 'other.bin', file_size = 3 WHERE file_id = 1",
            "UPDATE files SET file_path = 'again.bin' WHERE file_id = 2", "DELETE FROM files WHERE file_id = 3",
            "DELETE FROM chat_items", "DELETE FROM users",
        ] {
            try await bob.controller.store.write { tx in try tx.db.execute(change) }
            let (kept, counted) = try await bob.controller.store.read { db in
                func totals(_ query: String) throws -> [Int64] {
                    try db.firstRow(query).map { try [$0.int64("files"), $0.int64("bytes")] } ?? []
                }
                let counted =
                    "SELECT count(*) AS files, coalesce(sum(min(max(file_size, 0), \(FileRecord.maxSize))), 0) AS bytes FROM files WHERE file_path IS NOT NULL"
                return (try totals("SELECT files, bytes FROM file_totals"), try totals(counted))
            }
            #expect(kept == counted, "\(change)")
        }
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `At the limit of connections, a new connection is refused without a queue, and a contact request waits`()
        async throws
    {
        let world = try await World()
        let (alice, bob) = try await world.makeStrangers()
        let made = try await bob.run("/_address 1")
        let link = try #require(made["connLinkContact"]?["connFullLink"]?.stringValue, "\(made)")
        try await bob.run(#"/_address_settings 1 {"businessAddress":false,"autoAccept":{"acceptIncognito":false}}"#)
        try await setLimit(bob, .connections, with: 0)
        let queues = try await bob.controller.services.agent.fetchUsersAndConnections().connections.count
        #expect(try await bob.run("/_connect 1 incognito=off").errorType == "exception")
        #expect(try await bob.controller.services.agent.fetchUsersAndConnections().connections.count == queues)
        let joined = try await alice.run("/_connect 1 incognito=off \(link)")
        #expect(joined["type"] == "sentInvitation", "\(joined)")
        try await waitUntil("the request waits") {
            try await bob.controller.readStoreFigures().overLimitConnectionCount == 1
        }
        bob.controller.setLimits(StoreLimits())
        try await bob.wait(for: "contactConnected")
        try await alice.wait(for: "contactConnected")
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A group invitation is not accepted automatically in a store without room for the connection`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await bob.run("/_set accept group invitations 1 on")
        try await setLimit(bob, .connections, with: 0)
        let queues = try await bob.controller.services.agent.fetchUsersAndConnections().connections.count
        try await alice.createGroup()
        try await alice.run("/_add #1 1 member")
        let told = try await bob.wait(for: "receivedGroupInvitation")[0]
        #expect(told["groupInfo"]?["membership"]?["memberStatus"] == "invited")
        #expect(try await bob.controller.services.agent.fetchUsersAndConnections().connections.count == queues)
        bob.controller.setLimits(StoreLimits())
        // The same invitation is sent again.
        try await alice.run("/_add #1 1 member")
        try await bob.wait(for: "userJoinedGroup")
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `If an admin introduces a new member to a full store, the connection waits until the store has room`()
        async throws
    {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        let carol = try await world.core("carol")
        try await carol.createUser("carol")
        try await connectUsers(alice, 1, to: carol, 1)
        try await alice.createGroup()
        try await joinGroup(alice, 1, bob)
        try await setLimit(bob, .connections, with: 0)
        let (used, queues) = (
            try await usedAmount(bob, .connections),
            try await bob.controller.services.agent.fetchUsersAndConnections().connections.count
        )
        try await joinGroup(alice, 2, carol)
        try await waitUntil("the connection to the new member waits") {
            try await bob.controller.store.read { db in
                try db.firstRow("SELECT 1 FROM group_members WHERE step = 'join'") != nil
            }
        }
        // The admin forwards the messages of both members meanwhile.
        try await carol.sendToGroup("forwarded", to: 1)
        try await bob.waitForGroupText("forwarded")
        #expect(try await self.usedAmount(bob, .connections) == used)
        #expect(try await bob.controller.services.agent.fetchUsersAndConnections().connections.count == queues)
        bob.controller.setLimits(StoreLimits())
        try await bob.wait(for: "connectedToGroupMember")
        try await carol.wait(for: "connectedToGroupMember")
        for core in [alice, bob, carol] { await core.controller.close() }
    }

    private func joinGroup(_ alice: Core, _ contact: Int, _ core: Core) async throws {
        try await alice.run("/_add #1 \(contact) member")
        try await core.wait(for: "receivedGroupInvitation")
        try await core.run("/_join #1")
        try await core.wait(for: "userJoinedGroup")
        try await alice.wait(for: "joinedGroupMember", count: contact)
    }

    @Test
    func `A store at its limit of bytes stops growing, and can still be read and emptied`() async throws {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        try await setLimit(alice, .databaseBytes, with: 400_000)
        let text = String(repeating: "abcdefgh ", count: 1500)
        var sent = 0
        while sent < 200, try await sendTexts(alice, ["text \(sent) " + text])["type"] == "newChatItems" { sent += 1 }
        #expect((1..<200).contains(sent))
        let figures = try await alice.controller.readStoreFigures()
        // The size of the agent's database is checked every two seconds.
        #expect(figures.resourceUse[.databaseBytes] < (figures.limits[.databaseBytes] ?? 0) + 400_000)
        #expect(try await alice.run("/_get chat @1 count=10")["type"] == "apiChat")
        #expect(try await alice.run("/_clear chat @1")["type"] == "chatCleared")
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A store's limit of bytes includes the agent's database, also after a restart and if only peers add data`()
        async throws
    {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        let all = try await usedAmount(bob, .databaseBytes)
        await bob.controller.close()
        // The limit is above the size of the chat database and below the size of both databases.
        let again = try await world.core("bob") { $0.storeLimits = StoreLimits([.databaseBytes: all - 8192]) }
        for number in 0..<4 {
            #expect(
                try await sendTexts(alice, ["text \(number) " + String(repeating: "abcdefgh ", count: 1500)])["type"]
                    == "newChatItems"
            )
        }
        try await waitUntil("a message waits for room") {
            try await again.controller.readStoreFigures().overLimitConnectionCount == 1
        }
        again.controller.setLimits(StoreLimits())
        try await waitUntil("all messages have arrived") { try await receivedTexts(again).count == 4 }
        for core in [alice, again] { await core.controller.close() }
    }

    private final class WokenNumbers: Sendable {
        let numbers = Mutex<[Int]>([])
    }

    @Test
    func `When the used space of a store changes, a few waiting tasks are woken, starting with the longest wait`()
        async throws
    {
        let quota = StoreQuota()
        let woken = WokenNumbers()
        let waiting = (0..<40).map { number in
            Task {
                while quota.waiterCount < number { await Task.yield() }
                await quota.waitForSpace(.seconds(60))
                woken.numbers.withLock { $0.append(number) }
            }
        }
        try await waitUntil("all tasks wait") { quota.waiterCount == 40 }
        quota.wakeAfterWrite()
        try await waitUntil("a few tasks are woken") { woken.numbers.withLock { $0.count } == 8 }
        #expect(Set(woken.numbers.withLock { $0 }) == Set(0..<8) && quota.waiterCount == 32)
        quota.wakeAllWaiters()
        for task in waiting { await task.value }
        #expect(quota.waiterCount == 0)
    }

    @Test
    func `A full store refuses all commands that add data, also console commands, and allows reading and deleting`()
        async throws
    {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        alice.controller.setLimits(
            StoreLimits([.items: 0, .connections: 0, .databaseBytes: 0, .files: 0, .fileBytes: 0])
        )
        for text in [
            "@bob hello", "/_connect 1 incognito=off", "/g team",
            #"/_group 1 incognito=off {"displayName":"team","fullName":""}"#,
        ] {
            #expect(try await alice.run(text).text.contains("no room for more"), "\(text)")
        }
        // Settings add bytes to the databases.
        for text in [
            #"/_create tag {"text":"friends"}"#, #"/_save app settings {"privacyAcceptImages":false}"#,
            #"/_set theme @1 {"light":{"mode":"light","colors":{}}}"#, "/_set alias @1 my bob",
        ] {
            let answer = try await alice.run(text)
            #expect(answer.text.contains("no room for more"), "\(text): \(answer)")
        }
        for text in [
            "/_read chat @1", "/_get chat @1 count=1", "/_clear chat @1", "/_delete @1 entity notify=off", "/u",
        ] {
            let answer = try await alice.run(text)
            #expect(!answer.text.contains("no room for more"), "\(text): \(answer)")
        }
        for core in [alice, bob] { await core.controller.close() }
    }
}
