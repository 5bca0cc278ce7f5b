import ChatProtocol
import JSON
import SimpleXCrypto
import TestSupport
import Testing

@testable import ChatCore

@Suite(.socketTimeLimit) struct ContactMergingTests {
    private let probeBytes = Array("a probe of which nobody else knows".utf8)

    /// Makes two cores that are connected twice: each has two contacts with the same profile.
    private func makeTwiceConnectedCores() async throws -> (alice: Core, bob: Core) {
        let world = try await World()
        let (alice, bob) = (try await world.core("alice"), try await world.core("bob"))
        try await alice.createUser("alice")
        try await bob.createUser("bob")
        for text in ["of the first", "of the second"] {
            try await connectUsers(alice, 1, to: bob, 1)
            let contact = try await alice.run("/_contacts 1")["contacts"]?.arrayValue?.count ?? 0
            try await alice.run("/_send @\(contact) text \(text)")
        }
        return (alice, bob)
    }

    @Test(arguments: [false, true])
    func `Two contacts are merged if a probe arrives over the connection of one contact and its hash over the other`(
        hashFirst: Bool
    ) async throws {
        let (alice, bob) = try await makeTwiceConnectedCores()
        let events: [(ChatMessageEvent, Int64)] = [
            (.infoProbe(probe: Base64URL.encode(probeBytes)), 1),
            (.infoProbeCheck(probeHash: Base64URL.encode(Digest.sha256(probeBytes))), 2),
        ]
        for (event, contact) in hashFirst ? events.reversed() : events {
            try await sendEvent(event, bob, to: contact)
            // The two connections may have different delays, so the test waits for a message over each connection.
            try await bob.run("/_send @\(contact) text sent")
            try await waitForText("sent", alice)
        }
        let merged = try await alice.wait(for: "contactsMerged")[0]
        #expect(merged["intoContact"]?["localDisplayName"] == "bob")
        #expect(merged["mergedContact"]?["localDisplayName"] == "bob_1")
        #expect(merged["updatedContact"]?["contactId"] == 1)
        let contacts = try await alice.run("/_contacts 1")["contacts"]
        #expect(contacts?.arrayValue?.count == 1 && contacts?[0]?["localDisplayName"] == "bob")
        let texts = try await alice.run("/_get chat @1 count=100").itemTexts
        #expect(texts.contains("of the first") && texts.contains("of the second"))
        #expect(try await alice.run("/_get chats 1 pcc=on").chatTypes.count == 1)
        // Messages over both connections still arrive in the merged chat.
        for contact in [1, 2] {
            try await bob.run("/_send @\(contact) text to the one, \(contact)")
            try await waitForText("to the one, \(contact)", alice)
        }
        try await alice.run("/_send @1 text back")
        try await waitForText("back", bob)
        let kept = try await bob.controller.store.read { db in
            try db.query("SELECT 1 FROM messages WHERE chat_msg_event = 'x.info.probe.ok'").count
        }
        #expect(kept == 1)
        try await alice.run("/_delete @1 full notify=on")
        try await bob.wait(for: "contactDeletedByContact", count: 2)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `Contacts are not merged if their profiles differ or the user forbids merging`() async throws {
        let (alice, bob) = try await makeTwiceConnectedCores()
        #expect(try await alice.run("/contact_merge off")["type"] == "cmdOk")
        try await sendEvent(.infoProbe(probe: Base64URL.encode(probeBytes)), bob, to: 1)
        try await sendEvent(.infoProbeCheck(probeHash: Base64URL.encode(Digest.sha256(probeBytes))), bob, to: 2)
        for contact in [1, 2] { try await bob.run("/_send @\(contact) text first \(contact)") }
        for contact in [1, 2] { try await waitForText("first \(contact)", alice) }
        #expect(try await alice.run("/_contacts 1")["contacts"]?.arrayValue?.count == 2)
        try await alice.run("/contact_merge on")
        // The second contact gets another name, so the two contacts no longer have the same profile.
        try await bob.controller.store.write { tx in
            let user = try #require(try UserRecord.find(1, in: tx.db))
            let connection = try #require(try ContactRecord.get(2, user: user, in: tx.db).connection)
            try tx.enqueue(
                ChatMessage(event: .info(profile: ["displayName": "robert", "fullName": ""])),
                to: connection
            )
        }
        try await sendEvent(.infoProbe(probe: Base64URL.encode(probeBytes)), bob, to: 1)
        try await sendEvent(.infoProbeCheck(probeHash: Base64URL.encode(Digest.sha256(probeBytes))), bob, to: 2)
        for contact in [1, 2] { try await bob.run("/_send @\(contact) text second \(contact)") }
        for contact in [1, 2] { try await waitForText("second \(contact)", alice) }
        #expect(try await alice.run("/_contacts 1")["contacts"]?.arrayValue?.count == 2)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `The number of stored probes for merging contacts is limited`() async throws {
        let (alice, bob) = try await makeTwiceConnectedCores()
        for number in 0..<60 { try await sendEvent(.infoProbe(probe: Base64URL.encode([UInt8(number)])), bob, to: 1) }
        try await bob.run("/_send @1 text done")
        try await waitForText("done", alice)
        let count = try await alice.controller.store.read { db in
            try db.firstRow("SELECT count(*) AS n FROM received_probes")?.int64("n") ?? 0
        }
        #expect(count > 0 && count <= 25)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A contact is disabled after the relay has refused ten messages, until the user enables the contact`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        try await bob.run("/_delete @1 full notify=off")
        try await bob.wait(for: "agentConnsDeleted")
        for number in 0..<10 {
            #expect(try await alice.run("/_send @1 text \(number)")["type"] == "newChatItems")
            let told = try await alice.wait(for: "chatError", count: number + 1)
            let connection = told[number]["chatError"]?["connectionEntity_"]?["entityConnection"]?["agentConnId"]
            #expect(try connection == #require(told[number]["chatError"]?["agentConnId"]))
        }
        let disabled = try await alice.wait(for: "contactDisabled")
        #expect(disabled.count == 1 && disabled[0]["contact"]?["activeConn"]?["authErrCounter"] == 10)
        #expect(try await alice.run("/_send @1 text more").errorType == "contactDisabled")
        #expect(try await alice.run("/_enable @1")["type"] == "cmdOk")
        #expect(try await alice.run("/_enable @7").errorType == "contactNotFound")
        #expect(try await alice.run("/_send @1 text again")["type"] == "newChatItems")
        try await alice.wait(for: "chatError", count: 11)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `Custom data that a user sets for a contact are stored and shown with the contact`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        #expect(try await alice.run(#"/_set custom @1 {"ticket":7,"tags":["a"]}"#)["type"] == "cmdOk")
        #expect(try await alice.run("/_info @1")["contact"]?["customData"] == ["ticket": 7, "tags": ["a"]])
        try await alice.run("/_set custom @1")
        #expect(try await alice.run("/_info @1")["contact"]?["customData"] == nil)
        for core in [alice, bob] { await core.controller.close() }
    }
}
