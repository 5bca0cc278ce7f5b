internal import Agent
internal import ChatAPI
internal import ChatStore
internal import JSON
internal import SMP
internal import SQLCipher
internal import SimpleXCrypto

/// Current data of the link of a channel. Only owners of the channel can write the data.
struct ChannelLinkData: Sendable {
    let request: ConnectionRequest
    let publicData: GroupShortLinkData
    let signers: LinkSigners
    /// The links of the relays as text, in the form in which ``MemberRecord/relayLink`` is stored.
    let relays: [String]

    /// Reads the link of a channel from its server.
    /// - Throws: `invalidConnReq` when the link belongs to another channel, or to no channel.
    static func readFromServer(
        of group: GroupRecord,
        _ user: UserRecord,
        _ agent: Agent,
        patience: Patience
    ) async throws -> ChannelLinkData {
        // A channel of others that the user joins has its link in `preparation`. The user's own channel has its link in
        // the profile.
        guard let text = group.preparation?.chatPreparation.link.connShortLink ?? group.profile.publicGroup?.groupLink,
            let link = try? ShortLink(atServer: text)
        else {
            throw ChatFailure(
                ChatErrorType.exception(message: "the relays of the channel are unknown without its short link")
            )
        }
        let (request, data, signers) = try await agent.fetchLinkData(user: user.agentUserId, link, patience: patience)
        guard case .contact(let contact) = data, let shown: GroupShortLinkData = ShortLinkData.decode(contact.userData),
            let id = signers.entityID,
            let publicGroup = shown.groupProfile.publicGroup, (try? Base64URL.decode(publicGroup.publicGroupId)) == id,
            group.channel?.publicGroupID == id,
            // The id of a channel is the hash of its root key. So nobody without the private root key can make a link
            // with this id.
            id == Digest.sha256(signers.rootKey.rawRepresentation)
        else { throw ChatFailure(ChatErrorType.invalidConnReq) }
        return ChannelLinkData(request: request, publicData: shown, signers: signers, relays: contact.relays.map(\.uri))
    }
}

extension GroupRecord {
    /// Stores the profile and the number of members from the link of the channel.
    /// - Returns: whether anything has changed.
    @discardableResult
    func storeLinkData(_ link: ChannelLinkData, _ tx: Transaction) throws -> Bool {
        var group = self
        var profile = link.publicData.groupProfile
        profile.replaceUnshowableValues()
        let count = link.publicData.publicGroupData?.publicMemberCount
        try setPublicMemberCount(count, tx)
        guard profile != group.profile else {
            return count.map { $0 >= 0 && $0 != channel?.publicMemberCount } ?? false
        }
        try group.replaceProfile(profile, tx)
        return true
    }
}

extension RunningCommand {
    /// `/_get group link data #`: stores the profile and the number of members from the link. Also joins new relays,
    /// and leaves relays that the link no longer names.
    func updateFromLink(_ groupId: Int64, user: UserRecord) async throws -> ChatResponse {
        let group = try await store.read { db in try GroupRecord.get(groupId, user: user, in: db) }
        guard group.isChannel else { throw ChatFailure.commandError("only channels have data in their link") }
        let link = try await services.withAgent {
            try await ChannelLinkData.readFromServer(of: group, user, $0, patience: .interactive)
        }
        return try await store.writeAndAnswer { tx in
            let group = try GroupRecord.get(groupId, user: user, in: tx.db)
            try group.storeLinkData(link, tx)
            // Only a subscriber joins the relays in the link. Owners and relays do not.
            if group.membership.status.isActive, ![.owner, .relay].contains(group.membership.role) {
                try ChannelRelays.updateRelays(link.relays, in: group, user, tx)
            }
            return .groupInfo(user: user.api, groupInfo: try GroupRecord.get(groupId, user: user, in: tx.db).api(user))
        }
    }
}

extension ChannelRelays {
    /// Schedules joins of new relays that the link names, and removes relays that the link does not name. A relay that
    /// has left by itself stays a member while other relays serve the channel. These relays then forward the message by
    /// which an owner removes the relay.
    /// - Returns: whether the relays have changed.
    @discardableResult
    static func updateRelays(
        _ links: [String],
        in group: GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> Bool {
        var isChanged = false
        let known = try all(of: group, tx.db)
        let current = known.filter(\.status.isCurrent)
        for relay in known {
            guard let link = relay.relayLink, !links.contains(link), relay.status.isCurrent || current.isEmpty else {
                continue
            }
            var relay = relay
            try relay.disconnect(afterDelivery: false, tx)
            try relay.remove(tx)
            isChanged = true
        }
        let served = Set(current.compactMap(\.relayLink))
        for link in links.prefix(maxRelays) where !served.contains(link) {
            try MemberSteps.addStep(.relay, to: findOrCreate(at: link, in: group, user, tx), request: link, tx)
            isChanged = true
        }
        return isChanged
    }
}
