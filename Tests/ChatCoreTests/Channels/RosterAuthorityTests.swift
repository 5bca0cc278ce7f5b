import ChatAPI
import ChatProtocol
import JSON
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore

/// Members who may not change the roster, and who sign changes of it with very high versions. If such a version were
/// accepted, all later changes would be refused.
@Suite("Authority over the roster of a channel", .socketTimeLimit)
struct RosterAuthorityTests {
    private static let last = Roster.lastVersion

    private static func role(of id: MemberID, _ role: String, key: Ed25519.PrivateKey? = nil, version: Int64) -> String
    {
        let stated = key.map { #""memberKey":"\#(MemberKey($0.publicKey).text)","# } ?? ""
        return #"{"memberId":"\#(id.text)",\#(stated)"role":"\#(role)","rosterVersion":\#(version)}"#
    }

    private static func removal(of id: MemberID, version: Int64) -> String {
        #"{"memberId":"\#(id.text)","rosterVersion":\#(version)}"#
    }

    @Test
    func `A relay changes its roster version only by messages of owners`() async throws {
        let stage = try await ServedStage(subscribers: 4)
        let (plain, other, admin, fourth) = (
            stage.subscribers[0], stage.subscribers[1], stage.subscribers[2], stage.subscribers[3]
        )
        let invented = (id: MemberID.random(), key: try Ed25519.PrivateKey())
        let attempts = [
            ("x.grp.mem.role", Self.role(of: other.id, "observer", version: Self.last)),
            ("x.grp.mem.role", Self.role(of: plain.id, "moderator", version: Self.last)),
            ("x.grp.mem.role", Self.role(of: invented.id, "member", key: invented.key, version: Self.last)),
            ("x.grp.mem.role", Self.role(of: invented.id, "observer", key: invented.key, version: Self.last)),
            ("x.grp.mem.role", Self.role(of: stage.me, "observer", version: Self.last)),
            ("x.grp.mem.del", Self.removal(of: other.id, version: Self.last)),
            ("x.grp.mem.del", Self.removal(of: invented.id, version: Self.last)),
            ("x.grp.mem.del", Self.removal(of: stage.me, version: Self.last)),
        ]
        for (event, params) in attempts {
            try await stage.send(stage.signed(stage.json(event, params), by: plain), from: plain)
        }
        #expect(try await stage.group()?.channel?.rosterVersion == nil)
        #expect(try await stage.member(invented.id) == nil)
        #expect(try await stage.member(other.id)?.status == .connected)
        #expect(try await stage.count("relay_tasks") == 0)
        let errors = try await stage.core.events().filter { $0.event["type"] == "messageError" }
        #expect(errors.count == attempts.count)
        // An admin removes an observer. The version in the event is ignored.
        try await stage.setRole(.admin, of: admin)
        let removal = stage.json("x.grp.mem.del", Self.removal(of: other.id, version: Self.last))
        try await stage.send(stage.signed(removal, by: admin), from: admin)
        #expect(try await stage.member(other.id) == nil)
        try await stage.send(
            stage.signed(
                stage.json(
                    "x.grp.mem.role",
                    Self.role(of: invented.id, "observer", key: invented.key, version: Self.last)
                ),
                by: admin
            ),
            from: admin
        )
        #expect(try await stage.member(invented.id) == nil)
        #expect(try await stage.group()?.channel?.rosterVersion == nil)
        // The roster can still be changed.
        try await stage.sendRoster(
            1,
            [Roster.Entry(id: fourth.id, key: MemberKey(fourth.key.publicKey), role: .moderator)]
        )
        #expect(try await stage.member(fourth.id)?.role == .moderator)
        #expect(try await stage.group()?.channel?.rosterVersion == 1)
        await stage.core.controller.close()
    }

    @Test
    func `A subscriber changes its roster version only by messages of owners, also if a relay invents members`()
        async throws
    {
        let stage = try await ChannelStage()
        let (invented, admin) = (
            ChannelStage.Peer(id: .random(), key: try Ed25519.PrivateKey()),
            ChannelStage.Peer(id: .random(), key: try Ed25519.PrivateKey())
        )
        func announce(_ peer: ChannelStage.Peer, _ name: String) async throws {
            let profile = #"{"displayName":"\#(name)","fullName":""}"#
            let info =
                #"{"memberId":"\#(peer.id.text)","memberKey":"\#(MemberKey(peer.key.publicKey).text)","memberRole":"observer","v":"1-19","profile":\#(profile)}"#
            try await stage.send(stage.json("x.grp.mem.new", #"{"memberInfo":\#(info)}"#))
        }
        func sign(_ event: String, _ params: String, by peer: ChannelStage.Peer) async throws {
            try await stage.send(stage.forwarded(stage.signed(stage.json(event, params), by: peer), by: peer.id))
        }
        try await announce(invented, "mallory")
        let (nobody, key) = (MemberID.random(), try Ed25519.PrivateKey())
        for peer in [invented, ChannelStage.Peer(id: stage.relays[0].id, key: stage.relays[0].key)] {
            try await sign("x.grp.mem.role", Self.role(of: invented.id, "observer", version: Self.last), by: peer)
            try await sign("x.grp.mem.role", Self.role(of: stage.me, "observer", version: Self.last), by: peer)
            try await sign("x.grp.mem.role", Self.role(of: nobody, "member", key: key, version: Self.last), by: peer)
            try await sign("x.grp.mem.del", Self.removal(of: invented.id, version: Self.last), by: peer)
            try await sign("x.grp.mem.del", Self.removal(of: stage.me, version: Self.last), by: peer)
        }
        #expect(try await stage.group()["rosterVersion"] == nil)
        #expect(try await stage.group()["membership"]?["memberStatus"] == "connected")
        #expect(try await stage.member(nobody) == nil)
        #expect(try await stage.member(invented.id)?["memberRole"] == "observer")
        try await stage.sendRoster(1, [Roster.Entry(id: admin.id, key: MemberKey(admin.key.publicKey), role: .admin)])
        #expect(try await stage.group()["rosterVersion"] == 1)
        // An admin removes an observer, and states a version in the event.
        try await sign("x.grp.mem.del", Self.removal(of: invented.id, version: Self.last), by: admin)
        #expect(try await stage.member(invented.id) == nil)
        #expect(try await stage.group()["rosterVersion"] == 1)
        try await stage.sendRoster(2, [])
        #expect(try await stage.member(admin.id)?["memberRole"] == "observer")
        await stage.core.controller.close()
    }

    /// An owner whose only relay is scripted. The test has the key of a second owner.
    private struct Owners {
        let stage: ChannelOwnerTests.Stage
        let entityID: [UInt8]
        let dan: (id: MemberID, key: Ed25519.PrivateKey, member: Int64)
        let bob: (id: MemberID, key: Ed25519.PrivateKey, member: Int64)

        init() async throws {
            stage = try await ChannelOwnerTests.Stage(relays: [.init()])
            try await stage.create("1")
            try await stage.waitForRelays(1)
            entityID = try #require(try await stage.link().signers.entityID)
            (dan, bob) = (try await stage.join("dan"), try await stage.join("bob"))
            try #require(try await stage.alice.run("/_member role #1 \(dan.member) owner")["type"] == "membersRoleUser")
        }

        /// Makes the relay pass on a signed event of a member, and returns when the owner has received it.
        func pass(
            _ event: String,
            _ params: String,
            by peer: (id: MemberID, key: Ed25519.PrivateKey, member: Int64)
        ) async throws {
            let channel = try #require(stage.relays[0].channel)
            let json = Array(
                #"{"v":"1-19","msgId":"\#(SharedMessageID.random().text)","event":"\#(event)","params":\#(params)}"#
                    .utf8
            )
            let signed = try SignedMessage(
                json,
                by: peer.key,
                bound: GroupBinding(publicGroupID: entityID, member: peer.id)
            ).element
            let marker = "marker \(SharedMessageID.random().text)"
            let post = Array(
                #"{"v":"1-19","msgId":"\#(SharedMessageID.random().text)","event":"x.msg.new","params":{"asGroup":true,"content":{"type":"text","text":"\#(marker)"}}}"#
                    .utf8
            )
            try await stage.relays[0].send(
                BinaryBatch.encode([
                    ForwardedMessage.encodeElement(by: peer.id, named: "somebody", at: .now, signed),
                    ForwardedMessage.encodeElement(by: nil, named: "", at: .now, post),
                ]),
                over: channel.connection
            )
            try await stage.alice.waitForItem(marker)
        }

        /// Waits until the relay has received all earlier messages.
        /// - Returns: the number of these messages.
        func mark() async throws -> Int {
            let marker = "post \(SharedMessageID.random().text)"
            try await stage.alice.post(marker)
            return try await stage.relays[0].wait { channel in
                channel.messages.contains {
                    if case .messageNew(let container) = $0.event {
                        container.content["text"]?.stringValue == marker
                    } else {
                        false
                    }
                }
            }.messages.count
        }

        /// Returns the owner's events about members and the channel that the relay has received since ``mark()``.
        func ownerEvents(since mark: Int) async throws -> [ChatMessageEvent] {
            _ = try await self.mark()
            return (stage.relays[0].channel?.messages ?? []).dropFirst(mark).map(\.event).filter {
                switch $0 {
                case .group(.memberRole), .group(.memberDelete), .group(.info): true
                default: false
                }
            }
        }
    }

    @Test
    func `An owner changes the roster version only by messages of owners, and never exceeds the last version`()
        async throws
    {
        let owners = try await Owners()
        let alice = owners.stage.alice
        let eve = try await owners.stage.join("eve")
        for params in [
            Self.role(of: owners.bob.id, "observer", version: Self.last),
            Self.role(of: .random(), "member", key: try Ed25519.PrivateKey(), version: Self.last),
        ] {
            try await owners.pass("x.grp.mem.role", params, by: eve)
        }
        try await owners.pass("x.grp.mem.del", Self.removal(of: owners.bob.id, version: Self.last), by: eve)
        #expect(try await alice.channel()["rosterVersion"] == 0)
        #expect(try await alice.run("/_member role #1 \(owners.bob.member) member")["type"] == "membersRoleUser")
        #expect(try await owners.stage.relays[0].wait { $0.rosters.count == 2 }.rosters.map(\.version) == [0, 1])
        // The highest version, signed by an owner.
        try await owners.pass(
            "x.grp.mem.role",
            Self.role(of: owners.bob.id, "moderator", version: Self.last),
            by: owners.dan
        )
        #expect(try await alice.channel()["rosterVersion"]?.integerValue == Self.last)
        let before = try await owners.mark()
        let refused = try await alice.run("/_member role #1 \(owners.bob.member) member")
        #expect(
            refused["errorType"]?["message"] == "the roster of the channel has reached its last version",
            "\(refused)"
        )
        try await owners.pass("x.grp.mem.role", Self.role(of: owners.bob.id, "admin", version: 1), by: owners.dan)
        #expect(try await owners.ownerEvents(since: before).isEmpty)
        #expect(
            try await owners.stage.members().first { $0["memberId"]?.stringValue == owners.bob.id.text }?["memberRole"]
                == "moderator"
        )
        await owners.stage.close()
    }

    @Test
    func `After two owners change the same member, one owner sends the agreed role or removal again`() async throws {
        let owners = try await Owners()
        let alice = owners.stage.alice
        let carol = try await owners.stage.join("carol")
        for role in ["member", "moderator"] {
            #expect(try await alice.run("/_member role #1 \(owners.bob.member) \(role)")["type"] == "membersRoleUser")
        }
        let relay = try #require(owners.stage.relays[0].channel).invitation.relayID
        var before = try await owners.mark()
        // A member unknown to the user, in a version below the user's version.
        try await owners.pass(
            "x.grp.mem.role",
            Self.role(of: .random(), "moderator", key: try Ed25519.PrivateKey(), version: 1),
            by: owners.dan
        )
        try await owners.pass("x.grp.mem.role", Self.role(of: relay, "member", version: 1), by: owners.dan)
        try await owners.pass("x.grp.mem.role", Self.role(of: relay, "member", version: 2), by: owners.dan)
        #expect(try await owners.ownerEvents(since: before) == [])
        before = try await owners.mark()
        try await owners.pass("x.grp.mem.role", Self.role(of: owners.bob.id, "member", version: 1), by: owners.dan)
        let restated = RosterChange(key: MemberKey(owners.bob.key.publicKey), version: 3)
        #expect(
            try await owners.ownerEvents(since: before) == [
                .group(.memberRole(owners.bob.id, .moderator, roster: restated))
            ]
        )
        // The user removes a member, and at the same time another owner makes the member a moderator. The member stays
        // removed.
        #expect(try await alice.run("/_remove #1 \(carol.member) messages=off")["type"] == "userDeletedMembers")
        before = try await owners.mark()
        try await owners.pass(
            "x.grp.mem.role",
            Self.role(of: carol.id, "moderator", key: carol.key, version: 4),
            by: owners.dan
        )
        #expect(
            try await owners.ownerEvents(since: before) == [
                .group(.memberDelete(carol.id, withMessages: false, roster: RosterChange(version: 5)))
            ]
        )
        #expect(try await !owners.stage.members().contains { $0["memberId"]?.stringValue == carol.id.text })
        before = try await owners.mark()
        try await owners.pass("x.grp.mem.del", Self.removal(of: owners.bob.id, version: 3), by: owners.dan)
        #expect(
            try await owners.ownerEvents(since: before) == [
                .group(.memberDelete(owners.bob.id, withMessages: false, roster: RosterChange(version: 6)))
            ]
        )
        #expect(
            try #require(owners.stage.relays[0].channel).rosters.last.map {
                [$0.version, Int64($0.roster.entries.count)]
            } == [6, 0]
        )
        await owners.stage.close()
    }

    @Test
    func `If another owner changes a channel's profile within a day after the user, the user sends the profile again`()
        async throws
    {
        let owners = try await Owners()
        let alice = owners.stage.alice
        let id = try #require(try await alice.channel()["groupProfile"]?["publicGroup"]?["publicGroupId"]?.stringValue)
        func change(_ name: String) async throws {
            let link = try #require(
                try await alice.channel()["groupProfile"]?["publicGroup"]?["groupLink"]?.stringValue
            )
            let part = #"{"groupType":"channel","groupLink":"\#(link)","publicGroupId":"\#(id)"}"#
            try await owners.pass(
                "x.grp.info",
                #"{"groupProfile":{"displayName":"\#(name)","fullName":"","publicGroup":\#(part)}}"#,
                by: owners.dan
            )
        }
        func changedAt() async throws -> Int64? {
            try await alice.controller.store.read { db in
                try db.first("SELECT profile_said_at FROM groups")?.int64OrNil("profile_said_at")
            }
        }
        #expect(
            try await alice.run("/_group_profile #1 {\"displayName\":\"by alice\",\"fullName\":\"\"}")["type"]
                == "groupUpdated"
        )
        let at = try #require(try await changedAt())
        var before = try await owners.mark()
        try await change("by dan")
        try await change("by dan again")
        #expect(try await owners.ownerEvents(since: before).count == 2)
        #expect(try await changedAt() == at)
        try await alice.controller.store.write { tx in
            try tx.db.execute("UPDATE groups SET profile_said_at = ?", [at - 24 * 3600 * 1_000_000_000])
        }
        before = try await owners.mark()
        try await change("by dan at last")
        #expect(try await owners.ownerEvents(since: before) == [])
        #expect(try await alice.channel()["groupProfile"]?["displayName"] == "by dan at last")
        await owners.stage.close()
    }
}
