import JSON
import SimpleXCrypto
import TestSupport
import Testing

@testable import ChatCore

/// Members of a group who are also contacts. Probes show that they are the same person.
@Suite(.socketTimeLimit) struct MemberAssociationTests {
    private let probeBytes = Array("a probe of which nobody else knows".utf8)

    @Test
    func `A new contact who is already a group member is linked with the member, and gets the member's name`()
        async throws
    {
        let trio = try await Trio()
        try await connectUsers(trio.bob, 1, to: trio.carol, 1)
        for (core, name) in [(trio.bob, "carol"), (trio.carol, "bob")] {
            let event = try await core.wait(for: "contactAndMemberAssociated")[0]
            #expect(event["contact"]?["localDisplayName"]?.stringValue == name + "_1")
            #expect(event["member"]?["localDisplayName"]?.stringValue == name)
            #expect(event["member"]?["memberContactId"] == nil)
            #expect(event["updatedContact"]?["localDisplayName"]?.stringValue == name)
            #expect(event["groupInfo"]?["localDisplayName"] == "team")
            try await expectSameProfile(core, name)
        }
        // When the contact changes the name, the member gets the new name, too.
        try await trio.carol.run(#"/_profile 1 {"displayName":"caroline","fullName":""}"#)
        try await trio.bob.wait(for: "contactUpdated")
        #expect(
            try await listMembers(trio.bob).contains {
                $0["localDisplayName"] == "caroline" && $0["memberContactId"] == 2
            }
        )
        // If the contact is deleted, the member keeps the name.
        try await trio.bob.run("/_delete @2 full notify=off")
        #expect(
            try await listMembers(trio.bob).contains {
                $0["localDisplayName"] == "caroline" && $0["memberContactId"] == nil
            }
        )
        await trio.close()
    }

    @Test
    func `A new member who is already a contact is linked with the contact, and gets the contact's name`() async throws
    {
        let world = try await World()
        let (alice, bob, carol) = (
            try await world.core("alice"), try await world.core("bob"), try await world.core("carol")
        )
        for (core, name) in [(alice, "alice"), (bob, "bob"), (carol, "carol")] { try await core.createUser(name) }
        try await connectUsers(alice, 1, to: bob, 1)
        try await connectUsers(alice, 1, to: carol, 1)
        try await connectUsers(bob, 1, to: carol, 1)
        try await alice.createGroup()
        for (number, core) in [bob, carol].enumerated() {
            try await alice.run("/_add #1 \(number + 1) member")
            try await core.wait(for: "receivedGroupInvitation")
            try await core.run("/_join #1")
            try await core.wait(for: "userJoinedGroup")
            try await alice.wait(for: "joinedGroupMember", count: number + 1)
        }
        for (core, name) in [(bob, "carol"), (carol, "bob")] {
            let event = try await core.wait(for: "contactAndMemberAssociated")[0]
            #expect(event["contact"]?["localDisplayName"]?.stringValue == name)
            #expect(event["member"]?["localDisplayName"]?.stringValue == name + "_1")
            try await expectSameProfile(core, name)
        }
        // Alice has invited contacts, so she already knew that they are the members.
        #expect(try await alice.events().contains { $0.event["type"] == "contactAndMemberAssociated" } == false)
        for core in [alice, bob, carol] { await core.controller.close() }
    }

    private func listMembers(_ core: Core) async throws -> [JSONValue] {
        try await core.run("/_members #1")["group"]?["members"]?.arrayValue ?? []
    }

    /// Expects that contact and member have the same name and profile, and that nobody has the other name.
    private func expectSameProfile(_ core: Core, _ name: String) async throws {
        let contact = try #require(
            try await core.run("/_contacts 1")["contacts"]?.arrayValue?.first {
                $0["localDisplayName"]?.stringValue == name
            }
        )
        let member = try #require(try await listMembers(core).first { $0["localDisplayName"]?.stringValue == name })
        #expect(member["memberContactId"] == contact["contactId"])
        #expect(member["memberContactProfileId"] == contact["profile"]?["profileId"])
        let names = try await core.controller.store.read { db in
            try db.query("SELECT local_display_name FROM display_names WHERE ldn_base = ?", name).map {
                try $0.string(0)
            }
        }
        #expect(names == [name])
    }

    @Test(arguments: ["incognito", "other", "answer"])
    func `A hostile probe cannot link a contact with a group member`(_ attack: String) async throws {
        let trio = try await Trio()
        try await trio.bob.run("/contact_merge off")
        try await trio.carol.run("/contact_merge off")
        try await connectUsers(trio.bob, 1, to: trio.carol, 1)
        for (core, contact) in [(trio.bob, 2), (trio.carol, 2)] { try await core.run("/_send @\(contact) text hello") }
        for core in [trio.bob, trio.carol] { try await waitForText("hello", core) }
        try await trio.bob.run("/contact_merge on")
        switch attack {
        case "incognito":
            // Simulates that Bob has joined the group with another profile.
            try await trio.bob.controller.store.write { tx in
                try tx.db.execute(
                    "UPDATE group_members SET incognito_profile_id = contact_profile_id WHERE member_category = 'user'"
                )
            }
            try await trio.carol.sendToMembers([("x.info.probe", #"{"probe":"\#(Base64URL.encode(probeBytes))"}"#)])
            try await sendEvent(
                .infoProbeCheck(probeHash: Base64URL.encode(Digest.sha256(probeBytes))),
                trio.carol,
                to: 2
            )
        case "other":
            // Carol sends another name to her contact than to the group.
            try await sendEvent(.info(profile: ["displayName": "alice", "fullName": ""]), trio.carol, to: 2)
            try await trio.carol.sendToMembers([("x.info.probe", #"{"probe":"\#(Base64URL.encode(probeBytes))"}"#)])
            try await sendEvent(
                .infoProbeCheck(probeHash: Base64URL.encode(Digest.sha256(probeBytes))),
                trio.carol,
                to: 2
            )
        default:
            // Carol confirms a probe that Bob did not send, and sends malformed probes: no Base64, a number, a check
            // without a hash, and 5000 bytes.
            try await trio.carol.sendToMembers([
                ("x.info.probe.ok", #"{"probe":"\#(Base64URL.encode(probeBytes))"}"#),
                ("x.info.probe", #"{"probe":"no base64!"}"#), ("x.info.probe", #"{"probe":7}"#),
                ("x.info.probe.check", "{}"),
                ("x.info.probe", #"{"probe":"\#(Base64URL.encode([UInt8](repeating: 65, count: 5000)))"}"#),
            ])
            try await sendEvent(.infoProbeOk(probe: Base64URL.encode(probeBytes)), trio.carol, to: 2)
        }
        try await trio.carol.sendToGroup("done", to: 1)
        try await trio.bob.waitForGroupText("done")
        try await trio.carol.run("/_send @2 text done")
        try await waitForText("done", trio.bob)
        #expect(try await trio.bob.events().contains { $0.event["type"] == "contactAndMemberAssociated" } == false)
        let carol = try await listMembers(trio.bob).first { $0["localDisplayName"] == "carol" }
        #expect(try #require(carol)["memberContactId"] == nil)
        // None of the probes was answered.
        try await trio.bob.sendToGroup("of bob", to: 1)
        try await trio.carol.waitForGroupText("of bob")
        let answers = try await trio.carol.controller.store.read { db in
            try db.query("SELECT 1 FROM messages WHERE chat_msg_event = 'x.info.probe.ok'").count
        }
        #expect(answers == 0)
        await trio.close()
    }

    @Test
    func `Probes of group members are stored only up to a limit`() async throws {
        let trio = try await Trio()
        for start in stride(from: 0, to: 60, by: 20) {
            try await trio.carol.sendToMembers(
                (start..<start + 20).map { ("x.info.probe", #"{"probe":"\#(Base64URL.encode([UInt8($0)]))"}"#) }
            )
        }
        try await trio.carol.sendToGroup("done", to: 1)
        try await trio.bob.waitForGroupText("done")
        let count = try await trio.bob.controller.store.read { db in
            try db.firstRow("SELECT count(*) AS n FROM received_probes WHERE group_member_id IS NOT NULL")?.int64("n")
                ?? 0
        }
        #expect(count > 15 && count <= 25)
        await trio.close()
    }
}
