internal import Agent
internal import ChatAPI
internal import SQLCipher
internal import SimpleXCrypto

/// What the link of a channel says now: its owners change it, and no relay can.
extension RunningCommand {
    /// `/_get group link data #`: takes over the profile and the number of members, joins relays that are new, and leaves those that are not named any more.
    func updateFromLink(_ groupId: Int64, user: UserRecord) async throws -> ChatResponse {
        let group = try await store.read { db in try GroupRecord.get(groupId, user: user, in: db) }
        guard let channel = group.channel, let text = group.preparation?.link.link.connShortLink, let link = try? ShortLink(atServer: text) else {
            throw ChatFailure.command("group link data not available")
        }
        let (_, data, signers) = try await withAgent { try await $0.linkData(user: user.agentUserId, link, patience: .interactive) }
        guard case .contact(let contact) = data, let shown: GroupShortLinkData = ShortLinkData.decode(contact.userData), signers.entityID == channel.publicGroupID,
            channel.rootKey == nil || channel.rootKey == signers.rootKey,
            let id = shown.groupProfile.publicGroup?.publicGroupId, (try? Base64URL.decode(id)) == channel.publicGroupID
        else { throw ChatFailure(ChatErrorType.invalidConnReq) }
        return try await store.answer { tx in
            var group = try GroupRecord.get(groupId, user: user, in: tx.db)
            var profile = shown.groupProfile
            profile.displayName = DisplayName.ofPeer(profile.displayName)
            if profile != group.profile { try group.replace(profile, tx) }
            try group.setPublicMembers(shown.publicGroupData?.publicMemberCount, tx)
            if group.membership.status.isActive { try ChannelRelays.follow(contact.relays.map(\.uri), in: group, user, tx) }
            return .groupInfo(user: user.api, groupInfo: try GroupRecord.get(groupId, user: user, in: tx.db).api(user))
        }
    }
}

extension ChannelRelays {
    /// The relays that the link names are those of the channel. Those that have left stay as members while others serve it: the owner's word that they are removed
    /// comes by way of those.
    static func follow(_ links: [String], in group: GroupRecord, _ user: UserRecord, _ tx: Transaction) throws {
        let known = try all(of: group, tx.db)
        let current = known.filter(\.status.isCurrent)
        for relay in known {
            guard let link = relay.relayLink, !links.contains(link), relay.status.isCurrent || current.isEmpty else { continue }
            var relay = relay
            try relay.disconnect(afterDelivery: false, tx)
            try relay.remove(tx)
        }
        let served = Set(current.compactMap(\.relayLink))
        for link in links.prefix(limit) where !served.contains(link) {
            try MemberSteps.add(.relay, to: member(at: link, in: group, user, tx), request: link, tx)
        }
    }
}
