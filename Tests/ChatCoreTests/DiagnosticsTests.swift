import ChatAPI
import Dispatch
import JSON
import TestSupport
import Testing

@testable import ChatCore

/// Diagnostic answers of the core, in the form recorded in `diagnostics`.
@Suite(.socketTimeLimit) struct DiagnosticsTests {
    private func recordedAnswer(_ command: String) throws -> JSONValue {
        let frames = try Fixture.readTranscript("diagnostics")
        let corrId = try #require(frames.first { $0["cmd"]?.stringValue == command }?["corrId"])
        return try #require(frames.first { $0["dir"] == "resp" && $0["corrId"] == corrId }?["json"])
    }

    @Test
    func `The summary of servers has the JSON members of the original's summary, and only a reset clears its counts`()
        async throws
    {
        let world = try await World()
        var (alice, bob) = (try await world.core("alice"), try await world.core("bob"))
        try await alice.createUser("alice")
        try await bob.createUser("bob")
        try await connectUsers(alice, 1, to: bob, 1)
        try await bob.run(
            #"/_send @1 live=off ttl=default json [{"msgContent":{"type":"text","text":"hi"},"mentions":{}}]"#
        )
        try await waitForText("hi", alice)
        let total = try await alice.run("/get subs total 1")
        #expect(total["subsTotal"] == ["ssActive": 1, "ssPending": 0])
        #expect(total["hasSession"] == true)
        let summary = try #require(try await alice.run("/get servers summary 1")["serversSummary"])
        let original = try #require(try recordedAnswer("/get servers summary 1")["serversSummary"])
        #expect(memberNames(summary) == memberNames(original))
        let server = summary["currentUserSMP"]?["currentlyUsedSMPServers"]?[0]
        #expect(server?["smpServer"]?.stringValue == world.relay.address.str)
        #expect(server?["known"] == true)
        #expect(server?["sessions"] == ["ssConnected": 1, "ssErrors": 0, "ssConnecting": 0])
        #expect(server?["stats"]?["_connCreated"] == 1)
        #expect((server?["stats"]?["_recvMsgs"]?.integerValue ?? 0) > 0)
        #expect((server?["stats"]?["_sentDirect"]?.integerValue ?? 0) > 0)
        #expect(summary["allUsersSMP"]?["currentlyUsedSMPServers"]?[0]?["known"] == nil)
        #expect(try await alice.run("/get servers summary 9").errorType == "differentActiveUser")
        await bob.controller.close()
        await alice.controller.close()
        alice = try await world.core("alice")
        let kept = try await alice.run("/get servers summary 1")["serversSummary"]
        #expect(kept?["currentUserSMP"]?["smpTotals"]?["stats"]?["_connCreated"] == 1)
        #expect(try await alice.run("/reset servers stats") == ["type": "cmdOk"])
        let fresh = try await alice.run("/get servers summary 1")["serversSummary"]
        #expect(fresh?["currentUserSMP"]?["smpTotals"]?["stats"]?["_connCreated"] == 0)
        await alice.controller.close()
        bob = alice
    }

    /// Returns the names of JSON members at all depths, without the names inside list elements.
    private func memberNames(_ value: JSONValue) -> Set<String> {
        var names: Set<String> = []
        for (key, member) in value.objectValue ?? JSONObject() {
            names.insert(key)
            for inner in self.memberNames(member) { names.insert("\(key).\(inner)") }
        }
        return names
    }

    @Test
    func `Diagnostic commands show the state of a contact's queue and of the network connection to its relay`()
        async throws
    {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        let info = try #require(try await alice.run("/_queue info @1")["queueInfo"])
        #expect(info["server"]?.stringValue == world.relay.address.str)
        #expect(info["info"]?["qiSnd"] == true && info["info"]?["qiNtf"] == false && info["info"]?["qiSize"] == 0)
        #expect(info["info"]?["qiSub"]?["qSubThread"] == "noSub")
        #expect(try await alice.run("/_queue info @99").errorType == "contactNotFound")
        let statuses = try await alice.run("/_network_statuses")["networkStatuses"]
        #expect(statuses?.arrayValue?.map { $0["networkStatus"] } == [["type": "connected"]])
        await world.relay.stopAndWait()
        try await alice.waitForSubscription("pending")
        let lost = try await alice.run("/_network_statuses")["networkStatuses"]
        #expect(lost?.arrayValue?.map { $0["networkStatus"] } == [["type": "disconnected"]])
        #expect(try await alice.run("/get subs total 1")["subsTotal"] == ["ssActive": 0, "ssPending": 1])
        #expect(try await alice.run("/get subs total 1")["hasSession"] == false)
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `Answers about workers, locks and subscriptions have the JSON members of the original's answers`() async throws
    {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        for command in ["/get workers", "/debug locks"] {
            let (answer, recorded) = (try await alice.run(command), try recordedAnswer(command))
            let missing = memberNames(recorded).subtracting(memberNames(answer))
            #expect(answer["type"] == recorded["type"] && missing.isEmpty, "\(answer)")
        }
        let details = try await alice.run("/get workers details")
        let recorded = try #require(try recordedAnswer("/get workers details")["agentWorkersDetails"]?.objectValue)
        #expect(details["agentWorkersDetails"]?.objectValue?.keys.sorted() == recorded.keys.sorted())
        let relay = world.relay.address.withoutPassword.str
        #expect(
            try await alice.run("/get subs") == [
                "type": "agentSubs", "activeSubs": .object([relay: 1]), "pendingSubs": [:], "removedSubs": [:],
            ]
        )
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `The report of a worker that cannot send contains its relay, waiting messages, next attempt and error`()
        async throws
    {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        await world.relay.stopAndWait()
        try await alice.run("/_send @1 text waits")
        var found: WorkerReport?
        try await waitUntil("a worker waits for its next attempt") {
            found = alice.controller.workerReports.first {
                $0.kind == "delivery" && $0.lastError != nil && $0.nextAttempt != nil
            }
            return found != nil
        }
        let worker = try #require(found)
        #expect(worker.state == "waitingToRetry")
        #expect(worker.server == world.relay.address.withoutPassword.str && worker.connection != nil)
        #expect(worker.waitingCount > 0 && worker.lastError != nil)
        let (since, next) = (try #require(worker.waitingSince), try #require(worker.nextAttempt))
        #expect(since <= next)
        let summary = try await alice.run("/get workers")["agentWorkersSummary"]
        #expect((summary?["smpDeliveryWorkersCount"]?["numActive"]?.integerValue ?? 0) > 0)
        try await waitUntil("a queue waits for its subscription") {
            alice.controller.workerReports.contains { $0.kind == "subscription" && $0.waitingCount == 1 }
        }
        await alice.controller.close()
        await bob.controller.close()
        #expect(alice.controller.workerReports.isEmpty)
    }

    @Test
    func `The report of waiting tasks contains a write that waits for the database`() async throws {
        let alice = try await World().core("alice")
        #expect(alice.controller.waitReport.chatDatabase.writes.waitingCount == 0)
        let (entered, release) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
        let first = Task {
            try await alice.controller.store.write { _ in
                entered.continuation.finish()
                release.wait()
            }
        }
        for await _ in entered.stream {}
        let second = Task { try await alice.controller.store.write { _ in } }
        // Workers of the store may write too, so more than one write may wait.
        try await waitUntil("the second write waits") {
            alice.controller.waitReport.chatDatabase.writes.waitingCount >= 1
        }
        let waits = alice.controller.waitReport
        #expect(waits.chatDatabase.writes.runningCount == 1 && waits.chatDatabase.writes.longestWait > .zero)
        #expect(waits.lifecycleLock.runningCount == 0 && waits.agentDatabase.writes.waitingCount == 0)
        release.signal()
        try await first.value
        try await second.value
        await alice.controller.close()
    }

    @Test
    func `The version command shows the migrations of the chat database and of the agent database`() async throws {
        let alice = try await World().core("alice")
        let answer = try await alice.run("/version")
        #expect(memberNames(answer) == memberNames(try recordedAnswer("/version")))
        for database in ["chat", "agent"] {
            let first = answer["\(database)Migrations"]?[0]
            #expect(first == ["upName": .string("\(database)_0001_first"), "withDown": false], "\(answer)")
        }
        await alice.controller.close()
    }

    @Test
    func `The command '/_connections diff' lists connections that exist in only one of the two databases`() async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        let nothing: JSONValue = ["missingIds": [], "extraIds": []]
        try await alice.run("/_address 1")
        let same = try await alice.run("/_connections diff show_ids=on")
        #expect(same["showIds"] == true && same["userIds"] == nothing && same["connIds"] == nothing)
        try await alice.controller.store.write { tx in
            try tx.db.execute("UPDATE connections SET agent_conn_id = 'other' WHERE contact_id IS NOT NULL")
        }
        let differing = try await alice.run("/_connections diff")
        #expect(differing["showIds"] == false && differing["connIds"]?["missingIds"] == ["b3RoZXI="])
        #expect(differing["connIds"]?["extraIds"]?.arrayValue?.count == 1 && differing["userIds"] == nothing)
        #expect(try await bob.run("/_resubscribe all") == ["type": "cmdOk"])
        _ = try await bob.waitForSubscription("active")
        await alice.controller.close()
        await bob.controller.close()
    }
}
