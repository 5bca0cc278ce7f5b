import ChatAPI
import ChatProtocol
import JSON
import SimpleXCrypto
import Testing

@testable import Agent
@testable import ChatCore

@Suite("Rosters and subscribers at relays of channels", .socketTimeLimit)
struct RelayRosterTests {
    @Test
    func `A relay acknowledges a valid roster, refuses a damaged roster, and sends the roster once to each requester`()
        async throws
    {
        let stage = try await ServedStage()
        let (member, other) = (stage.subscribers[0], stage.subscribers[1])
        let entry = Roster.Entry(id: member.id, key: MemberKey(member.key.publicKey), role: .member)
        try await stage.sendRoster(1, [entry], damaged: true)
        try await stage.sendRoster(1, [entry])
        let acknowledged = try await stage.readPassedMessages(to: stage.owner).flatMap(\.relayEvents).map {
            event -> String? in
            if case .relay(.rosterReceived(let version, let error)) = event { "\(version) \(error ?? "")" } else { nil }
        }
        #expect(acknowledged == ["1 the roster is not valid", "1 "])
        #expect(try await stage.findMember(member.id)?.role == .member)
        #expect(try await stage.findGroup()?.relayStatus == .acknowledgedRoster)
        try await stage.clearOutbox()
        let request = stage.messageJSON("x.grp.roster.request", #"{"version":0}"#)
        for _ in 0..<2 { try await stage.sendBody(request, from: other) }
        let served = try await stage.readPassedMessages(to: other)
        #expect(
            served.count == 2 && served[0].forwardedMessages.first?.authorID == stage.owner.id
                && served[0].forwardedMessages.first?.signedMessage != nil
        )
        guard case .success(.chunk(let chunk))? = served.last?.elements.first?.content else { throw MissingChunk() }
        #expect(chunk.chunkNumber == 1 && chunk.bytes == Roster([entry]).encoded)
        // This subscriber already has the roster, so the relay sends no roster.
        try await stage.sendBody(
            stage.messageJSON("x.grp.roster.request", #"{"version":1}"#),
            from: stage.subscribers[2]
        )
        #expect(try await stage.readPassedMessages(to: stage.subscribers[2]).isEmpty)
        // Only an owner may send a roster, so this one is refused.
        let forged = JSONValue.object(RosterHeader(version: 9, of: [0, 0]).params).text
        try await stage.sendBody(
            stage.signedElement(stage.messageJSON("x.grp.roster", forged), by: member),
            from: member
        )
        #expect(try await stage.findGroup()?.channel?.rosterVersion == 1)
        await stage.core.controller.close()
    }

    @Test
    func `A damaged copy of a roster does not replace the relay's stored roster, and its sender gets an error`()
        async throws
    {
        let stage = try await ServedStage()
        let member = stage.subscribers[0]
        let entry = Roster.Entry(id: member.id, key: MemberKey(member.key.publicKey), role: .moderator)
        try await stage.sendRoster(3, [entry])
        try await stage.clearOutbox()
        try await stage.sendRoster(3, [entry], damaged: true)
        let answers = try await stage.readPassedMessages(to: stage.owner).flatMap(\.relayEvents)
        #expect(answers == [.relay(.rosterReceived(version: 3, error: "the roster is not valid"))])
        try await stage.sendBody(
            stage.messageJSON("x.grp.roster.request", #"{"version":0}"#),
            from: stage.subscribers[1]
        )
        guard
            case .success(.chunk(let chunk))? = try await stage.readPassedMessages(to: stage.subscribers[1]).last?
                .elements.first?
                .content
        else { throw MissingChunk() }
        #expect(chunk.bytes == Roster([entry]).encoded)
        await stage.core.controller.close()
    }

    private struct MissingChunk: Error {}

    @Test
    func `A relay accepts a change of a role only with the owner's signature and the member's key in the message`()
        async throws
    {
        let stage = try await ServedStage()
        let member = stage.subscribers[0]
        let entry = Roster.Entry(id: member.id, key: MemberKey(member.key.publicKey), role: .moderator)
        try await stage.sendRoster(1, [entry])
        let change = stage.messageJSON(
            "x.grp.mem.role",
            #"{"memberId":"\#(member.id.text)","role":"moderator","memberKey":"\#(MemberKey(member.key.publicKey).text)","rosterVersion":1}"#
        )
        let element = try stage.signedElement(change, by: stage.owner)
        try await stage.sendBody(element, from: stage.owner)
        try await stage.sendAllPages()
        #expect(
            try await stage.readPassedMessages(to: stage.subscribers[2]).flatMap(\.forwardedMessages).compactMap {
                $0.signedMessage?.element
            } == [
                element
            ]
        )
        #expect(try await stage.findMember(member.id)?.role == .moderator)
        // Roster 2 takes the role. A change of the role with the older version 1 then has no effect.
        try await stage.sendRoster(2, [])
        let again = try stage.signedElement(
            stage.messageJSON("x.grp.mem.role", #"{"memberId":"\#(member.id.text)","role":"admin","rosterVersion":1}"#),
            by: stage.owner
        )
        try await stage.sendBody(again, from: stage.owner)
        #expect(try await stage.findMember(member.id)?.role == .observer)
        #expect(try await stage.countRows("relay_tasks") == 0)
        await stage.core.controller.close()
    }

    /// Makes a new member send a request at the link.
    private func sendJoinRequest(
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
    func `A relay refuses a join request with the id or key of another member, or for another relay`() async throws {
        let stage = try await ServedStage()
        let (key, stranger) = (try Ed25519.PrivateKey(), try Ed25519.PrivateKey())
        let known = stage.subscribers[0]
        #expect(try await sendJoinRequest(stage, as: .random(), key: key, relay: .random()) != nil)
        #expect(
            try await sendJoinRequest(stage, as: .random(), key: key, signedBy: stranger, relay: stage.relayMemberID)
                != nil
        )
        #expect(
            try await sendJoinRequest(stage, as: stage.owner.id, key: stage.owner.key, relay: stage.relayMemberID)
                != nil
        )
        #expect(try await sendJoinRequest(stage, as: stage.relayMemberID, key: key, relay: stage.relayMemberID) != nil)
        #expect(try await sendJoinRequest(stage, as: known.id, key: key, relay: stage.relayMemberID) != nil)
        #expect(
            try await sendJoinRequest(stage, as: known.id, key: known.key, relay: stage.relayMemberID, isSigned: false)
                != nil
        )
        #expect(try await sendJoinRequest(stage, as: known.id, key: known.key, relay: nil) != nil)
        #expect(try await stage.countRows("group_members") == 5)
        var few = ChannelRelayLimits()
        few.maxMembersPerChannel = 5
        #expect(
            try await sendJoinRequest(stage, as: .random(), key: key, relay: stage.relayMemberID, limits: few) != nil
        )
        // A request without a signature is accepted, because earlier programs do not sign requests.
        #expect(try await sendJoinRequest(stage, as: .random(), key: key, relay: nil, isSigned: false) == nil)
        let id = MemberID.random()
        #expect(try await sendJoinRequest(stage, as: id, key: stranger, relay: stage.relayMemberID) == nil)
        #expect(try await stage.findMember(id)?.role == .observer)
        #expect(try await stage.findMember(id)?.signatureKey == stranger.publicKey)
        // A known member may join again, for example after the loss of its connection.
        #expect(try await sendJoinRequest(stage, as: known.id, key: known.key, relay: stage.relayMemberID) == nil)
        #expect(try await stage.findMember(known.id)?.connection?.status == .new)
        // A removed member can return only with another id, whatever an older roster contains.
        let removal = stage.messageJSON("x.grp.mem.del", #"{"memberId":"\#(id.text)"}"#)
        try await stage.sendBody(stage.signedElement(removal, by: stage.owner), from: stage.owner)
        // The removal also counts if the table has no row of the member.
        for isForgotten in [false, true] {
            if isForgotten {
                try await stage.core.controller.store.write { [bytes = id.bytes] tx in
                    try tx.db.execute("DELETE FROM group_members WHERE member_id = ?", [bytes])
                }
            }
            #expect(try await sendJoinRequest(stage, as: id, key: stranger, relay: stage.relayMemberID) != nil)
            try await stage.sendRoster(
                isForgotten ? 2 : 1,
                [Roster.Entry(id: id, key: MemberKey(stranger.publicKey), role: .admin)]
            )
            let member = try await stage.findMember(id)
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
        try await stage.sendBody(stage.postBody("as the channel"), from: stage.owner)
        try await stage.sendBody(stage.postBody("as alice", asGroup: false), from: stage.owner)
        try await stage.sendAllPages()
        try await stage.clearOutbox()
        try await stage.core.controller.store.write { tx in
            let user = try #require(try UserRecord.find(1, in: tx.db))
            try MemberIntroduction(group: GroupRecord.get(1, user: user, in: tx.db), user: user, tx: tx)
                .introduceNewcomer(
                    try #require(try MemberRecord.find(newcomer.id, group: 1, user: 1, tx.db))
                )
        }
        for peer in [stage.owner, moderator] {
            guard
                case .group(.memberNew(let info, nil))? = try await stage.readPassedMessages(to: peer).first?
                    .relayEvents.first
            else {
                throw MissingChunk()
            }
            #expect(info.id == newcomer.id)
        }
        #expect(try await stage.readPassedMessages(to: stage.subscribers[1]).isEmpty)
        let got = try await stage.readPassedMessages(to: newcomer)
        #expect(got.flatMap(\.relayEvents).map(\.tag) == ["x.grp.link.mem", "x.grp.mem.intro", "x.grp.mem.intro"])
        #expect(
            got.flatMap(\.forwardedMessages).map { $0.message["event"]?.stringValue } == [
                "x.grp.roster", "x.msg.new", "x.msg.new",
            ]
        )
        #expect(got.flatMap(\.forwardedTexts) == ["as the channel", "as alice"])
        #expect(got.flatMap(\.forwardedMessages).map(\.authorID) == [stage.owner.id, nil, stage.owner.id])
        await stage.core.controller.close()
    }
}
