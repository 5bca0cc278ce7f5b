import JSON
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore

@Suite(.socketTimeLimit) struct DecryptionErrorTests {
    @Test
    func `If messages of a contact cannot be decrypted, sending is refused until the ratchet is renegotiated`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        let ids = (try await firstContactId(of: alice), try await firstContactId(of: bob))
        func converse(_ word: String) async throws {
            try await sendText("\(word) to bob", alice, ids.0)
            try await waitForText("\(word) to bob", bob)
            try await sendText("\(word) to alice", bob, ids.1)
            try await waitForText("\(word) to alice", alice)
        }
        try await converse("first")
        let database = alice.controller.services.agent.database
        let copy = try await database.read { db in try db.firstRow("SELECT ratchet FROM connections")?.blob("ratchet") }
        try await converse("second")
        try await converse("third")
        // The receipt must arrive before the restoration. Afterwards it could not be decrypted, and alice could not
        // send.
        try await alice.waitForStatus("sndRcvd", of: ["third to bob"])
        try await bob.waitForStatus("sndRcvd", of: ["third to alice"])
        // The ratchet is replaced by its copy, as on a device that is restored from a copy.
        try await database.write { db in try db.execute("UPDATE connections SET ratchet = ?", copy) }
        try await sendText("lost", alice, ids.0)
        try await sendText("lost too", alice, ids.0)
        let updated = try await bob.wait(for: "chatItemUpdated")
        let content = updated[0]["chatItem"]?["chatItem"]?["content"]
        #expect(content == ["type": "rcvDecryptionError", "msgDecryptError": "ratchetHeader", "msgCount": 2])
        #expect(
            updated[0]["chatItem"]?["chatItem"]?["meta"]?["itemText"]?.stringValue
                == "decryption error, possibly due to the device change (header, 2 messages)"
        )
        let told = try await bob.wait(for: "contactRatchetSync")
        #expect(told.map { $0["ratchetSyncProgress"]?["ratchetSyncStatus"] } == ["required"])
        let refused = try await sendText("too early", bob, ids.1)
        let error: JSONValue = [
            "type": "CMD", "cmdErr": ["type": "PROHIBITED"], "errContext": "sendMessagesB: send prohibited",
        ]
        #expect(refused["agentError"] == error, "\(refused)")
        // After a restart, the core still knows that the ratchet must be renegotiated.
        await bob.controller.stop()
        try await bob.controller.start()
        #expect(try await sendText("still too early", bob, ids.1)["agentError"]?["type"] == "CMD")
        let texts = try await bob.run("/_get chat @\(ids.1) count=100").itemTexts
        #expect(!texts.contains("too early") && !texts.contains("still too early"))
        #expect(try await bob.run("/_sync @\(ids.1)")["type"] == "contactRatchetSyncStarted")
        try await bob.wait(for: "contactRatchetSync", count: 3)
        try await alice.wait(for: "contactRatchetSync", count: 2)
        try await converse("again")
    }

    @discardableResult
    private func sendText(_ text: String, _ core: Core, _ contact: Int64) async throws -> JSONValue {
        try await core.run(
            #"/_send @\#(contact) json [{"msgContent":{"type":"text","text":"\#(text)"},"mentions":{}}]"#
        )
    }
}
