internal import Agent
internal import ChatAPI
internal import JSON
internal import SMP
internal import SQLCipher
internal import SimpleXCrypto

/// What the link of a channel says now: its owners write it, and no relay can.
struct ChannelLinkData: Sendable {
    let request: ConnectionRequest
    let shown: GroupShortLinkData
    let signers: LinkSigners
    /// The links of the relays, as they are stored.
    let relays: [String]

    /// - Throws: `invalidConnReq` when it is the link of another channel, or of none.
    static func read(of group: GroupRecord, _ user: UserRecord, _ agent: Agent, patience: Patience) async throws -> ChannelLinkData {
        // The user's own channel was not prepared.
        guard let text = group.preparation?.link.link.connShortLink ?? group.profile.publicGroup?.groupLink, let link = try? ShortLink(atServer: text) else {
            throw ChatFailure(ChatErrorType.exception(message: "failed to retrieve relays: no short link"))
        }
        let (request, data, signers) = try await agent.linkData(user: user.agentUserId, link, patience: patience)
        guard case .contact(let contact) = data, let shown: GroupShortLinkData = ShortLinkData.decode(contact.userData), let id = signers.entityID,
            let publicGroup = shown.groupProfile.publicGroup, (try? Base64URL.decode(publicGroup.publicGroupId)) == id, group.channel?.publicGroupID == id,
            // Nobody else can make a link with this id.
            id == Digest.sha256(signers.rootKey.rawRepresentation)
        else { throw ChatFailure(ChatErrorType.invalidConnReq) }
        return ChannelLinkData(request: request, shown: shown, signers: signers, relays: contact.relays.map(\.uri))
    }
}

extension GroupRecord {
    /// Takes over the profile and the number of members.
    /// - Returns: whether anything has changed.
    @discardableResult
    func takeOver(_ link: ChannelLinkData, _ tx: Transaction) throws -> Bool {
        var group = self
        var profile = link.shown.groupProfile
        profile.displayName = DisplayName.ofPeer(profile.displayName)
        let count = link.shown.publicGroupData?.publicMemberCount
        try setPublicMembers(count, tx)
        guard profile != group.profile else { return count.map { $0 >= 0 && $0 != channel?.publicMembers } ?? false }
        try group.replace(profile, tx)
        return true
    }
}

extension RunningCommand {
    /// `/_get group link data #`: takes over the profile and the number of members, joins relays that are new, and leaves those that are not named any more.
    func updateFromLink(_ groupId: Int64, user: UserRecord) async throws -> ChatResponse {
        let group = try await store.read { db in try GroupRecord.get(groupId, user: user, in: db) }
        guard group.isChannel else { throw ChatFailure.command("group link data not available") }
        let link = try await withAgent { try await ChannelLinkData.read(of: group, user, $0, patience: .interactive) }
        return try await store.answer { tx in
            let group = try GroupRecord.get(groupId, user: user, in: tx.db)
            try group.takeOver(link, tx)
            // Owners and relays follow nobody.
            if group.membership.status.isActive, ![.owner, .relay].contains(group.membership.role) { try ChannelRelays.follow(link.relays, in: group, user, tx) }
            return .groupInfo(user: user.api, groupInfo: try GroupRecord.get(groupId, user: user, in: tx.db).api(user))
        }
    }
}

extension ChannelRelays {
    /// The relays that the link names are those of the channel. Those that have left stay as members while others serve it: the owner's word that they are removed
    /// comes by way of those.
    /// - Returns: whether there are other relays now.
    @discardableResult
    static func follow(_ links: [String], in group: GroupRecord, _ user: UserRecord, _ tx: Transaction) throws -> Bool {
        var isChanged = false
        let known = try all(of: group, tx.db)
        let current = known.filter(\.status.isCurrent)
        for relay in known {
            guard let link = relay.relayLink, !links.contains(link), relay.status.isCurrent || current.isEmpty else { continue }
            var relay = relay
            try relay.disconnect(afterDelivery: false, tx)
            try relay.remove(tx)
            isChanged = true
        }
        let served = Set(current.compactMap(\.relayLink))
        for link in links.prefix(limit) where !served.contains(link) {
            try MemberSteps.add(.relay, to: member(at: link, in: group, user, tx), request: link, tx)
            isChanged = true
        }
        return isChanged
    }
}
