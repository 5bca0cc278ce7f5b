import ChatAPI
import Foundation
import JSON
import SQLCipher
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore

/// Requests with an idempotency key whose command was interrupted between two commits, as by a kill of the process. The
/// request is repeated after the next start. A trigger in the database makes the interruption: the statement that it
/// names fails, and nothing is executed after it.
@Suite(.socketTimeLimit) struct RepeatedRequestTests {
    /// The place at which a command is interrupted.
    private enum InterruptedStatement {
        static let memberUpdate = "BEFORE UPDATE ON group_members"
        /// The statement that inserts the second delivery. The delivery to the first member then exists already.
        static let secondDelivery = "BEFORE INSERT ON deliveries WHEN (SELECT count(*) FROM deliveries) > 0"
        static let answerStore = "BEFORE INSERT ON requests WHEN NEW.answer IS NOT NULL"
        static let connectionInsert = "BEFORE INSERT ON connections"
        /// Only the status that the command sets for the connection, not the status set by the peer's answer.
        static let connectionStatusUpdate =
            "BEFORE UPDATE OF conn_status ON connections WHEN NEW.conn_status IN ('joined', 'snd-ready')"
    }

    private func makeClaim(_ number: UInt8) -> RequestClaim {
        RequestClaim(requestID: [number], fingerprint: [number]) { try JSONEncoder().encode($0) }
    }

    /// Runs a command that is interrupted, stops the core and opens it again.
    private func runInterrupted(
        _ command: String,
        at place: String,
        _ name: String,
        _ core: Core,
        in world: World,
        before reopening: () async throws -> Void = {}
    ) async throws -> Core {
        let database = core.controller.store.database
        try await database.write { try $0.execute("CREATE TRIGGER cut \(place) BEGIN SELECT RAISE(ABORT, 'cut'); END") }
        let context = CommandContext(try ChatCommand(parsing: command), claim: makeClaim(1))
        _ = await core.controller.send(context.command, as: 1, with: .all, in: context)
        #expect(
            try await core.controller.findStoredRequest([1])?.answer == nil,
            "the command was completed: \(command)"
        )
        try await reopening()
        try await database.write { try $0.execute("DROP TRIGGER cut") }
        await core.controller.close()
        return try await world.core(name)
    }

    /// Repeats the request twice. The second repetition returns the stored answer.
    private func repeatRequestTwice(_ command: String, _ core: Core) async throws -> JSONValue {
        let context = CommandContext(try ChatCommand(parsing: command), claim: makeClaim(1))
        let result = await core.controller.send(context.command, as: 1, with: .all, in: context)
        guard case .result(let response) = result else {
            Issue.record("\(command): \(result)")
            return .null
        }
        let stored = try #require(try await core.controller.findStoredRequest([1]))
        let expected: [UInt8] = try JSONEncoder().encode(response)
        #expect(stored.fingerprint == [1] && stored.answer == expected)
        return try JSONEncoder().encodeValue(response)
    }

    private func countRows(_ table: String, _ core: Core) async throws -> Int64? {
        try await core.controller.store.read { try $0.firstRow("SELECT count(*) AS n FROM \(table)")?.int64("n") }
    }

    /// Counts rows in the agent's database.
    private func countAgentRows(_ table: String, _ name: String, in world: World) async throws -> Int64? {
        let path = world.directory.appending(path: name).path + "/simplex_v1_agent.db"
        let database = try await Database.open(
            at: path,
            key: World.databaseKey(of: name),
            create: false,
            migrates: false
        )
        let count = try await database.read { try $0.firstRow("SELECT count(*) AS n FROM \(table)")?.int64("n") }
        await database.close()
        return count
    }

    @Test
    func `If the answer to a request cannot be stored, only the repeated request sends the message, and sends it once`()
        async throws
    {
        let world = try await World()
        let (before, bob) = try await world.makeStrangers()
        var alice = before
        try await connectUsers(alice, 1, to: bob, 1)
        let command = "/_send @1 text hello"
        let count = try await countRows("chat_items", alice)
        alice = try await runInterrupted(command, at: InterruptedStatement.answerStore, "alice", alice, in: world)
        #expect(try await countRows("chat_items", alice) == count)
        #expect(try await repeatRequestTwice(command, alice)["type"] == "newChatItems")
        try await waitForText("hello", bob)
        #expect(try await bob.run("/_get chat @1 count=20").itemTexts.count { $0 == "hello" } == 1)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test(arguments: [
        (#"/_create tag {"text":"family"}"#, "chat_tags"),
        (#"/_create *1 json [{"msgContent":{"type":"text","text":"note"},"mentions":{}}]"#, "chat_items"),
    ])
    func `A command with a single transaction has no effect if its answer cannot be stored`(
        command: String,
        table: String
    ) async throws {
        let world = try await World()
        var alice = try await world.core("alice")
        try await alice.createUser("alice")
        alice = try await runInterrupted(command, at: InterruptedStatement.answerStore, "alice", alice, in: world)
        #expect(try await countRows(table, alice) == 0)
        _ = try await repeatRequestTwice(command, alice)
        #expect(try await countRows(table, alice) == 1)
        await alice.controller.close()
    }

    @Test
    func `If a request is interrupted, its repetition returns the first request's invitation, which can be used`()
        async throws
    {
        let world = try await World()
        let (before, bob) = try await world.makeStrangers()
        var alice = before
        let command = "/_connect 1 incognito=on"
        alice = try await runInterrupted(command, at: InterruptedStatement.connectionInsert, "alice", alice, in: world)
        let link = try #require(try await repeatRequestTwice(command, alice)["connLinkInvitation"])
        for name in ["connFullLink", "connShortLink"] { #expect(link[name]?.stringValue?.isEmpty == false) }
        let short = try #require(link["connShortLink"]?.stringValue)
        let plan = try await bob.run("/_connect plan 1 \(short)")
        // The link data contain the profile of the answer.
        let shown = plan["connectionPlan"]?["invitationLinkPlan"]?["contactSLinkData_"]?["profile"]?["displayName"]
        #expect(plan["connLink"]?["connFullLink"] != nil && shown != nil && shown != "alice", "\(plan)")
        #expect(try await bob.run("/_connect 1 incognito=off \(short)")["type"] == "sentConfirmation")
        for core in [alice, bob] { try await core.wait(for: "contactConnected") }
        let name = try await bob.run("/_contacts 1")["contacts"]?[0]?["localDisplayName"]
        #expect(name == shown)
        for core in [alice, bob] { await core.controller.close() }
        #expect(try await countAgentRows("connections", "alice", in: world) == 1)
    }

    @Test(arguments: [
        InterruptedStatement.connectionInsert, InterruptedStatement.connectionStatusUpdate,
        InterruptedStatement.answerStore,
    ])
    func `A group is joined once if the request is interrupted at any step and then repeated`(
        place: String
    ) async throws {
        let world = try await World()
        let (alice, before) = try await world.makeConnectedCores()
        var bob = before
        try await alice.createGroup()
        try await alice.run("/_add #1 1 member")
        try await bob.wait(for: "receivedGroupInvitation")
        bob = try await runInterrupted("/_join #1", at: place, "bob", bob, in: world) { [bob] in
            // The peer reacts before the repetition.
            if place == InterruptedStatement.answerStore { try await bob.wait(for: "userJoinedGroup") }
        }
        let answer = try await repeatRequestTwice("/_join #1", bob)
        #expect(answer["type"] == "userAcceptedGroupSent", "\(answer)")
        try await alice.wait(for: "joinedGroupMember")
        try await bob.wait(for: "userJoinedGroup")
        try await bob.sendToGroup("in the group", to: 1)
        try await alice.waitForGroupText("in the group")
        for core in [alice, bob] { await core.controller.close() }
        // The agent keeps the keys of a connection link that the interrupted request has not stored. They have no
        // queue.
        #expect(
            try await countAgentRows("connections", "bob", in: world)
                == (place == InterruptedStatement.connectionInsert ? 3 : 2)
        )
    }

    @Test(arguments: [InterruptedStatement.connectionInsert, InterruptedStatement.answerStore])
    func `A contact is invited to a group once if the request is interrupted at any step and then repeated`(
        place: String
    ) async throws {
        let world = try await World()
        let (before, bob) = try await world.makeConnectedCores()
        var alice = before
        try await alice.createGroup()
        alice = try await runInterrupted("/_add #1 1 member", at: place, "alice", alice, in: world)
        #expect(try await repeatRequestTwice("/_add #1 1 member", alice)["type"] == "sentGroupInvitation")
        try await bob.wait(for: "receivedGroupInvitation")
        try await bob.run("/_join #1")
        try await alice.wait(for: "joinedGroupMember")
        #expect(try await alice.run("/_members #1")["group"]?["members"]?.arrayValue?.count == 1)
        for core in [alice, bob] { await core.controller.close() }
        #expect(try await countAgentRows("connections", "alice", in: world) == 2)
    }

    @Test(
        arguments: [
            "/_member role #1 3 moderator", "/_remove #1 3", "/_remove #1 3 messages=on", "/_block #1 3 blocked=on",
        ],
        [InterruptedStatement.memberUpdate, InterruptedStatement.secondDelivery, InterruptedStatement.answerStore]
    )
    func `If a request about a member is interrupted and repeated, all members see the same result`(
        command: String,
        place: String
    ) async throws {
        let trio = try await Trio()
        let bob = trio.bob
        let alice = try await runInterrupted(command, at: place, "alice", trio.alice, in: trio.world)
        #expect(
            try await bob.memberProperties().allSatisfy {
                $0["role"] != "moderator" && $0["blocked"] != true && $0["status"] != "removed"
            }
        )
        _ = try await repeatRequestTwice(command, alice)
        try await alice.sendToGroup("after it", to: 1)
        try await bob.waitForGroupText("after it")
        // Alice, Bob and Carol have the same data of Carol.
        let carolID = try await trio.carol.run("/_info #1")["groupInfo"]?["membership"]?["memberId"]
        let (seen, known) = (
            try await alice.memberProperties().first { $0["id"] == carolID },
            try await bob.memberProperties().first { $0["id"] == carolID }
        )
        #expect(
            seen?["role"] == known?["role"] && seen?["blocked"] == known?["blocked"],
            "\(seen ?? .null) \(known ?? .null)"
        )
        if command.hasPrefix("/_remove") {
            for member in [seen, known] {
                #expect(member == nil || member?["status"] == "removed", "\(member ?? .null)")
            }
            try await trio.carol.wait(for: "deletedMemberUser")
        } else {
            try await trio.carol.waitForGroupText("after it")
        }
        let events = try await bob.events().count {
            ["memberRole", "deletedMember", "memberBlockedForAll"].contains($0.event["type"]?.stringValue)
        }
        #expect(events == 1)
        for core in [alice, bob, trio.carol] { await core.controller.close() }
    }

    @Test(arguments: [
        InterruptedStatement.connectionInsert, InterruptedStatement.connectionStatusUpdate,
        InterruptedStatement.answerStore,
    ])
    func `An invitation is joined once if the request is interrupted at any step and then repeated`(
        place: String
    ) async throws {
        let world = try await World()
        let (alice, before) = try await world.makeStrangers()
        var bob = before
        let link = try #require(
            try await alice.run("/_connect 1 incognito=off")["connLinkInvitation"]?["connShortLink"]?.stringValue
        )
        let command = "/_connect 1 incognito=off \(link)"
        bob = try await runInterrupted(command, at: place, "bob", bob, in: world) { [bob] in
            // The peer reacts before the repetition.
            if place == InterruptedStatement.answerStore { try await bob.wait(for: "contactConnected") }
        }
        let answer = try await repeatRequestTwice(command, bob)
        #expect(answer["type"] == "sentConfirmation", "\(answer)")
        for core in [alice, bob] {
            try await core.wait(for: "contactConnected")
            #expect(try await core.run("/_contacts 1")["contacts"]?.arrayValue?.count == 1)
            #expect(try await countRows("connections", core) == 1)
            await core.controller.close()
        }
    }

    @Test(arguments: [InterruptedStatement.connectionStatusUpdate, InterruptedStatement.answerStore])
    func `A contact request to an address is sent once if the command is interrupted at any step and then repeated`(
        place: String
    ) async throws {
        let world = try await World()
        let (alice, before) = try await world.makeStrangers()
        var bob = before
        let link = try #require(try await alice.run("/_address 1")["connLinkContact"]?["connFullLink"]?.stringValue)
        let command = "/_connect 1 incognito=off \(link)"
        bob = try await runInterrupted(command, at: place, "bob", bob, in: world) {
            if place == InterruptedStatement.answerStore {
                let request = try await alice.wait(for: "receivedContactRequest")[0]
                try await alice.run(
                    "/_accept incognito=off \(request["contactRequest"]?["contactRequestId"]?.integerValue ?? 0)"
                )
                try await alice.wait(for: "contactConnected")
            }
        }
        let answer = try await repeatRequestTwice(command, bob)
        #expect(answer["type"] == "sentInvitation", "\(answer)")
        try await alice.wait(for: "receivedContactRequest")
        #expect(try await countRows("contact_requests", alice) == 1)
        #expect(try await countRows("connections", bob) == 1)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `The first message to a prepared contact is sent once, even if the command is interrupted after the join`()
        async throws
    {
        let world = try await World()
        let (alice, before) = try await world.makeStrangers()
        var bob = before
        let link = try #require(try await alice.run("/_connect 1 incognito=off")["connLinkInvitation"])
        let (short, full) = (
            try #require(link["connShortLink"]?.stringValue), try #require(link["connFullLink"]?.stringValue)
        )
        let data = try #require(
            try await bob.run("/_connect plan 1 \(short)")["connectionPlan"]?["invitationLinkPlan"]?[
                "contactSLinkData_"
            ]
        )
        #expect(try await bob.run("/_prepare contact 1 \(full) \(short) \(data.text)")["type"] == "newPreparedChat")
        let command = #"/_connect contact @1 incognito=off json {"type":"text","text":"found your link"}"#
        bob = try await runInterrupted(command, at: InterruptedStatement.answerStore, "bob", bob, in: world)
        #expect(try await repeatRequestTwice(command, bob)["type"] == "startedConnectionToContact")
        for core in [alice, bob] { try await core.wait(for: "contactConnected") }
        try await waitForText("found your link", alice)
        #expect(try await bob.run("/_get chat @1 count=20").itemTexts.count { $0 == "found your link" } == 1)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test(arguments: ["BEFORE INSERT ON users", InterruptedStatement.answerStore])
    func `A repeated command creates a user once, even if the agent has already created the user`(
        place: String
    ) async throws {
        let world = try await World()
        var alice = try await world.core("alice")
        let command = #"/_create user {"profile":{"displayName":"alice","fullName":""},"pastTimestamp":false}"#
        alice = try await runInterrupted(command, at: place, "alice", alice, in: world)
        #expect(try await countRows("users", alice) == 0)
        #expect(try await repeatRequestTwice(command, alice)["type"] == "activeUser")
        #expect(try await countRows("users", alice) == 1)
        // An invitation needs a relay, so this answer shows that the agent knows the relays of the user.
        #expect(try await alice.run("/_connect 1 incognito=off")["type"] == "invitation")
        await alice.controller.close()
        #expect(try await countAgentRows("users", "alice", in: world) == 1)
    }

    @Test(arguments: ["BEFORE INSERT ON user_addresses", InterruptedStatement.answerStore])
    func `A repeated command to create an address keeps the address that the agent has already created`(
        place: String
    ) async throws {
        let world = try await World()
        let (before, bob) = try await world.makeStrangers()
        var alice = before
        alice = try await runInterrupted("/_address 1", at: place, "alice", alice, in: world)
        let link = try #require(try await repeatRequestTwice("/_address 1", alice)["connLinkContact"])
        #expect(try await alice.run("/_show_address 1")["contactLink"]?["connLinkContact"] == link)
        let short = try #require(link["connShortLink"]?.stringValue)
        #expect(try await bob.run("/_connect 1 incognito=off \(short)")["type"] == "sentInvitation")
        try await alice.wait(for: "receivedContactRequest")
        for core in [alice, bob] { await core.controller.close() }
        #expect(try await countAgentRows("connections WHERE is_address = 1", "alice", in: world) == 1)
    }

    @Test
    func `If the rejection of a contact request is interrupted, the repeated command rejects the request`() async throws
    {
        let world = try await World()
        let (before, bob) = try await world.makeStrangers()
        var alice = before
        let link = try #require(try await alice.run("/_address 1")["connLinkContact"]?["connFullLink"]?.stringValue)
        try await bob.run("/_connect 1 incognito=off \(link)")
        try await alice.wait(for: "receivedContactRequest")
        alice = try await runInterrupted(
            "/_reject 1",
            at: "BEFORE DELETE ON contact_requests",
            "alice",
            alice,
            in: world
        )
        #expect(try await repeatRequestTwice("/_reject 1", alice)["type"] == "contactRequestRejected")
        #expect(try await countRows("contact_requests", alice) == 0)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test(arguments: ["/_switch @1", "/_sync @1 force=on"])
    func `A change of a queue or a ratchet is started once if the answer is lost and the request is repeated`(
        command: String
    ) async throws {
        let world = try await World()
        let (before, bob) = try await world.makeStrangers()
        var alice = before
        try await connectUsers(alice, 1, to: bob, 1)
        let isSwitch = command.hasPrefix("/_switch")
        alice = try await runInterrupted(command, at: InterruptedStatement.answerStore, "alice", alice, in: world) {
            [alice] in
            if isSwitch {
                try await alice.wait(for: "contactSwitch", count: 4)
            } else {
                try await alice.wait(for: "contactRatchetSync", count: 2)
            }
        }
        let answer = try await repeatRequestTwice(command, alice)
        #expect(
            answer["type"]?.stringValue == (isSwitch ? "contactSwitchStarted" : "contactRatchetSyncStarted"),
            "\(answer)"
        )
        try await alice.run("/_send @1 text after")
        try await waitForText("after", bob)
        let begun = try await alice.run("/_get chat @1 count=50").itemTexts.count {
            $0.hasPrefix(isSwitch ? "started changing" : "connection synchronization started")
        }
        #expect(begun == 1)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `An archive is written once if the answer to the export is lost and the request is repeated`() async throws {
        let world = try await World()
        var alice = try await world.core("alice", started: false)
        let path = world.directory.path + "/archive.zip"
        let command = #"/_db export {"archivePath":"\#(path)"}"#
        alice = try await runInterrupted(command, at: InterruptedStatement.answerStore, "alice", alice, in: world)
        let written = try #require(FileManager.default.contents(atPath: path))
        #expect(try await repeatRequestTwice(command, alice)["type"] == "archiveExported")
        #expect(FileManager.default.contents(atPath: path) == written)
        // Another request does not get the archive as its result.
        #expect(try await alice.run(command)["type"] == "error")
        await alice.controller.close()
    }

    @Test
    func `An imported store contains the answer to the request that imported it`() async throws {
        let world = try await World()
        var alice = try await world.core("alice", started: false)
        try await alice.createUser("alice")
        let path = world.directory.path + "/archive.zip"
        try await alice.run(#"/_db export {"archivePath":"\#(path)"}"#)
        let command = #"/_db import {"archivePath":"\#(path)"}"#
        let context = CommandContext(try ChatCommand(parsing: command), claim: makeClaim(1))
        let result = await alice.controller.send(context.command, with: .all, in: context)
        guard case .result(let response) = result else {
            Issue.record("\(result)")
            return
        }
        let expected: [UInt8] = try JSONEncoder().encode(response)
        await alice.controller.close()
        alice = try await world.core("alice", started: false)
        #expect(try await alice.controller.findStoredRequest([1])?.answer == expected)
        await alice.controller.close()
    }
}
