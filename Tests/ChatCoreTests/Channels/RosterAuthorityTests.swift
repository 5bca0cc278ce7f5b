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
    private static let maxRosterVersion = Roster.maxRosterVersion

    private static func roleParams(
        of id: MemberID,
        _ role: String,
        key: Ed25519.PrivateKey? = nil,
        version: Int64
    ) -> String {
        let stated = key.map { #""memberKey":"\#(MemberKey($0.publicKey).text)","# } ?? ""
        return #"{"memberId":"\#(id.text)",\#(stated)"role":"\#(role)","rosterVersion":\#(version)}"#
    }

    private static func removalParams(of id: MemberID, version: Int64) -> String {
        #"{"memberId":"\#(id.text)","rosterVersion":\#(version)}"#
    }

    @Test
    func `The roster version at a relay changes only through messages of the channel's owners`() async throws {
        let stage = try await ServedStage(subscribers: 4)
        let (plain, other, admin, fourth) = (
            stage.subscribers[0], stage.subscribers[1], stage.subscribers[2], stage.subscribers[3]
        )
        let invented = (id: MemberID.random(), key: try Ed25519.PrivateKey())
        let attempts = [
            ("x.grp.mem.role", Self.roleParams(of: other.id, "observer", version: Self.maxRosterVersion)),
            ("x.grp.mem.role", Self.roleParams(of: plain.id, "moderator", version: Self.maxRosterVersion)),
            (
                "x.grp.mem.role",
                Self.roleParams(of: invented.id, "member", key: invented.key, version: Self.maxRosterVersion)
            ),
            (
                "x.grp.mem.role",
                Self.roleParams(of: invented.id, "observer", key: invented.key, version: Self.maxRosterVersion)
            ),
            ("x.grp.mem.role", Self.roleParams(of: stage.relayMemberID, "observer", version: Self.maxRosterVersion)),
            ("x.grp.mem.del", Self.removalParams(of: other.id, version: Self.maxRosterVersion)),
            ("x.grp.mem.del", Self.removalParams(of: invented.id, version: Self.maxRosterVersion)),
            ("x.grp.mem.del", Self.removalParams(of: stage.relayMemberID, version: Self.maxRosterVersion)),
        ]
        for (event, params) in attempts {
            try await stage.sendBody(stage.signedElement(stage.messageJSON(event, params), by: plain), from: plain)
        }
        #expect(try await stage.findGroup()?.channel?.rosterVersion == nil)
        #expect(try await stage.findMember(invented.id) == nil)
        #expect(try await stage.findMember(other.id)?.status == .connected)
        #expect(try await stage.countRows("relay_tasks") == 0)
        let errors = try await stage.core.events().filter { $0.event["type"] == "messageError" }
        #expect(errors.count == attempts.count)
        // An admin removes an observer. The version in the event is ignored.
        try await stage.setRole(.admin, of: admin)
        let removal = stage.messageJSON(
            "x.grp.mem.del",
            Self.removalParams(of: other.id, version: Self.maxRosterVersion)
        )
        try await stage.sendBody(stage.signedElement(removal, by: admin), from: admin)
        #expect(try await stage.findMember(other.id) == nil)
        try await stage.sendBody(
            stage.signedElement(
                stage.messageJSON(
                    "x.grp.mem.role",
                    Self.roleParams(of: invented.id, "observer", key: invented.key, version: Self.maxRosterVersion)
                ),
                by: admin
            ),
            from: admin
        )
        #expect(try await stage.findMember(invented.id) == nil)
        #expect(try await stage.findGroup()?.channel?.rosterVersion == nil)
        // The refused versions were not stored, so the owner can still change the roster.
        try await stage.sendRoster(
            1,
            [Roster.Entry(id: fourth.id, key: MemberKey(fourth.key.publicKey), role: .moderator)]
        )
        #expect(try await stage.findMember(fourth.id)?.role == .moderator)
        #expect(try await stage.findGroup()?.channel?.rosterVersion == 1)
        await stage.core.controller.close()
    }

    @Test
    func `The roster version at a subscriber changes only through messages of owners, even if a relay invents members`()
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
            try await stage.sendElements(stage.messageJSON("x.grp.mem.new", #"{"memberInfo":\#(info)}"#))
        }
        func sign(_ event: String, _ params: String, by peer: ChannelStage.Peer) async throws {
            try await stage.sendElements(
                stage.forwardedElement(stage.signedElement(stage.messageJSON(event, params), by: peer), by: peer.id)
            )
        }
        try await announce(invented, "mallory")
        let (nobody, key) = (MemberID.random(), try Ed25519.PrivateKey())
        for peer in [invented, ChannelStage.Peer(id: stage.relays[0].id, key: stage.relays[0].key)] {
            try await sign(
                "x.grp.mem.role",
                Self.roleParams(of: invented.id, "observer", version: Self.maxRosterVersion),
                by: peer
            )
            try await sign(
                "x.grp.mem.role",
                Self.roleParams(of: stage.userMemberID, "observer", version: Self.maxRosterVersion),
                by: peer
            )
            try await sign(
                "x.grp.mem.role",
                Self.roleParams(of: nobody, "member", key: key, version: Self.maxRosterVersion),
                by: peer
            )
            try await sign(
                "x.grp.mem.del",
                Self.removalParams(of: invented.id, version: Self.maxRosterVersion),
                by: peer
            )
            try await sign(
                "x.grp.mem.del",
                Self.removalParams(of: stage.userMemberID, version: Self.maxRosterVersion),
                by: peer
            )
        }
        #expect(try await stage.groupInfo()["rosterVersion"] == nil)
        #expect(try await stage.groupInfo()["membership"]?["memberStatus"] == "connected")
        #expect(try await stage.findMember(nobody) == nil)
        #expect(try await stage.findMember(invented.id)?["memberRole"] == "observer")
        try await stage.sendRoster(1, [Roster.Entry(id: admin.id, key: MemberKey(admin.key.publicKey), role: .admin)])
        #expect(try await stage.groupInfo()["rosterVersion"] == 1)
        // An admin removes an observer, and states a version in the event.
        try await sign("x.grp.mem.del", Self.removalParams(of: invented.id, version: Self.maxRosterVersion), by: admin)
        #expect(try await stage.findMember(invented.id) == nil)
        #expect(try await stage.groupInfo()["rosterVersion"] == 1)
        try await stage.sendRoster(2, [])
        #expect(try await stage.findMember(admin.id)?["memberRole"] == "observer")
        await stage.core.controller.close()
    }

    /// An owner whose only relay is scripted. The test has the key of a second owner.
    private struct OwnerStage {
        let stage: ChannelOwnerTests.Stage
        let entityID: [UInt8]
        let dan: (id: MemberID, key: Ed25519.PrivateKey, member: Int64)
        let bob: (id: MemberID, key: Ed25519.PrivateKey, member: Int64)

        init() async throws {
            stage = try await ChannelOwnerTests.Stage(relays: [.init()])
            try await stage.createChannel("1")
            try await stage.waitForRelays(1)
            entityID = try #require(try await stage.fetchLink().signers.entityID)
            (dan, bob) = (try await stage.announceSubscriber("dan"), try await stage.announceSubscriber("bob"))
            try #require(try await stage.alice.run("/_member role #1 \(dan.member) owner")["type"] == "membersRoleUser")
        }

        /// Makes the relay pass on a signed event of a member, and returns when the owner has received it.
        func passEvent(
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
            try await stage.relays[0].sendBody(
                BinaryBatch.encodeElements([
                    ForwardedMessage.encodeElement(by: peer.id, named: "somebody", at: .now, signed),
                    ForwardedMessage.encodeElement(by: nil, named: "", at: .now, post),
                ]),
                over: channel.connection
            )
            try await stage.alice.waitForItem(marker)
        }

        /// Waits until the relay has received all earlier messages.
        /// - Returns: the number of these messages.
        func countReceivedMessages() async throws -> Int {
            let marker = "post \(SharedMessageID.random().text)"
            try await stage.alice.postAsChannel(marker)
            return try await stage.relays[0].waitForChannel { channel in
                channel.messages.contains {
                    if case .messageNew(let container) = $0.event {
                        container.content["text"]?.stringValue == marker
                    } else {
                        false
                    }
                }
            }.messages.count
        }

        /// Returns the owner's events about members and the channel that the relay has received since
        /// ``countReceivedMessages()``.
        func receivedOwnerEvents(since mark: Int) async throws -> [ChatMessageEvent] {
            _ = try await self.countReceivedMessages()
            return (stage.relays[0].channel?.messages ?? []).dropFirst(mark).map(\.event).filter {
                switch $0 {
                case .group(.memberRole), .group(.memberDelete), .group(.info): true
                default: false
                }
            }
        }
    }

    @Test
    func `The roster version at an owner changes only through messages of owners, and never exceeds its maximum`()
        async throws
    {
        let owners = try await OwnerStage()
        let alice = owners.stage.alice
        let eve = try await owners.stage.announceSubscriber("eve")
        for params in [
            Self.roleParams(of: owners.bob.id, "observer", version: Self.maxRosterVersion),
            Self.roleParams(of: .random(), "member", key: try Ed25519.PrivateKey(), version: Self.maxRosterVersion),
        ] {
            try await owners.passEvent("x.grp.mem.role", params, by: eve)
        }
        try await owners.passEvent(
            "x.grp.mem.del",
            Self.removalParams(of: owners.bob.id, version: Self.maxRosterVersion),
            by: eve
        )
        #expect(try await alice.channelInfo()["rosterVersion"] == 0)
        #expect(try await alice.run("/_member role #1 \(owners.bob.member) member")["type"] == "membersRoleUser")
        #expect(
            try await owners.stage.relays[0].waitForChannel { $0.rosters.count == 2 }.rosters.map(\.version) == [0, 1]
        )
        // An owner signs a change with the highest version. No later change is possible.
        try await owners.passEvent(
            "x.grp.mem.role",
            Self.roleParams(of: owners.bob.id, "moderator", version: Self.maxRosterVersion),
            by: owners.dan
        )
        #expect(try await alice.channelInfo()["rosterVersion"]?.integerValue == Self.maxRosterVersion)
        let before = try await owners.countReceivedMessages()
        let refused = try await alice.run("/_member role #1 \(owners.bob.member) member")
        #expect(
            refused["errorType"]?["message"] == "the roster of the channel has reached its last version",
            "\(refused)"
        )
        try await owners.passEvent(
            "x.grp.mem.role",
            Self.roleParams(of: owners.bob.id, "admin", version: 1),
            by: owners.dan
        )
        #expect(try await owners.receivedOwnerEvents(since: before).isEmpty)
        #expect(
            try await owners.stage.listMembers().first { $0["memberId"]?.stringValue == owners.bob.id.text }?[
                "memberRole"
            ]
                == "moderator"
        )
        await owners.stage.close()
    }

    @Test
    func `After two owners change the same member, one of them sends the agreed role or removal to the members again`()
        async throws
    {
        let owners = try await OwnerStage()
        let alice = owners.stage.alice
        let carol = try await owners.stage.announceSubscriber("carol")
        for role in ["member", "moderator"] {
            #expect(try await alice.run("/_member role #1 \(owners.bob.member) \(role)")["type"] == "membersRoleUser")
        }
        let relay = try #require(owners.stage.relays[0].channel).invitation.relayID
        var before = try await owners.countReceivedMessages()
        // The other owner changes a member whom the user does not know, in a version below the user's version.
        try await owners.passEvent(
            "x.grp.mem.role",
            Self.roleParams(of: .random(), "moderator", key: try Ed25519.PrivateKey(), version: 1),
            by: owners.dan
        )
        try await owners.passEvent("x.grp.mem.role", Self.roleParams(of: relay, "member", version: 1), by: owners.dan)
        try await owners.passEvent("x.grp.mem.role", Self.roleParams(of: relay, "member", version: 2), by: owners.dan)
        #expect(try await owners.receivedOwnerEvents(since: before) == [])
        before = try await owners.countReceivedMessages()
        try await owners.passEvent(
            "x.grp.mem.role",
            Self.roleParams(of: owners.bob.id, "member", version: 1),
            by: owners.dan
        )
        let restated = RosterChange(key: MemberKey(owners.bob.key.publicKey), version: 3)
        #expect(
            try await owners.receivedOwnerEvents(since: before) == [
                .group(.memberRole(owners.bob.id, .moderator, roster: restated))
            ]
        )
        // The user removes a member, and at the same time another owner makes the member a moderator. The member stays
        // removed.
        #expect(try await alice.run("/_remove #1 \(carol.member) messages=off")["type"] == "userDeletedMembers")
        before = try await owners.countReceivedMessages()
        try await owners.passEvent(
            "x.grp.mem.role",
            Self.roleParams(of: carol.id, "moderator", key: carol.key, version: 4),
            by: owners.dan
        )
        #expect(
            try await owners.receivedOwnerEvents(since: before) == [
                .group(.memberDelete(carol.id, withMessages: false, roster: RosterChange(version: 5)))
            ]
        )
        #expect(try await !owners.stage.listMembers().contains { $0["memberId"]?.stringValue == carol.id.text })
        before = try await owners.countReceivedMessages()
        try await owners.passEvent("x.grp.mem.del", Self.removalParams(of: owners.bob.id, version: 3), by: owners.dan)
        #expect(
            try await owners.receivedOwnerEvents(since: before) == [
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
    func `If another owner changes a channel's profile within a day after the user, the user's change is sent again`()
        async throws
    {
        let owners = try await OwnerStage()
        let alice = owners.stage.alice
        let id = try #require(
            try await alice.channelInfo()["groupProfile"]?["publicGroup"]?["publicGroupId"]?.stringValue
        )
        func change(_ name: String) async throws {
            let link = try #require(
                try await alice.channelInfo()["groupProfile"]?["publicGroup"]?["groupLink"]?.stringValue
            )
            let part = #"{"groupType":"channel","groupLink":"\#(link)","publicGroupId":"\#(id)"}"#
            try await owners.passEvent(
                "x.grp.info",
                #"{"groupProfile":{"displayName":"\#(name)","fullName":"","publicGroup":\#(part)}}"#,
                by: owners.dan
            )
        }
        func changedAt() async throws -> Int64? {
            try await alice.controller.store.read { db in
                try db.firstRow("SELECT profile_said_at FROM groups")?.int64OrNil("profile_said_at")
            }
        }
        #expect(
            try await alice.run("/_group_profile #1 {\"displayName\":\"by alice\",\"fullName\":\"\"}")["type"]
                == "groupUpdated"
        )
        let at = try #require(try await changedAt())
        var before = try await owners.countReceivedMessages()
        try await change("by dan")
        try await change("by dan again")
        #expect(try await owners.receivedOwnerEvents(since: before).count == 2)
        #expect(try await changedAt() == at)
        try await alice.controller.store.write { tx in
            try tx.db.execute("UPDATE groups SET profile_said_at = ?", [at - 24 * 3600 * 1_000_000_000])
        }
        before = try await owners.countReceivedMessages()
        try await change("by dan at last")
        #expect(try await owners.receivedOwnerEvents(since: before) == [])
        #expect(try await alice.channelInfo()["groupProfile"]?["displayName"] == "by dan at last")
        await owners.stage.close()
    }
}
