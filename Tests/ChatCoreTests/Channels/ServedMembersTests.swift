import ChatAPI
import ChatProtocol
import JSON
import SimpleXCrypto
import Testing

@testable import Agent
@testable import ChatCore

@Suite("Rosters and subscribers at relays of channels", .socketTimeLimit)
struct ServedMembersTests {
    @Test
    func `A relay acknowledges a roster or refuses a damaged one, and sends the roster once to a subscriber`()
        async throws
    {
        let stage = try await ServedStage()
        let (member, other) = (stage.subscribers[0], stage.subscribers[1])
        let entry = Roster.Entry(id: member.id, key: MemberKey(member.key.publicKey), role: .member)
        try await stage.sendRoster(1, [entry], damaged: true)
        try await stage.sendRoster(1, [entry])
        let acknowledged = try await stage.passed(to: stage.owner).flatMap(\.events).map { event -> String? in
            if case .relay(.rosterReceived(let version, let error)) = event { "\(version) \(error ?? "")" } else { nil }
        }
        #expect(acknowledged == ["1 the roster is not valid", "1 "])
        #expect(try await stage.member(member.id)?.role == .member)
        #expect(try await stage.group()?.relayStatus == .acknowledgedRoster)
        try await stage.clear()
        let request = stage.json("x.grp.roster.request", #"{"version":0}"#)
        for _ in 0..<2 { try await stage.send(request, from: other) }
        let served = try await stage.passed(to: other)
        #expect(
            served.count == 2 && served[0].forwards.first?.authorID == stage.owner.id
                && served[0].forwards.first?.signedMessage != nil
        )
        guard case .success(.chunk(let chunk))? = served.last?.elements.first?.content else { throw NoChunk() }
        #expect(chunk.number == 1 && chunk.bytes == Roster([entry]).encoded)
        // A subscriber that already has the roster.
        try await stage.send(stage.json("x.grp.roster.request", #"{"version":1}"#), from: stage.subscribers[2])
        #expect(try await stage.passed(to: stage.subscribers[2]).isEmpty)
        // Only an owner may send a roster.
        let forged = JSONValue.object(RosterHeader(version: 9, of: [0, 0]).params).text
        try await stage.send(stage.signed(stage.json("x.grp.roster", forged), by: member), from: member)
        #expect(try await stage.group()?.channel?.rosterVersion == 1)
        await stage.core.controller.close()
    }

    @Test
    func `A damaged copy does not replace the stored roster, and its sender gets an error`() async throws {
        let stage = try await ServedStage()
        let member = stage.subscribers[0]
        let entry = Roster.Entry(id: member.id, key: MemberKey(member.key.publicKey), role: .moderator)
        try await stage.sendRoster(3, [entry])
        try await stage.clear()
        try await stage.sendRoster(3, [entry], damaged: true)
        let answers = try await stage.passed(to: stage.owner).flatMap(\.events)
        #expect(answers == [.relay(.rosterReceived(version: 3, error: "the roster is not valid"))])
        try await stage.send(stage.json("x.grp.roster.request", #"{"version":0}"#), from: stage.subscribers[1])
        guard
            case .success(.chunk(let chunk))? = try await stage.passed(to: stage.subscribers[1]).last?.elements.first?
                .content
        else { throw NoChunk() }
        #expect(chunk.bytes == Roster([entry]).encoded)
        await stage.core.controller.close()
    }

    private struct NoChunk: Error {}

    @Test
    func `A role changes only with the owner's signature and the key in the message`() async throws {
        let stage = try await ServedStage()
        let member = stage.subscribers[0]
        let entry = Roster.Entry(id: member.id, key: MemberKey(member.key.publicKey), role: .moderator)
        try await stage.sendRoster(1, [entry])
        let change = stage.json(
            "x.grp.mem.role",
            #"{"memberId":"\#(member.id.text)","role":"moderator","memberKey":"\#(MemberKey(member.key.publicKey).text)","rosterVersion":1}"#
        )
        let element = try stage.signed(change, by: stage.owner)
        try await stage.send(element, from: stage.owner)
        try await stage.workAll()
        #expect(
            try await stage.passed(to: stage.subscribers[2]).flatMap(\.forwards).compactMap {
                $0.signedMessage?.element
            } == [
                element
            ]
        )
        #expect(try await stage.member(member.id)?.role == .moderator)
        // An older roster arrives again.
        try await stage.sendRoster(2, [])
        let again = try stage.signed(
            stage.json("x.grp.mem.role", #"{"memberId":"\#(member.id.text)","role":"admin","rosterVersion":1}"#),
            by: stage.owner
        )
        try await stage.send(again, from: stage.owner)
        #expect(try await stage.member(member.id)?.role == .observer)
        #expect(try await stage.count("relay_tasks") == 0)
        await stage.core.controller.close()
    }

    /// Makes a new member send a request at the link.
    private func join(
        _ stage: ServedStage,
        as id: MemberID,
        key: Ed25519.PrivateKey,
        signedBy signer: Ed25519.PrivateKey? = nil,
        relay: MemberID?,
        isSigned: Bool = true,
        limits: ChannelRelayLimits = ChannelRelayLimits()
    ) async throws -> String? {
        let request = ChannelJoinRequest(
            profile: ["displayName": "dan", "fullName": ""],
            id: id,
            key: MemberKey(key.publicKey),
            relay: relay
        )
        let body = try ChatMessage(event: .relay(.join(request))).encoded()
        let signed =
            try isSigned
            ? SignedMessage(body, by: signer ?? key, bound: GroupBinding(publicGroupID: stage.entityID, member: id))
            : nil
        return try await stage.core.controller.store.write { tx in
            try tx.db.execute(
                """
                INSERT OR IGNORE INTO group_links (user_contact_link_id, user_id, group_id, connection_id, agent_conn_id, conn_full_link, conn_short_link, group_link_id,
                  member_role, created_at) VALUES (1, 1, 1, 1000000, 'link', 'full', 'short', 'id', 'observer', 1)
                """
            )
            let user = try #require(try UserRecord.find(1, in: tx.db))
            let group = try GroupRecord.get(1, user: user, in: tx.db)
            let link = try #require(try GroupLinkRecord.find(of: group, in: tx.db))
            do {
                let joining = try SubscriptionRequest(
                    request: request,
                    signedMessage: signed,
                    versions: .supported,
                    link: link,
                    user: user,
                    tx: tx
                )
                .storeMember(in: group, over: ConnectionID(), by: [UInt8](id.bytes), limits)
                return joining == nil ? "nothing" : nil
            } catch SubscriptionRequest.Refusal.refused(let reason) {
                return reason
            }
        }
    }

    @Test
    func `A join request with the id or key of another member, or for another relay, is refused`() async throws {
        let stage = try await ServedStage()
        let (key, stranger) = (try Ed25519.PrivateKey(), try Ed25519.PrivateKey())
        let known = stage.subscribers[0]
        #expect(try await join(stage, as: .random(), key: key, relay: .random()) != nil)
        #expect(try await join(stage, as: .random(), key: key, signedBy: stranger, relay: stage.me) != nil)
        #expect(try await join(stage, as: stage.owner.id, key: stage.owner.key, relay: stage.me) != nil)
        #expect(try await join(stage, as: stage.me, key: key, relay: stage.me) != nil)
        #expect(try await join(stage, as: known.id, key: key, relay: stage.me) != nil)
        #expect(try await join(stage, as: known.id, key: known.key, relay: stage.me, isSigned: false) != nil)
        #expect(try await join(stage, as: known.id, key: known.key, relay: nil) != nil)
        #expect(try await stage.count("group_members") == 5)
        var few = ChannelRelayLimits()
        few.maxMembersPerChannel = 5
        #expect(try await join(stage, as: .random(), key: key, relay: stage.me, limits: few) != nil)
        // A request without a signature is accepted, because earlier programs do not sign requests.
        #expect(try await join(stage, as: .random(), key: key, relay: nil, isSigned: false) == nil)
        let id = MemberID.random()
        #expect(try await join(stage, as: id, key: stranger, relay: stage.me) == nil)
        #expect(try await stage.member(id)?.role == .observer)
        #expect(try await stage.member(id)?.signatureKey == stranger.publicKey)
        // A known member may join again, for example after the loss of its connection.
        #expect(try await join(stage, as: known.id, key: known.key, relay: stage.me) == nil)
        #expect(try await stage.member(known.id)?.connection?.status == .new)
        // A removed member can return only with another id, whatever an older roster contains.
        let removal = stage.json("x.grp.mem.del", #"{"memberId":"\#(id.text)"}"#)
        try await stage.send(stage.signed(removal, by: stage.owner), from: stage.owner)
        // The removal also counts if the table has no row of the member.
        for isForgotten in [false, true] {
            if isForgotten {
                try await stage.core.controller.store.write { [bytes = id.bytes] tx in
                    try tx.db.execute("DELETE FROM group_members WHERE member_id = ?", [bytes])
                }
            }
            #expect(try await join(stage, as: id, key: stranger, relay: stage.me) != nil)
            try await stage.sendRoster(
                isForgotten ? 2 : 1,
                [Roster.Entry(id: id, key: MemberKey(stranger.publicKey), role: .admin)]
            )
            let member = try await stage.member(id)
            #expect(isForgotten ? member == nil : member?.status == .removed && member?.role == .observer)
        }
        await stage.core.controller.close()
    }

    @Test
    func `A relay introduces a newcomer only to owners and moderators, and sends roster and history to the newcomer`()
        async throws
    {
        let stage = try await ServedStage()
        let (moderator, newcomer) = (stage.subscribers[0], stage.subscribers[2])
        try await stage.sendRoster(
            1,
            [Roster.Entry(id: moderator.id, key: MemberKey(moderator.key.publicKey), role: .moderator)]
        )
        try await stage.send(stage.post("as the channel"), from: stage.owner)
        try await stage.send(stage.post("as alice", asGroup: false), from: stage.owner)
        try await stage.workAll()
        try await stage.clear()
        try await stage.core.controller.store.write { tx in
            let user = try #require(try UserRecord.find(1, in: tx.db))
            try ServedMembers(group: GroupRecord.get(1, user: user, in: tx.db), user: user, tx: tx).introduceNewcomer(
                try #require(try MemberRecord.find(newcomer.id, group: 1, user: 1, tx.db))
            )
        }
        for peer in [stage.owner, moderator] {
            guard case .group(.memberNew(let info, nil))? = try await stage.passed(to: peer).first?.events.first else {
                throw NoChunk()
            }
            #expect(info.id == newcomer.id)
        }
        #expect(try await stage.passed(to: stage.subscribers[1]).isEmpty)
        let got = try await stage.passed(to: newcomer)
        #expect(got.flatMap(\.events).map(\.tag) == ["x.grp.link.mem", "x.grp.mem.intro", "x.grp.mem.intro"])
        #expect(
            got.flatMap(\.forwards).map { $0.message["event"]?.stringValue } == [
                "x.grp.roster", "x.msg.new", "x.msg.new",
            ]
        )
        #expect(got.flatMap(\.texts) == ["as the channel", "as alice"])
        #expect(got.flatMap(\.forwards).map(\.authorID) == [stage.owner.id, nil, stage.owner.id])
        await stage.core.controller.close()
    }
}
