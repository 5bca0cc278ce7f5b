internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher
internal import SimpleXCrypto

/// Data of the link of a channel that the user has made: the profile, the number of members, the owner, and the relays
/// that serve the channel.
enum ChannelLink {
    /// The maximum size of the user data and the relays in the link, in bytes. The owner and the signature are not
    /// counted. `bytesPerRelay` is the size that is counted for each relay.
    private static let maxDataBytes = 13_400, bytesPerRelay = 120

    static func makeLinkData(
        _ profile: GroupProfile,
        members: Int64,
        owner: MemberID,
        key: Ed25519.PublicKey,
        root: Ed25519.PrivateKey,
        relays: [ShortLink]
    ) throws -> ContactLinkData {
        let shown = GroupShortLinkData(
            groupProfile: profile,
            publicGroupData: PublicGroupData(publicMemberCount: members)
        )
        var data = ContactLinkData(userData: try ShortLinkData.encode(shown))
        guard data.userData.count + relays.count * bytesPerRelay <= maxDataBytes else { throw ChatFailure(.largeMsg) }
        data.isDirect = false
        data.owners = [try LinkOwner(id: owner.bytes, key: key, authorizedBy: root)]
        data.relays = relays
        return data
    }

    /// Makes the data of the channel's link; nil if the user does not have the private keys that sign the data.
    static func makeLinkData(
        of group: GroupRecord,
        profile: GroupProfile? = nil,
        in db: StoreConnection
    ) throws -> ContactLinkData? {
        guard let channel = group.channel, let key = channel.memberKey, let root = try group.findRootPrivateKey(in: db)
        else { return nil }
        return try makeLinkData(
            profile ?? group.profile,
            members: channel.publicMemberCount ?? 1,
            owner: group.membership.sharedID,
            key: key.publicKey,
            root: root,
            relays: findPublishedRelayLinks(in: group, db)
        )
    }

    /// Returns the links of connected relays that have acknowledged the roster. A relay with an older version never
    /// acknowledges a roster. Its link is returned when the relay is connected and has accepted the invitation.
    private static func findPublishedRelayLinks(in group: GroupRecord, _ db: StoreConnection) throws -> [ShortLink] {
        try GroupRelayRecord.all(of: group, in: db).compactMap { relay in
            guard let text = relay.relayLink,
                let member = try MemberRecord.find(relay.memberId, user: group.userId, in: db),
                member.status == .connected
            else { return nil }
            switch relay.status {
            case .acknowledgedRoster, .active: break
            case .accepted: guard !GroupRelayRecord.keepsRoster(member) else { return nil }
            default: return nil
            }
            return try? ShortLink(atServer: text)
        }
    }

    /// Checks that the profile fits into the data of the link.
    /// - Throws: `largeMsg`.
    static func checkProfileSize(_ profile: GroupProfile, of group: GroupRecord, _ db: StoreConnection) throws {
        guard group.isChannel else { return }
        _ = try makeLinkData(of: group, profile: profile, in: db)
    }

    /// Updates the relays after the link is written: relays that the link names become active, and other active relays
    /// become inactive. New relays are announced to the subscribers.
    static func updateRelaysAfterWrite(
        _ data: ContactLinkData,
        of group: GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        let published = Set(data.relays.map(\.uri))
        var (relays, new, isChanged): ([GroupRelayRecord], [GroupRelayRecord], Bool) = ([], [], false)
        for var relay in try GroupRelayRecord.all(of: group, in: tx.db) {
            let isPublished =
                relay.relayLink.flatMap { try? ShortLink(atServer: $0) }.map { published.contains($0.uri) } ?? false
            if isPublished, [.accepted, .acknowledgedRoster].contains(relay.status) {
                try relay.setStatus(.active, tx)
                new.append(relay)
                isChanged = true
            } else if !isPublished, relay.status == .active {
                try relay.setStatus(.inactive, tx)
                isChanged = true
            }
            relays.append(relay)
        }
        let link = try GroupLinkRecord.get(of: group, user, in: tx.db)
        try tx.emit(
            .groupLinkDataUpdated(
                user: user.api,
                groupInfo: group.api(user),
                groupLink: link.api,
                groupRelays: relays.map(\.api),
                relaysChanged: isChanged
            ),
            user: user.userId
        )
        // The number of members includes the owner. If this number is at most 1, the channel has no members to whom new
        // relays are announced.
        guard group.channel?.publicMemberCount ?? 0 > 1, !new.isEmpty else { return }
        try announceRelays(
            new,
            to: relays.filter { relay in relay.status == .active && !new.contains { $0.relayId == relay.relayId } },
            in: group,
            tx
        )
    }

    /// Announces new relays to the subscribers. The announcement is sent over the relays that the subscribers already
    /// know.
    private static func announceRelays(
        _ new: [GroupRelayRecord],
        to others: [GroupRelayRecord],
        in group: GroupRecord,
        _ tx: Transaction
    ) throws {
        let connections = try others.compactMap { try MemberRecord.find($0.memberId, user: group.userId, in: tx.db) }
            .filter { $0.status == .connected && $0.isReachable }.compactMap(\.connection)
        guard !connections.isEmpty else { return }
        var recipients = Recipients(connections)
        recipients.signer = group.signer
        for link in new.compactMap(\.relayLink) {
            try tx.enqueue(ChatMessage(sharedID: .random(), event: .relay(.new(link: link))), to: recipients)
        }
    }
}

extension GroupRecord {
    /// Reads the root private key of the channel; nil when the user has not made the channel.
    func findRootPrivateKey(in db: StoreConnection) throws -> Ed25519.PrivateKey? {
        guard isChannel else { return nil }
        return try db.firstRow(
            "SELECT root_private_key FROM groups WHERE user_id = :user_id AND group_id = :group_id",
            ["user_id": userId, "group_id": groupId]
        )?.blobOrNil("root_private_key")
            .flatMap { try? Ed25519.PrivateKey(rawRepresentation: $0) }
    }

    /// Updates the number of members of a channel after a change of the members. The owner who writes the link also
    /// publishes the number in the link. A relay counts its own members.
    mutating func updateMemberCount(_ user: UserRecord, _ tx: Transaction) throws {
        if isServed { return try updateMemberCountAtRelay(user, tx) }
        guard isChannel, membership.role == .owner, try findRootPrivateKey(in: tx.db) != nil else { return }
        let now = try GroupRecord.get(groupId, user: user, in: tx.db)
        let relays = try GroupRelayRecord.all(of: now, in: tx.db).count { relay in
            try MemberRecord.find(relay.memberId, user: userId, in: tx.db)?.status.isCurrent ?? false
        }
        try now.setPublicMemberCount(max(0, now.currentMemberCount - Int64(relays)), tx)
        try now.markLinkDataStale(tx)
        try reload(user, tx)
    }

    /// Updates the number of members at a relay: the number includes the owner, but not the relay.
    private mutating func updateMemberCountAtRelay(_ user: UserRecord, _ tx: Transaction) throws {
        try tx.db.execute(
            """
            UPDATE groups SET public_members = max(0, current_members - 1)
            WHERE user_id = :user_id AND group_id = :group_id
            """,
            ["user_id": userId, "group_id": groupId]
        )
        try reload(user, tx)
    }

    private mutating func reload(_ user: UserRecord, _ tx: Transaction) throws {
        let scope = scope
        self = try GroupRecord.get(groupId, user: user, in: tx.db)
        self.scope = scope
    }
}

extension LinkDataWorker {
    /// Writes the data of the link of a channel. A permanent failure is logged, and the link is written again only
    /// after the next change of its data.
    /// - Throws: a temporary failure.
    func writeChannelLink(_ link: GroupLinkRecord) async throws {
        guard let id = ConnectionID(text: link.agentConnId) else { return }
        let data: ContactLinkData
        do {
            let now = try await store.read { db in
                try GroupRecord.find(link.groupId, user: link.userId, in: db).flatMap {
                    try ChannelLink.makeLinkData(of: $0, in: db)
                }
            }
            guard let now else { return try await store.write { tx in try link.markLinkDataWritten(tx) } }
            data = now
            try await agent.setLinkData(
                id,
                data: data,
                clientData: GroupLinkRecord.makeClientData(link.groupLinkID),
                type: .channel
            )
        } catch {
            switch error {
            case let error as AgentError where !error.isTemporary:
                logger.error("link data refused", metadata: ["error": "\(error)"])
            case let error as ChatFailure: logger.error("link data too large", metadata: ["error": "\(error)"])
            default: throw error
            }
            return try await store.write { tx in try link.markLinkDataWritten(tx) }
        }
        try await store.write { tx in
            guard let user = try UserRecord.find(link.userId, in: tx.db),
                let group = try GroupRecord.find(link.groupId, user: user.userId, in: tx.db)
            else { return }
            try ChannelLink.updateRelaysAfterWrite(data, of: group, user, tx)
            // If the data has changed again during the write, the data must be written once more.
            guard try ChannelLink.makeLinkData(of: group, in: tx.db) == data else {
                return tx.followUpWork.formUnion(.linkData)
            }
            try link.markLinkDataWritten(tx)
        }
    }
}

extension GroupLinkRecord {
    fileprivate func markLinkDataWritten(_ tx: Transaction) throws {
        try tx.db.execute("UPDATE group_links SET link_data_stale = 0 WHERE user_contact_link_id = ?", [linkId])
    }
}

extension RunningCommand {
    /// `/_short link #` of a channel: writes the data of the channel's link.
    func writeChannelLink(
        of group: GroupRecord,
        _ link: GroupLinkRecord,
        _ id: ConnectionID,
        _ user: UserRecord
    ) async throws -> ChatResponse {
        guard let data = try await store.read({ db in try ChannelLink.makeLinkData(of: group, in: db) }) else {
            throw ChatFailure(StoreError.groupLinkNotFound(groupInfo: group.api(user)))
        }
        let clientData = GroupLinkRecord.makeClientData(link.groupLinkID)
        try await services.withAgent {
            _ = try await $0.setLinkData(id, data: data, clientData: clientData, type: .channel, patience: .interactive)
        }
        return try await store.writeAndAnswer { tx in
            let now = try GroupRecord.get(group.groupId, user: user, in: tx.db)
            try ChannelLink.updateRelaysAfterWrite(data, of: now, user, tx)
            if try ChannelLink.makeLinkData(of: now, in: tx.db) != data { try now.markLinkDataStale(tx) }
            return .groupLink(
                user: user.api,
                groupInfo: now.api(user),
                groupLink: try GroupLinkRecord.get(of: now, user, in: tx.db).api
            )
        }
    }
}
