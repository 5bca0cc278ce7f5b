import ChatAPI
import ChatProtocol
import JSON
import SimpleXCrypto
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore

/// Group events that members send repeatedly, over the wrong connection, in the wrong order, or in the form of a later
/// version.
@Suite(.socketTimeLimit) struct HostileEventTests {
    /// Counts of the rows that events could add.
    private struct RowCounts: Equatable {
        let memberCount: Int64
        let connectionCount: Int64
        let stepCount: Int64
        let introductionCount: Int64

        init(_ core: Core) async throws {
            self = try await core.controller.store.read { db in
                func count(_ table: String) throws -> Int64 {
                    try db.firstRow("SELECT count(*) AS n FROM \(table)")?.int64("n") ?? 0
                }
                return try RowCounts(
                    members: count("group_members"),
                    connections: count("connections"),
                    steps: count("group_members WHERE step IS NOT NULL"),
                    introductions: count("group_introductions")
                )
            }
        }

        private init(members: Int64, connections: Int64, steps: Int64, introductions: Int64) {
            (self.memberCount, self.connectionCount, self.stepCount, self.introductionCount) = (
                members, connections, steps, introductions
            )
        }
    }

    private func memberInfo(_ id: String, _ name: String, role: String = "member") -> String {
        #"{"memberId":"\#(id)","memberRole":"\#(role)","v":"1-19","profile":{"displayName":"\#(name)","fullName":""}}"#
    }

    @Test
    func `Repeated introductions and announcements of group members add no member and no connection`() async throws {
        let trio = try await Trio()
        let (alice, bob, carol) = (
            try await trio.carol.memberID("alice"), try await trio.alice.memberID("bob"),
            try await trio.alice.memberID("carol")
        )
        let invitation = try #require(
            try await trio.bob.run("/_connect 1 incognito=off")["connLinkInvitation"]?["connFullLink"]?.stringValue
        )
        // Bob tells Alice about his connection to Carol after the first direct message of Carol, before his own text.
        try await trio.carol.sendToGroup("first", to: 1)
        try await trio.bob.waitForGroupText("first")
        try await trio.bob.sendToGroup("before", to: 1)
        for core in [trio.alice, trio.carol] { try await core.waitForGroupText("before") }
        let cores = [trio.alice, trio.bob, trio.carol]
        var before: [RowCounts] = []
        for core in cores { before.append(try await RowCounts(core)) }
        for _ in 0..<6 {
            // Alice is the host of Bob and Carol. She sends both of them events about Alice, Bob and Carol.
            try await trio.alice.sendToMembers(
                [(alice, "alice"), (bob, "bob"), (carol, "carol")].flatMap { id, name in
                    [
                        ("x.grp.mem.intro", #"{"memberInfo":\#(memberInfo(id, name))}"#),
                        ("x.grp.mem.new", #"{"memberInfo":\#(memberInfo(id, name))}"#),
                        (
                            "x.grp.mem.fwd",
                            #"{"memberInfo":\#(memberInfo(id, name)),"memberIntro":{"groupConnReq":"\#(invitation)"}}"#
                        ),
                        ("x.grp.mem.con", #"{"memberId":"\#(id)"}"#),
                    ]
                }
            )
            // Carol, as a member, sends events about herself, and links for members to whom she is already connected.
            try await trio.carol.sendToMembers([
                ("x.grp.mem.intro", #"{"memberInfo":\#(memberInfo(carol, "carol", role: "owner"))}"#),
                ("x.grp.mem.new", #"{"memberInfo":\#(memberInfo(carol, "carol", role: "owner"))}"#),
                (
                    "x.grp.mem.fwd",
                    #"{"memberInfo":\#(memberInfo(carol, "carol")),"memberIntro":{"groupConnReq":"\#(invitation)"}}"#
                ),
                ("x.grp.mem.inv", #"{"memberId":"\#(bob)","memberIntro":{"groupConnReq":"\#(invitation)"}}"#),
                ("x.grp.mem.inv", #"{"memberId":"\#(carol)","memberIntro":{"groupConnReq":"\#(invitation)"}}"#),
                ("x.grp.mem.inv", #"{"memberId":"\#(alice)","memberIntro":{"groupConnReq":"\#(invitation)"}}"#),
                ("x.grp.mem.con", #"{"memberId":"\#(carol)"}"#),
            ])
        }
        for (core, text) in zip(cores, ["of alice", "of bob", "of carol"]) { try await core.sendToGroup(text, to: 1) }
        for (core, texts) in zip(cores, [["of bob", "of carol"], ["of alice", "of carol"], ["of alice", "of bob"]]) {
            for text in texts { try await core.waitForGroupText(text) }
        }
        for (core, rows) in zip(cores, before) {
            #expect(try await RowCounts(core) == rows)
            #expect(
                try await core.memberProperties().allSatisfy {
                    $0["status"] == "connected" || $0["status"] == "creator" || $0["status"] == "complete"
                }
            )
        }
        #expect(try await trio.bob.memberProperties().first { $0["id"]?.stringValue == carol }?["role"] == "member")
        await trio.close()
    }

    @Test
    func `An event that arrives over a connection of one group changes no other group`() async throws {
        let trio = try await Trio()
        // Bob owns the second group with Carol, and is a member in the first one.
        try await connectUsers(trio.bob, 1, to: trio.carol, 1)
        #expect(
            try await trio.bob.run(#"/_group 1 incognito=off {"displayName":"other","fullName":""}"#)["type"]
                == "groupCreated"
        )
        let contact = try #require(
            try await trio.bob.run("/_contacts 1")["contacts"]?.arrayValue?.first {
                $0["localDisplayName"]?.stringValue?.hasPrefix("carol") == true
                    && $0["activeConn"]?["connStatus"]?["type"] == "ready"
            }?["contactId"]?.integerValue
        )
        let invited = try await trio.bob.run("/_add #2 \(contact) member")
        #expect(invited["type"] == "sentGroupInvitation", "\(invited)")
        try await trio.carol.wait(for: "receivedGroupInvitation", count: 2)
        #expect(try await trio.carol.run("/_join #2")["type"] == "userAcceptedGroupSent")
        try await trio.bob.wait(for: "joinedGroupMember")
        try await trio.carol.wait(for: "userJoinedGroup", count: 2)
        try await trio.carol.sendToGroup("in the first", to: 1)
        try await trio.carol.sendToGroup("in the second", to: 2)
        let second = try #require(
            try await trio.bob.waitForGroupText("in the second")["meta"]?["itemSharedMsgId"]?.stringValue
        )
        let first = try #require(
            try await trio.bob.waitForGroupText("in the first")["meta"]?["itemSharedMsgId"]?.stringValue
        )
        func member(_ name: String, of group: Int64, at core: Core) async throws -> String? {
            try await core.run("/_members #\(group)")["group"]?["members"]?.arrayValue?.first {
                $0["localDisplayName"]?.stringValue?.hasPrefix(name) == true
            }?["memberId"]?.stringValue
        }
        let inSecond = try #require(try await member("carol", of: 2, at: trio.bob)),
            inFirst = try #require(try await member("carol", of: 1, at: trio.bob))
        let before = try await trio.carol.readGroups()
        // Events of the owner of the second group, sent over the connection of the first group. Each event is contrary
        // to the state of the first group.
        let events = [
            ("x.grp.info", #"{"groupProfile":{"displayName":"taken","fullName":""}}"#),
            ("x.grp.mem.role", #"{"memberId":"\#(inSecond)","role":"observer"}"#),
            ("x.grp.mem.del", #"{"memberId":"\#(inSecond)","messages":true}"#),
            ("x.msg.del", #"{"msgId":"\#(second)","memberId":"\#(inSecond)"}"#),
            ("x.grp.mem.restrict", #"{"memberId":"\#(inSecond)","memberRestrictions":{"restriction":"blocked"}}"#),
            ("x.grp.del", "{}"),
        ]
        try await trio.bob.sendEvents(
            events,
            over: "group_member_id IN (SELECT group_member_id FROM group_members WHERE group_id = 1)"
        )
        try await trio.bob.sendEvents(
            [
                ("x.grp.mem.role", #"{"memberId":"\#(inFirst)","role":"observer"}"#),
                ("x.msg.del", #"{"msgId":"\#(first)","memberId":"\#(inFirst)"}"#),
                ("x.msg.update", #"{"msgId":"\#(first)","content":{"type":"text","text":"changed"}}"#),
            ],
            over: "group_member_id IN (SELECT group_member_id FROM group_members WHERE group_id = 2)"
        )
        // A contact is not a member, so these events over the connection of the contact have no effect.
        try await trio.bob.sendEvents(events + [("x.grp.leave", "{}")], over: "contact_id IS NOT NULL")
        for group in [1, 2] { try await trio.bob.sendToGroup("end of \(group)", to: Int64(group)) }
        for group in [1, 2] { try await trio.carol.waitForGroupText("end of \(group)") }
        #expect(try await trio.carol.readGroups() == before)
        for group in [1, 2] {
            let items =
                try await trio.carol.run("/_get chat #\(group) count=100")["chat"]?["chatItems"]?.arrayValue ?? []
            let item = try #require(items.first { $0["meta"]?["itemText"]?.stringValue?.hasPrefix("in the") == true })
            #expect(item["meta"]?["itemDeleted"] == nil && item["meta"]?["itemEdited"] == false)
        }
        await trio.close()
    }

    @Test
    func `A member whose picture is too large for an introduction is still introduced to new members`() async throws {
        let trio = try await Trio()
        let picture = "data:image/jpg;base64," + Base64.encode([UInt8](repeating: 7, count: 45_000))
        let carol = try await trio.alice.memberID("carol")
        try await trio.carol.sendInBatches([
            #"{"v":"1-19","msgId":"CQgHBg","event":"x.info","params":{"profile":{"displayName":"carol","fullName":"","image":"\#(picture)"}}}"#
        ])
        try await trio.carol.sendToGroup("with a picture", to: 1)
        for core in [trio.alice, trio.bob] { try await core.waitForGroupText("with a picture") }
        #expect(try await trio.bob.memberProfile(carol)?["image"]?.stringValue == picture)
        let dan = try await trio.addNewcomer("dan")
        #expect(try await dan.memberProfile(carol)?["displayName"] == "carol")
        try await dan.sendToGroup("all are here", to: 1)
        for core in [trio.alice, trio.bob, trio.carol] { try await core.waitForGroupText("all are here") }
        await dan.controller.close()
        await trio.close()
    }

    @Test
    func `Unknown JSON members of a group profile are ignored, and a malformed group profile has no effect`()
        async throws
    {
        let trio = try await Trio()
        let later = #"""
            {"groupProfile":{"displayName":"newer","fullName":"n","shortDescr":"s","later":{"a":[1,{"b":null}]},"memberAdmission":{"review":"all","quiz":"on"},
             "groupPreferences":{"reactions":{"enable":"off","later":1},"teleport":{"enable":"on"},"voice":{"enable":"on","role":"wizard"},"files":{"enable":"maybe"},"history":{"enable":"on"}}}}
            """#
        try await trio.alice.sendToMembers([("x.grp.info", later)])
        try await trio.alice.sendToGroup("after it", to: 1)
        for core in [trio.bob, trio.carol] {
            try await core.waitForGroupText("after it")
            let group = try await core.run("/_info #1")["groupInfo"]
            #expect(
                group?["groupProfile"]?["displayName"] == "newer" && group?["groupProfile"]?["shortDescr"] == "s",
                "\(group?["groupProfile"] ?? .null)"
            )
            #expect(
                group?["fullGroupPreferences"]?["reactions"]?["enable"] == "off"
                    && group?["fullGroupPreferences"]?["history"]?["enable"] == "on"
            )
            #expect(group?["groupProfile"]?["memberAdmission"]?["review"] == "all")
            // A preference for an unknown role is still read, and applies to no member.
            #expect(group?["fullGroupPreferences"]?["voice"]?["enable"] == "on")
        }
        // A profile that cannot be read has no effect.
        for broken in [
            "{}", #"{"groupProfile":[]}"#, #"{"groupProfile":{"displayName":7,"fullName":""}}"#,
            #"{"groupProfile":{"displayName":"x","fullName":"","groupPreferences":7}}"#,
        ] {
            try await trio.alice.sendToMembers([("x.grp.info", broken)])
        }
        try await trio.alice.sendToGroup("after the broken ones", to: 1)
        for core in [trio.bob, trio.carol] {
            try await core.waitForGroupText("after the broken ones")
            #expect(try await core.run("/_info #1")["groupInfo"]?["groupProfile"]?["displayName"] == "newer")
        }
        await trio.close()
    }

    @Test
    func `Group events that arrive late or repeatedly do not undo newer events`() async throws {
        let trio = try await Trio(roles: (bob: "admin", carol: "member"))
        let (alice, carol) = (try await trio.bob.memberID("alice"), try await trio.bob.memberID("carol"))
        try await trio.alice.sendToGroup("first", to: 1)
        let item = try #require(try await trio.carol.waitForGroupText("first")["meta"]?["itemSharedMsgId"]?.stringValue)
        try await trio.bob.waitForGroupText("first")
        // These events arrive before their objects: changes of unknown members, and edits, reactions and deletions of
        // messages that have not arrived.
        let (stranger, message) = (MemberID.random().text, SharedMessageID.random().text)
        try await trio.alice.sendToMembers([
            ("x.grp.mem.role", #"{"memberId":"\#(stranger)","role":"admin"}"#),
            ("x.grp.mem.del", #"{"memberId":"\#(stranger)"}"#),
            ("x.grp.mem.restrict", #"{"memberId":"\#(stranger)","memberRestrictions":{"restriction":"blocked"}}"#),
            ("x.grp.mem.con", #"{"memberId":"\#(stranger)"}"#),
            (
                "x.msg.react",
                #"{"msgId":"\#(message)","memberId":"\#(alice)","reaction":{"type":"emoji","emoji":"👍"},"add":true}"#
            ), ("x.msg.del", #"{"msgId":"\#(message)"}"#),
            (
                "x.msg.file.descr",
                #"{"msgId":"\#(message)","fileDescr":{"fileDescrText":"x","fileDescrPartNo":3,"fileDescrComplete":true}}"#
            ),
            ("x.file.cancel", #"{"msgId":"\#(message)"}"#),
        ])
        // A change, then an older change of the same member that an admin forwards years later, and then the same
        // again.
        let role = { (role: String) in #"{"memberId":"\#(carol)","role":"\#(role)"}"# }
        func forwarded(_ event: String, _ params: String, id: String, at time: String) -> (String, String) {
            (
                "x.grp.msg.forward",
                #"{"memberId":"\#(alice)","memberName":"alice","msgTs":"\#(time)","msg":{"v":"1-19","msgId":"\#(id)","event":"\#(event)","params":\#(params)}}"#
            )
        }
        try await trio.alice.sendToMembers([("x.grp.mem.role", role("observer"))], id: "CQgHBg")
        try await trio.alice.sendToMembers([("x.grp.mem.role", role("moderator"))], id: "AQIDBQ")
        try await trio.alice.sendToGroup("second", to: 1)
        for core in [trio.bob, trio.carol] { try await core.waitForGroupText("second") }
        try await trio.bob.sendToMembers([
            forwarded("x.grp.mem.role", role("observer"), id: "CQgHBg", at: "2019-01-01T00:00:00Z"),
            forwarded(
                "x.msg.new",
                #"{"content":{"type":"text","text":"years late"}}"#,
                id: "AQIDBg",
                at: "2019-01-01T00:00:00Z"
            ),
            forwarded(
                "x.msg.new",
                #"{"content":{"type":"text","text":"years late"}}"#,
                id: "AQIDBg",
                at: "2020-01-01T00:00:00Z"
            ),
            forwarded(
                "x.msg.new",
                #"{"content":{"type":"text","text":"first"}}"#,
                id: item,
                at: "2019-01-01T00:00:00Z"
            ),
        ])
        try await trio.bob.sendToGroup("third", to: 1)
        try await trio.carol.waitForGroupText("third")
        #expect(try await trio.carol.run("/_info #1")["groupInfo"]?["membership"]?["memberRole"] == "moderator")
        let texts = try await trio.carol.run("/_get chat #1 count=100").itemTexts
        #expect(texts.count { $0 == "years late" } == 1 && texts.count { $0 == "first" } == 1, "\(texts)")
        for core in [trio.bob, trio.carol] {
            #expect(try await core.memberProperties().count == 2)
            #expect(try await !core.memberProperties().contains { $0["id"]?.stringValue == stranger })
        }
        await trio.close()
    }

    @Test
    func `The number of members that can be announced in one group is limited`() async throws {
        let trio = try await Trio(roles: (bob: "admin", carol: "member"))
        func announce(_ count: Int, _ text: String) async throws -> Duration {
            try await trio.bob.sendInBatches(
                (0..<count).map { number in
                    let id = SharedMessageID.random().text
                    return
                        #"{"v":"1-16","msgId":"\#(id)","event":"x.grp.mem.new","params":{"memberInfo":{"memberId":"\#(id)","memberRole":"member","profile":{"displayName":"\#(text)\#(number)","fullName":""}}}}"#
                }
            )
            return try await ContinuousClock().measure {
                try await trio.bob.sendToGroup(text, to: 1)
                try await trio.carol.waitForGroupText(text)
            }
        }
        let first = try await announce(1_000, "a")
        // Adds as many rows as if all announcements had arrived. A further announcement must not take longer.
        try await trio.carol.controller.store.write { tx in
            let columns = try tx.db.query("PRAGMA table_info(group_members)").map { try $0.string("name") }
            let copied = columns.map {
                [
                    "group_member_id": "group_member_id + n * 2000", "member_id": "randomblob(12)",
                    "index_in_group": "index_in_group + n * 2000",
                ][$0] ?? $0
            }
            try tx.db.execute(
                """
                WITH RECURSIVE many (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 9)
                INSERT INTO group_members (\(columns.joined(separator: ", "))) SELECT \(copied.joined(separator: ", ")) FROM group_members, many
                  WHERE member_status = 'announced'
                """
            )
            try tx.db.execute("UPDATE groups SET next_index = 100000")
            try tx.db.execute("UPDATE users SET last_group_member_id = 100000")
        }
        #expect(try await trio.carol.knownMemberCounts() == (10_003, 10_003))
        let last = try await announce(1_000, "b")
        print("1,000 announced members: \(first) after none, \(last) after 10,000")
        #expect(try await trio.carol.knownMemberCounts() == (11_003, 11_003))
        // No connection is started for any of the announced members.
        #expect(try await RowCounts(trio.carol).connectionCount == 3)
        // Simulates that one more member reaches the maximum of announced members.
        try await trio.carol.controller.store.write { tx in
            try tx.db.execute("UPDATE groups SET known_members = ?", [GroupIntroductions.maxStoredMembers - 1])
        }
        _ = try await announce(3, "c")
        #expect(try await trio.carol.knownMemberCounts() == (11_004, GroupIntroductions.maxStoredMembers))
        await trio.close()
    }

    @Test
    func `Joining a withdrawn group invitation is refused, and a new invitation to the group can be joined`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.createGroup()
        try await alice.run("/_add #1 1 member")
        try await bob.wait(for: "receivedGroupInvitation")
        try await alice.withdrawInvitation()
        let refused = try await bob.run("/_join #1")
        #expect(refused["type"] == "errorAgent" && refused["agentError"]?["smpErr"]?["type"] == "AUTH", "\(refused)")
        #expect(try await bob.run("/_info #1")["groupInfo"]?["membership"]?["memberStatus"] == "invited")
        // The invitation is still refused in the same way.
        #expect(try await bob.run("/_join #1")["type"] == "errorAgent")
        try await alice.run("/_add #1 1 admin")
        let again = try await bob.wait(for: "receivedGroupInvitation", count: 2)[1]
        let group = try #require(again["groupInfo"]?["groupId"]?.integerValue)
        #expect(try await bob.run("/_join #\(group)")["type"] == "userAcceptedGroupSent")
        try await bob.wait(for: "userJoinedGroup")
        try await alice.wait(for: "joinedGroupMember")
        try await bob.run(
            #"/_send #\#(group) live=off ttl=default json [{"msgContent":{"type":"text","text":"here"},"mentions":{}}]"#
        )
        try await alice.waitForGroupText("here")
        for core in [alice, bob] { await core.controller.close() }
    }
}

extension Core {
    fileprivate func readGroups() async throws -> [JSONValue] {
        var groups: [JSONValue] = []
        for group in [1, 2] {
            let info = try await run("/_info #\(group)")["groupInfo"]
            let members = try await run("/_members #\(group)")["group"]?["members"]?.arrayValue ?? []
            groups.append([
                "name": info?["groupProfile"]?["displayName"] ?? .null,
                "status": info?["membership"]?["memberStatus"] ?? .null,
                "role": info?["membership"]?["memberRole"] ?? .null,
                "members": .array(
                    members.map {
                        [
                            "id": $0["memberId"] ?? .null, "role": $0["memberRole"] ?? .null,
                            "status": $0["memberStatus"] ?? .null, "blocked": $0["blockedByAdmin"] ?? .null,
                        ]
                    }
                ),
            ])
        }
        return groups
    }

    fileprivate func memberProfile(_ id: String) async throws -> JSONValue? {
        try await run("/_members #1")["group"]?["members"]?.arrayValue?.first { $0["memberId"]?.stringValue == id }?[
            "memberProfile"
        ]
    }

    /// Returns the number of rows of members, and the stored count.
    fileprivate func knownMemberCounts() async throws -> (Int64, Int64) {
        try await controller.store.read { db in
            try (
                db.firstRow("SELECT count(*) AS n FROM group_members WHERE group_id = 1")?.int64("n") ?? 0,
                db.firstRow("SELECT known_members FROM groups WHERE group_id = 1")?.int64("known_members") ?? 0
            )
        }
    }

    /// Sends events that this program would not send.
    /// - Parameter condition: selects the connections, as SQL.
    fileprivate func sendEvents(_ messages: [(event: String, params: String)], over condition: String) async throws {
        try await controller.store.write { tx in
            let connections = try tx.db.query(
                "SELECT connection_id FROM connections WHERE conn_status = 'ready' AND \(condition)"
            )
            .compactMap { try ConnectionRecord.find($0.int64("connection_id"), in: tx.db) }
            for message in messages {
                let body =
                    #"{"v":"1-16","msgId":"\#(SharedMessageID.random().text)","event":"\#(message.event)","params":\#(message.params)}"#
                for connection in connections { try tx.enqueueBody(raw: Array(body.utf8), to: connection) }
            }
        }
    }
}
