import ChatProtocol
import JSON
import SQLCipher
import SimpleXCrypto
import Testing

@testable import ChatCore

@Suite("Subscribers of channels", .socketTimeLimit)
struct ChannelSubscriberTests {
    @Test
    func `If several relays pass on the same post, edit or deletion, the change takes effect once`() async throws {
        let stage = try await ChannelStage()
        let id = SharedMessageID.random()
        for relay in [0, 1, 0] {
            try await stage.sendElements(stage.forwardedElement(stage.postBody("hello", id: id), by: nil), from: relay)
        }
        try await stage.sendElements(
            stage.forwardedElement(stage.postBody("from me", asGroup: false), by: stage.owner.id)
        )
        let items = try await stage.core.run("/_get chat #1 count=100")["chat"]?["chatItems"]?.arrayValue ?? []
        let posts = items.filter { $0["meta"]?["itemText"] == "hello" }
        #expect(
            posts.count == 1 && posts[0]["chatDir"]?["type"] == "channelRcv"
                && posts[0]["meta"]?["showGroupAsSender"] == true
        )
        #expect(posts[0]["meta"]?["forwardedByMember"] != nil)
        #expect(
            items.contains {
                $0["meta"]?["itemText"] == "from me"
                    && $0["chatDir"]?["groupMember"]?["memberId"]?.stringValue == stage.owner.id.text
            }
        )
        let update = stage.messageJSON(
            "x.msg.update",
            #"{"asGroup":true,"msgId":"\#(id.text)","content":{"type":"text","text":"hello again"}}"#
        )
        for relay in [0, 1] { try await stage.sendElements(stage.forwardedElement(update, by: nil), from: relay) }
        #expect(try await stage.chatTexts().filter { $0.hasPrefix("hello") } == ["hello again"])
        try await stage.sendElements(
            stage.forwardedElement(stage.messageJSON("x.msg.del", #"{"msgId":"\#(id.text)"}"#), by: nil),
            from: 1
        )
        let deleted = try await stage.core.events().filter { $0.event["type"] == "chatItemsDeleted" }
        #expect(deleted.count == 1)
        await stage.core.controller.close()
    }

    @Test
    func `A post with a member's valid signature is shown as verified, and a forged signature is refused`() async throws
    {
        let stage = try await ChannelStage()
        let member = stage.owner.id
        let (ofMember, ofChannel) = (stage.postBody("as a member", asGroup: false), stage.postBody("as the channel"))
        try await stage.sendElements(stage.forwardedElement(stage.signedElement(ofMember, by: stage.owner), by: member))
        try await stage.sendElements(stage.forwardedElement(stage.signedElement(ofChannel, by: stage.owner), by: nil))
        let forged = try stage.signedElement(
            stage.postBody("as the relay", asGroup: false),
            by: stage.relays[0],
            as: member
        )
        try await stage.sendElements(stage.forwardedElement(forged, by: member))
        let items = try await stage.core.run("/_get chat #1 count=100")["chat"]?["chatItems"]?.arrayValue ?? []
        let posts = items.compactMap { $0["meta"] }.filter { $0["itemText"]?.stringValue?.hasPrefix("as ") == true }
        let signatures = posts.map { $0["msgSigned"] }
        #expect(signatures == ["verified", nil])
        #expect(try await stage.countRejections() == 1)
        await stage.core.controller.close()
    }

    @Test
    func `A change of a channel takes effect only with the owner's signature for this channel`() async throws {
        let stage = try await ChannelStage()
        let other = ChannelStage.Peer(id: .random(), key: try Ed25519.PrivateKey())
        func info(_ name: String) -> [UInt8] {
            stage.messageJSON("x.grp.info", "{\"groupProfile\":\(ChannelStage.profileJSON(name, id: stage.entityID))}")
        }
        let forged: [[UInt8]] = [
            stage.forwardedElement(info("unsigned"), by: stage.owner.id),
            stage.forwardedElement(
                try stage.signedElement(info("other key"), by: other, as: stage.owner.id),
                by: stage.owner.id
            ),
            stage.forwardedElement(
                try stage.signedElement(info("other group"), by: stage.owner, in: [1, 2, 3]),
                by: stage.owner.id
            ),
            stage.forwardedElement(
                try stage.signedElement(info("other member"), by: stage.owner, as: other.id),
                by: stage.owner.id
            ),
            stage.forwardedElement(
                try stage.signedElement(info("the relay's"), by: stage.relays[0], as: stage.owner.id),
                by: stage.owner.id
            ),
            try stage.signedElement(info("of the relay"), by: stage.relays[0]),
        ]
        for element in forged { try await stage.sendElements(element) }
        #expect(try await stage.groupInfo()["groupProfile"]?["displayName"] == "news")
        // The relay's signature is valid, but the relay is not an owner.
        #expect(try await stage.countRejections() == forged.count - 1)
        try await stage.sendElements(stage.forwardedElement(info("as the channel"), by: nil))
        #expect(try await stage.groupInfo()["groupProfile"]?["displayName"] == "news")
        let first = try stage.signedElement(info("one"), by: stage.owner),
            second = try stage.signedElement(info("two"), by: stage.owner)
        for element in [first, second, first] {
            for relay in [0, 1] {
                try await stage.sendElements(stage.forwardedElement(element, by: stage.owner.id), from: relay)
            }
        }
        #expect(try await stage.groupInfo()["groupProfile"]?["displayName"] == "two")
        let updates = try await stage.core.events().filter { $0.event["type"] == "groupUpdated" }
        #expect(updates.count == 2 && updates.allSatisfy { $0.event["msgSigned"] == "verified" })
        let elsewhere = stage.messageJSON(
            "x.grp.info",
            "{\"groupProfile\":\(ChannelStage.profileJSON("three", id: [9]))}"
        )
        try await stage.sendElements(
            stage.forwardedElement(stage.signedElement(elsewhere, by: stage.owner), by: stage.owner.id)
        )
        #expect(try await stage.groupInfo()["groupProfile"]?["displayName"] == "two")
        await stage.core.controller.close()
    }

    @Test
    func `A relay can neither raise a member's role nor write in the name of members who may not write`() async throws {
        let stage = try await ChannelStage()
        let id = MemberID.random()
        func new(_ role: String) -> [UInt8] {
            stage.messageJSON(
                "x.grp.mem.new",
                #"{"memberInfo":{"memberId":"\#(id.text)","memberRole":"\#(role)","v":"1-19","profile":{"displayName":"eve","fullName":""}}}"#
            )
        }
        try await stage.sendElements(new("admin"))
        #expect(try await stage.findMember(id) == nil)
        try await stage.sendElements(new("observer"))
        #expect(try await stage.findMember(id)?["memberRole"] == "observer")
        try await stage.sendElements(stage.messageJSON("x.grp.mem.role", #"{"memberId":"\#(id.text)","role":"admin"}"#))
        try await stage.sendElements(
            stage.signedElement(
                stage.messageJSON("x.grp.mem.role", #"{"memberId":"\#(id.text)","role":"admin"}"#),
                by: stage.relays[0]
            )
        )
        #expect(try await stage.findMember(id)?["memberRole"] == "observer")
        try await stage.sendElements(
            stage.forwardedElement(stage.postBody("by an observer", asGroup: false), by: id),
            stage.forwardedElement(stage.postBody("as the channel", asGroup: true), by: id)
        )
        try await stage.sendElements(stage.postBody("by the relay", asGroup: false))
        try await stage.sendElements(
            stage.forwardedElement(stage.postBody("mine", asGroup: false), by: stage.userMemberID)
        )
        let texts = try await stage.chatTexts()
        for text in ["by an observer", "as the channel", "by the relay", "mine"] {
            #expect(!texts.contains(text), "\(text)")
        }
        let link =
            #"{"relayLink":"https://127.0.0.1/g#AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA?p=1&c=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#
        try await stage.sendElements(
            stage.signedElement(stage.messageJSON("x.grp.relay.new", link), by: stage.relays[0])
        )
        let relays = try await stage.core.controller.store.read { db in
            try db.query("SELECT 1 FROM group_members WHERE relay_link IS NOT NULL").count
        }
        #expect(relays == 2)
        await stage.core.controller.close()
    }

    @Test
    func `A subscriber does not accept a signed profile twice, even after thousands of unsigned messages`() async throws
    {
        let stage = try await ChannelStage()
        func peer() throws -> ChannelStage.Peer { ChannelStage.Peer(id: .random(), key: try Ed25519.PrivateKey()) }
        func profile(_ name: String) -> String { #"{"displayName":"\#(name)","fullName":""}"# }
        func announced(_ peer: ChannelStage.Peer) -> [UInt8] {
            let info =
                #"{"memberId":"\#(peer.id.text)","memberKey":"\#(MemberKey(peer.key.publicKey).text)","memberRole":"observer","v":"1-19","profile":\#(profile("carol"))}"#
            return stage.messageJSON("x.grp.mem.new", #"{"memberInfo":\#(info)}"#)
        }
        func info(_ name: String, by peer: ChannelStage.Peer) throws -> [UInt8] {
            stage.forwardedElement(
                try stage.signedElement(stage.messageJSON("x.info", #"{"profile":\#(profile(name))}"#), by: peer),
                by: peer.id
            )
        }
        let (carol, mallory) = (try peer(), try peer())
        try await stage.sendElements(announced(carol), announced(mallory))
        let (first, second) = (try info("first", by: carol), try info("second", by: carol))
        try await stage.sendElements(first, second)
        // The relay sends unsigned events, and events that an invented member has signed.
        let cancel = { stage.forwardedElement(stage.messageJSON("x.file.cancel", #"{"msgId":"CQgHBg=="}"#), by: nil) }
        for _ in 0..<35 {
            try await stage.sendElements(
                all: (0..<60).map { _ in cancel() } + [try info("m", by: mallory), try info("n", by: mallory)]
            )
        }
        try await stage.sendElements(first, from: 1)
        #expect(try await stage.findMember(carol.id)?["memberProfile"]?["displayName"] == "second")
        let remembered = try await stage.core.controller.store.read { db in
            try db.query(
                "SELECT count(*) AS n FROM received_group_messages GROUP BY author_member_id ORDER BY author_member_id"
            ).map { try $0.int64("n") }
        }
        #expect(
            remembered.count == 3 && (2_000..<2_100).contains(remembered[0]) && remembered[1...].sorted() == [2, 32],
            "\(remembered)"
        )
        await stage.core.controller.close()
    }

    @Test
    func `A newer roster gives roles to the members that it lists, and takes roles from members that it does not list`()
        async throws
    {
        let stage = try await ChannelStage()
        let (first, second) = (
            ChannelStage.Peer(id: .random(), key: try Ed25519.PrivateKey()),
            ChannelStage.Peer(id: .random(), key: try Ed25519.PrivateKey())
        )
        let entries = [
            Roster.Entry(id: first.id, key: MemberKey(first.key.publicKey), role: .moderator),
            Roster.Entry(id: stage.userMemberID, key: MemberKey(stage.userKey), role: .member),
        ]
        try await stage.sendRoster(1, entries, damaged: true)
        #expect(try await stage.findMember(first.id) == nil)
        try await stage.sendRoster(1, entries)
        #expect(try await stage.findMember(first.id)?["memberRole"] == "moderator")
        #expect(try await stage.groupInfo()["membership"]?["memberRole"] == "member")
        #expect(try await stage.groupInfo()["rosterVersion"] == 1)
        try await stage.sendElements(stage.forwardedElement(stage.postBody("moderated", asGroup: false), by: first.id))
        #expect(try await stage.chatTexts().contains("moderated"))
        // Another key for a known member is refused.
        try await stage.sendRoster(2, [Roster.Entry(id: first.id, key: MemberKey(second.key.publicKey), role: .admin)])
        #expect(try await stage.findMember(first.id)?["memberRole"] == "moderator")
        #expect(try await stage.groupInfo()["membership"]?["memberRole"] == "observer")
        try await stage.sendRoster(1, entries)
        #expect(try await stage.groupInfo()["membership"]?["memberRole"] == "observer")
        try await stage.sendRoster(3, [])
        #expect(try await stage.findMember(first.id)?["memberRole"] == "observer")
        await stage.core.controller.close()
    }

    @Test
    func `A subscriber who misses a change of a member's role requests the whole roster`() async throws {
        let stage = try await ChannelStage()
        let member = ChannelStage.Peer(id: .random(), key: try Ed25519.PrivateKey())
        func role(_ role: String, _ version: Int64) throws -> [UInt8] {
            let params =
                #"{"memberId":"\#(member.id.text)","memberKey":"\#(MemberKey(member.key.publicKey).text)","role":"\#(role)","rosterVersion":\#(version)}"#
            return stage.forwardedElement(
                try stage.signedElement(stage.messageJSON("x.grp.mem.role", params), by: stage.owner),
                by: stage.owner.id
            )
        }
        try await stage.sendRoster(0, [])
        try await stage.sendElements(role("member", 1))
        #expect(try await stage.findMember(member.id)?["memberRole"] == "member")
        #expect(try await stage.countRosterRequests() == 0)
        try await stage.sendElements(role("moderator", 3), from: 1)
        #expect(try await stage.findMember(member.id)?["memberRole"] == "moderator")
        #expect(try await stage.countRosterRequests() == 1)
        try await stage.sendElements(role("admin", 2))
        #expect(try await stage.findMember(member.id)?["memberRole"] == "moderator")
        // A member signs events about itself.
        let info = stage.messageJSON("x.info", #"{"profile":{"displayName":"dora","fullName":""}}"#)
        try await stage.sendElements(stage.forwardedElement(info, by: member.id))
        #expect(try await stage.countRejections() == 1)
        try await stage.sendElements(stage.forwardedElement(stage.signedElement(info, by: member), by: member.id))
        #expect(try await stage.findMember(member.id)?["memberProfile"]?["displayName"] == "dora")
        // Only an owner may give a role of the roster, so the change by a moderator is refused.
        let other = MemberID.random()
        let params =
            #"{"memberId":"\#(other.text)","memberKey":"\#(MemberKey(stage.userKey).text)","role":"member","rosterVersion":4}"#
        try await stage.sendElements(
            stage.forwardedElement(
                stage.signedElement(stage.messageJSON("x.grp.mem.role", params), by: member),
                by: member.id
            )
        )
        #expect(try await stage.findMember(other) == nil)
        await stage.core.controller.close()
    }

    @Test
    func `A prepared channel can move to another profile before a relay gets a request`() async throws {
        let core = try await World().core("bob")
        for name in ["bob", "work"] { try await core.createUser(name) }
        let (_, request, short) = try await core.controller.services.agent.createAddress(
            user: 1,
            userData: Array("{}".utf8),
            clientData: #"{"groupLinkId":"WaLrAvFILPIRQ7vKPamBpg=="}"#,
            type: .channel
        )
        let data =
            #"{"groupProfile":\#(ChannelStage.profileJSON("news", id: [1, 2, 3])),"publicGroupData":{"publicMemberCount":7}}"#
        try await core.run("/_prepare group 1 \(request.uri) \(try #require(short).uri) direct=off \(data)", as: 1)
        let changed = try await core.run("/_set group user #1 2", as: 1)
        #expect(changed["type"] == "groupUserChanged", "\(changed)")
        #expect(
            changed["toGroup"]?["useRelays"] == true && changed["toGroup"]?["groupSummary"]?["publicMemberCount"] == 7
        )
        #expect(
            changed["toGroup"]?["membership"]?["memberRole"] == "observer" && changed["toGroup"]?["groupKeys"] == nil
        )
        #expect(try await core.run("/_groups 1", as: 1)["groups"]?.arrayValue?.isEmpty == true)
        #expect(try await core.run("/_get chat #1 count=100", as: 2).itemTexts.count == 11)
        // The link has another id than the profile and no relays, so no relay gets a request.
        #expect(try await core.run("/_connect group #1 incognito=off", as: 2)["errorType"]?["type"] == "invalidConnReq")
        await core.controller.close()
    }

    @Test
    func `Damaged and nested messages of a relay are ignored, and the relay's next messages are read`() async throws {
        let stage = try await ChannelStage(relays: 1)
        let signed = try stage.signedElement(stage.messageJSON("x.grp.leave", "{}"), by: stage.relays[0])
        for cut in stride(from: 1, to: signed.count, by: 7) { try await stage.sendElements(Array(signed.prefix(cut))) }
        let chunk = InlineFileChunk(messageID: .random(), chunkNumber: 200, bytes: [UInt8](repeating: 1, count: 15_000))
            .element
        try await stage.sendElements(chunk)
        try await stage.sendElements(
            stage.forwardedElement(stage.forwardedElement(stage.postBody("nested"), by: nil), by: nil)
        )
        try await stage.sendElements(
            stage.forwardedElement(
                Array(#"{"event":"x.msg.new","params":{"content":{"type":"text","text":"no id"}}}"#.utf8),
                by: nil
            )
        )
        try await stage.sendElements(stage.forwardedElement(stage.postBody("after all"), by: nil))
        let texts = try await stage.chatTexts()
        #expect(texts.contains("after all") && !texts.contains("nested") && !texts.contains("no id"))
        await stage.core.controller.close()
    }
}

extension ChannelStage {
    /// Returns the number of requests for the roster that relays got.
    fileprivate func countRosterRequests() async throws -> Int {
        try await core.controller.store.read { db in
            try db.query("SELECT body FROM written").count {
                try String(decoding: $0.blob("body"), as: UTF8.self).contains("x.grp.roster.request")
            }
        }
    }
}
