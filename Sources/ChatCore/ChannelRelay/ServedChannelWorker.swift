internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import Concurrency
internal import Logging
internal import SQLCipher
internal import SimpleXCrypto

/// Answers owners who ask the user to serve their channels, and checks periodically whether the links of served
/// channels name the user.
final class ServedChannelWorker: Worker {
    let followUpWork = FollowUp.servedChannels
    private let store: ChatStore
    private let agent: Agent
    private let limits: ChannelRelayLimits
    private let checkInterval: Duration
    private let logger: Logger
    let signal = WakeSignal()

    /// The shortest and the longest pause between attempts to answer an owner, and the minimum total time of the
    /// attempts, in seconds. The pause grows up to the longest pause. If all failures are temporary, the worker gives
    /// up after at least `minAttemptsUntilGivingUp` attempts and at least `minSecondsUntilGivingUp`. After a permanent
    /// failure, the worker gives up immediately.
    private static let firstPauseSeconds: Int64 = 5, longestPauseSeconds: Int64 = 600,
        minSecondsUntilGivingUp: Int64 = 86_400
    private static let minAttemptsUntilGivingUp = 10
    /// Number of seconds for which a channel keeps its connections after its link no longer names the user.
    private static let removedChannelKeepSeconds: Int64 = 86_400

    init(store: ChatStore, agent: Agent, limits: ChannelRelayLimits, interval: Duration, logger: Logger) {
        self.store = store
        self.agent = agent
        self.limits = limits
        self.checkInterval = interval
        self.logger = logger
    }

    func findTimeUntilWork(_ db: StoreConnection) throws -> Duration? {
        try db.hasRow("SELECT 1 FROM served_channels WHERE invitation IS NOT NULL") ? .zero : nil
    }

    func run(from start: WorkerStart) async {
        await withDiscardingTaskGroup { tasks in
            tasks.addTask { [self] in
                // No event reports that a link has changed, so the links are read periodically, as in the original.
                while (try? await Task.sleep(for: checkInterval)) != nil {
                    do { try await checkLinks() } catch {
                        logger.warning("links of channels not checked", metadata: ["error": "\(error)"])
                    }
                }
            }
            tasks.addTask { [self] in
                await signal.run(
                    logger,
                    .warning,
                    after: start.pause,
                    whenFailed: "requests of channel owners not answered"
                ) {
                    let due = try await store.read { db in
                        try ServedChannel.findDue(at: .now, pause: Self.longestPauseSeconds, db)
                    }
                    for channel in due where !Task.isCancelled { try await answerOwner(channel) }
                    return try await store.read { db in try ServedChannel.findNextAttemptTime(db) }.map {
                        min(.seconds(Self.longestPauseSeconds), max(.zero, $0.duration(since: .now)))
                    }
                }
            }
        }
    }

    // MARK: Invitations

    private func answerOwner(_ channel: ServedChannel) async throws {
        do { try await acceptRequest(channel) } catch {
            guard !Task.isCancelled else { return }
            if error is DatabaseError { throw error }
            if let error = error as? AgentError, error.isTemporary,
                channel.failedAttemptCount < Self.minAttemptsUntilGivingUp
                    || channel.createdAt.adding(seconds: Self.minSecondsUntilGivingUp) > .now
            {
                return try await postponeAnswer(channel)
            }
            try await giveUpAnswering(channel, error)
        }
    }

    private func postponeAnswer(_ channel: ServedChannel) async throws {
        let pause = min(Self.longestPauseSeconds, Self.firstPauseSeconds << min(10, channel.failedAttemptCount))
        try await store.write { tx in
            try tx.db.execute(
                """
                UPDATE served_channels SET attempts = attempts + 1, next_attempt_at = :next_attempt_at
                WHERE user_id = :user_id AND group_id = :group_id
                """,
                [
                    "next_attempt_at": tx.now.adding(seconds: pause).nanoseconds, "user_id": channel.userId,
                    "group_id": channel.groupId,
                ]
            )
        }
    }

    /// Rejects the owner's request to serve a channel, deletes the channel, and reports the error to the user.
    private func giveUpAnswering(_ channel: ServedChannel, _ error: any Error) async throws {
        logger.warning("request to serve a channel rejected", metadata: ["error": "\(error)"])
        if let invitation = channel.invitation { try? await agent.rejectRequest(invitation) }
        let reported: ChatError =
            switch error {
            case let failure as ChatFailure: failure.error
            case let error as AgentError: .agentError(error.apiError)
            default: .error(errorType: .exception(message: "channel not served: \(error)"))
            }
        try await store.write { tx in
            guard let user = try UserRecord.find(channel.userId, in: tx.db),
                let group = try GroupRecord.find(channel.groupId, user: channel.userId, in: tx.db)
            else { return }
            try group.delete(tx)
            try tx.emit(.chatError(chatError: reported), user: user.userId)
        }
    }

    private func loadRecords(
        _ channel: ServedChannel
    ) async throws -> (user: UserRecord, group: GroupRecord, owner: MemberRecord) {
        try await store.read { db in
            guard let user = try UserRecord.find(channel.userId, in: db),
                let group = try GroupRecord.find(channel.groupId, user: channel.userId, in: db),
                let owner = try MemberRecord.findHost(of: group, db)
            else { throw ChatFailure(StoreError.groupNotFound(groupId: channel.groupId)) }
            return (user, group, owner)
        }
    }

    /// Accepts the request to serve a channel. Continues after the last finished step of an earlier attempt.
    private func acceptRequest(_ channel: ServedChannel) async throws {
        guard let invitation = channel.invitation else { return }
        var (user, group, owner) = try await loadRecords(channel)
        if try await store.read({ [group] db in try GroupLinkRecord.find(of: group, in: db) }) == nil {
            try await checkChannelLink(channel, user, owner)
            try await createJoinLink(channel, user)
            (user, group, owner) = try await loadRecords(channel)
        }
        guard let link = try await store.read({ [group] db in try GroupLinkRecord.find(of: group, in: db) })?.shortLink
        else {
            throw ChatFailure(ChatErrorType.exception(message: "the link of the relay was made without a short link"))
        }
        let id: ConnectionID
        if let begun = owner.connection?.agentConnectionID {
            id = begun
        } else {
            do { id = try await agent.prepareAcceptance(invitation, pqSupport: false) } catch AgentError.command(
                .prohibited,
                _
            ) {
                throw ChatFailure(ChatErrorType.exception(message: "the agent no longer has the request of the owner"))
            }
            try await store.write { [user, owner] tx in
                _ = try ConnectionRecord.create(
                    agent: id,
                    user: user,
                    status: .new,
                    initiated: false,
                    fullLink: nil,
                    owner: .member(owner.memberId),
                    pqSupport: false,
                    chatVersion: ChatVersionRange.supported.compatibleVersion(with: owner.versions)
                        ?? ChatVersionRange.initial.maximum,
                    peerVersions: owner.versions,
                    at: tx.now,
                    in: tx.db
                )
            }
        }
        let acceptance = ChatMessage(event: .relay(.acceptance(link: link, capabilities: [:])))
        do {
            try await agent.acceptRequest(
                invitation,
                connection: id,
                connInfo: acceptance.encoded(limit: ChatMessageLimits.connectionInfoBytes)
            )
        } catch AgentError.command(.prohibited, _) {
            // The agent accepted the request in an earlier attempt. Only the record of the acceptance is missing in the
            // database.
        }
        try await store.write { [group] tx in
            try tx.db.update(
                "served_channels",
                set: ["invitation": nil],
                where: ["user_id": channel.userId, "group_id": channel.groupId]
            )
            if group.relayStatus == .invited { try group.setRelayStatus(.accepted, tx) }
        }
    }

    /// Reads the link of the channel, checks that the link names the owner who asks, and stores the profile and the
    /// keys. A person who only pretends to be an owner can cause nothing more than this read. Subscribers find only
    /// links that the owners have signed, and the owners also sign changes of the channel.
    private func checkChannelLink(_ channel: ServedChannel, _ user: UserRecord, _ owner: MemberRecord) async throws {
        let (_, data, signers) = try await agent.fetchLinkData(
            user: user.agentUserId,
            channel.channelLink,
            patience: .background
        )
        guard case .contact(let contact) = data, let shown: GroupShortLinkData = ShortLinkData.decode(contact.userData),
            let id = signers.entityID,
            id == Digest.sha256(signers.rootKey.rawRepresentation), let publicGroup = shown.groupProfile.publicGroup,
            (try? Base64URL.decode(publicGroup.publicGroupId)) == id
        else {
            throw ChatFailure(
                ChatErrorType.exception(message: "x.grp.relay.inv: the link and the profile name different channels")
            )
        }
        guard limits.allowedChannelIds?.contains(publicGroup.publicGroupId) ?? true else {
            throw ChatFailure(
                ChatErrorType.exception(
                    message: "x.grp.relay.inv: the channel is not among the channels that this relay may serve"
                )
            )
        }
        guard let named = signers.owners.first(where: { $0.id == owner.sharedID.bytes }) else {
            throw ChatFailure(
                ChatErrorType.exception(message: "x.grp.relay.inv: the link of the channel does not name this owner")
            )
        }
        let key = try Ed25519.PrivateKey()
        try await store.write { tx in
            var group = try GroupRecord.get(channel.groupId, user: user, in: tx.db)
            var profile = shown.groupProfile
            profile.replaceUnshowableValues()
            if profile != group.profile { try group.replaceProfile(profile, tx) }
            try tx.db.execute(
                """
                UPDATE groups SET public_group_id = :public_group_id, root_key = :root_key,
                member_key = coalesce(member_key, :member_key), public_members = :public_members
                WHERE user_id = :user_id AND group_id = :group_id
                """,
                [
                    "public_group_id": id, "root_key": signers.rootKey.rawRepresentation,
                    "member_key": key.rawRepresentation, "public_members": shown.publicGroupData?.publicMemberCount,
                    "user_id": user.userId, "group_id": channel.groupId,
                ]
            )
            group = try GroupRecord.get(channel.groupId, user: user, in: tx.db)
            var own = group.membership
            if let known = group.channel?.memberKey { try own.storeSignatureKey(known.publicKey, tx) }
            var first = try MemberRecord.get(owner.memberId, in: group, tx.db)
            try first.storeSignatureKey(named.key, tx)
            for other in signers.owners {
                let id = MemberID(bytes: other.id)
                guard !other.id.isEmpty, id != group.membership.sharedID,
                    try MemberRecord.find(id, in: group, tx.db) == nil
                else { continue }
                _ = try ChannelRosters.createMember(id, .owner, MemberKey(other.key), in: group, user, tx)
            }
        }
    }

    /// Creates the link by which subscribers join. The owner adds this link to the link of the channel.
    private func createJoinLink(_ channel: ServedChannel, _ user: UserRecord) async throws {
        let group = try await store.read { db in try GroupRecord.get(channel.groupId, user: user, in: db) }
        guard let key = group.channel?.memberKey else {
            throw ChatFailure(ChatErrorType.exception(message: "the channel has no keys"))
        }
        // The key of the request is the same after a crash, so the agent returns the same link again.
        let request = Array("\(store.journal.epoch)-relay-\(user.userId)-\(channel.groupId)".utf8)
        let linkID = GroupLinkRecord.makeLinkID(for: request)
        let (id, full, short) = try await agent.createAddress(
            user: user.agentUserId,
            userData: ShortLinkData.encode(relayOf: group, user),
            clientData: GroupLinkRecord.makeClientData(linkID),
            type: .group,
            identity: LinkIdentity(rootKey: key, entityID: group.membership.sharedID.bytes),
            for: request,
            patience: .background
        )
        try await store.write { tx in
            try tx.db.insert(
                into: "group_links",
                [
                    "user_contact_link_id": try LinkConnection.reserveLinkId(in: tx.db), "user_id": user.userId,
                    "group_id": channel.groupId, "connection_id": try ConnectionRecord.reserveRowId(in: tx.db),
                    "agent_conn_id": id.text, "conn_full_link": full.uri, "conn_short_link": short?.shownURI,
                    "group_link_id": linkID, "member_role": GroupMemberRole.observer.rawValue,
                    "created_at": tx.now.nanoseconds,
                ]
            )
        }
    }

    // MARK: Links of channels

    /// Makes channels active if their links name the user, and active channels inactive if their links no longer name
    /// the user. Inactive channels keep their connections for a day.
    func checkLinks() async throws {
        let forgotten = try await store.write { tx in try SingleAnswerConnections.endExpiredConnections(tx) }
        if forgotten > 0 {
            logger.notice("answers of a relay given up: not delivered in time", metadata: ["count": "\(forgotten)"])
        }
        for group in try await store.read({ db in
            try ServedChannel.findGroups([.accepted, .acknowledgedRoster, .active], db)
        }) where !Task.isCancelled {
            do { try await checkLink(group) } catch {
                if error is DatabaseError { throw error }
                logger.info("link of a channel not read", metadata: ["error": "\(error)"])
            }
        }
        try await store.write { tx in
            let old = tx.now.adding(seconds: -Self.removedChannelKeepSeconds).nanoseconds
            for row in try tx.db.query("SELECT user_id, group_id FROM served_channels WHERE inactive_at <= ?", [old]) {
                guard let group = try GroupRecord.find(row.int64("group_id"), user: row.int64("user_id"), in: tx.db)
                else { continue }
                try group.disconnectAllMembers(afterDelivery: false, tx)
            }
            try tx.db.execute("UPDATE served_channels SET inactive_at = NULL WHERE inactive_at <= ?", [old])
        }
    }

    private func checkLink(_ group: GroupRecord) async throws {
        let found = try await store.read { db in
            (
                try ServedChannel.find(of: group, db), try GroupLinkRecord.find(of: group, in: db),
                try UserRecord.find(group.userId, in: db)
            )
        }
        guard case (let channel?, let own?, let user?) = found, let text = own.shortLink,
            let link = try? ShortLink(atServer: text)
        else { return }
        let (_, data, signers) = try await agent.fetchLinkData(
            user: user.agentUserId,
            channel.channelLink,
            patience: .background
        )
        guard case .contact(let contact) = data, signers.entityID == group.channel?.publicGroupID else { return }
        let isNamed = contact.relays.contains { $0.linkKey == link.linkKey }
        try await store.write { tx in
            guard let now = try GroupRecord.find(group.groupId, user: user.userId, in: tx.db), now.isServedNow,
                now.relayStatus != .active || !isNamed
            else { return }
            if isNamed {
                try now.setRelayStatus(.active, tx)
            } else if now.relayStatus == .active {
                try now.setRelayStatus(.inactive, tx)
            }
        }
    }
}
