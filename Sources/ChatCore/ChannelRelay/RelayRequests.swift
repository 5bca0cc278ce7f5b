internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import ChatText
internal import JSON
internal import SMP
internal import SQLCipher
internal import SimpleXCrypto

/// Requests to a relay of channels: tests and invitations at its address, and requests of subscribers at its links.
extension AgentEventHandler {
    /// Handles a request that only relays of channels get.
    /// - Returns: false for any other request.
    func handleRelayRequest(_ link: ConnectionID, _ invitation: InvitationID, _ info: [UInt8]) async throws -> Bool {
        var elements = MessageElements(info)
        guard let element = elements.next(), case .success(.message(let message)) = element.content else {
            return false
        }
        switch message.event {
        case .relay(.test(let challenge, signature: nil)):
            try await answerRelayTest(challenge, by: invitation, to: link)
        case .relay(.invitation(let request)):
            try await handleInvitation(request, message.versions, by: invitation, to: link)
        case .relay(.join(let request)):
            try await handleSubscriptionRequest(
                request,
                element.signedMessage,
                message.versions,
                by: invitation,
                to: link
            )
        default: return false
        }
        return true
    }

    /// Handles an event of a connection that was made for a single answer. Ends the connection when it is no longer
    /// needed, and forgets the connection when the agent has deleted it.
    /// - Returns: false for an event that needs further handling.
    func handleSingleAnswerEvent(_ event: AgentEvent) async throws -> Bool {
        let (id, isOwnAnswerStored): (ConnectionID, Bool)
        switch event {
        case .joined(let connection, _): (id, isOwnAnswerStored) = (connection, true)
        case .info(let connection, _), .connected(let connection): (id, isOwnAnswerStored) = (connection, false)
        case .connectionsDeleted(let ids):
            guard try await store.read({ db in try ids.contains { try SingleAnswerConnections.isOpen($0, db) } }) else {
                return false
            }
            try await store.write { tx in for id in ids { try SingleAnswerConnections.remove(id, tx) } }
            return false
        default: return false
        }
        guard try await store.read({ db in try SingleAnswerConnections.containsOpenOrDeleted(id, db) }) else {
            return false
        }
        try await store.write { tx in
            try SingleAnswerConnections.endConnectionIfDone(id, isOwnAnswerStored: isOwnAnswerStored, tx)
        }
        return true
    }

    private static func findRelayUser(at link: ConnectionID, _ db: StoreConnection) throws -> UserRecord? {
        guard let address = try AddressRecord.find(agent: link, in: db),
            let user = try UserRecord.find(address.userId, in: db), user.isChatRelay
        else { return nil }
        return user
    }

    /// Rejects a request without sending an answer, and reports the reason to the user.
    private func rejectRequest(_ invitation: InvitationID, to link: ConnectionID, _ reason: String) async throws {
        let isReported = try await store.write { tx in
            guard let found = try LinkConnection.find(agent: link, in: tx.db),
                let user = try UserRecord.find(found.userId, in: tx.db)
            else { return false }
            try tx.emit(.messageError(user: user.api, severity: "error", errorMessage: reason), user: user.userId)
            return true
        }
        if !isReported { services.logger.notice("request to a deleted address rejected: \(reason)") }
        try await services.agent.rejectRequest(invitation)
    }

    /// Number of the random bytes that a test asks the relay to sign. All other data that the key of the address signs
    /// is longer, so a test cannot get a signature of other data.
    private static let challengeLength = 32

    /// Answers the test of an owner with a signature by the key of the address. The answer shows that the relay works.
    private func answerRelayTest(_ challenge: [UInt8], by invitation: InvitationID, to link: ConnectionID) async throws
    {
        guard let user = try await store.read({ db in try Self.findRelayUser(at: link, db) }),
            challenge.count == Self.challengeLength,
            let signature = try await services.agent.signWithLinkKey(of: link, over: challenge)
        else { return try await rejectRequest(invitation, to: link, "the address is not that of a relay") }
        let answer = RelayEvent.test(challenge: challenge, signature: signature)
        try await sendSingleAnswer(answer, to: invitation, at: link, isAnswered: false, user)
    }

    /// Answers a request over a connection that is made for this answer.
    /// - Parameter isAnswered: whether the peer is expected to reply to the answer.
    private func sendSingleAnswer(
        _ event: RelayEvent,
        to invitation: InvitationID,
        at address: ConnectionID,
        isAnswered: Bool,
        _ user: UserRecord
    ) async throws {
        let info = try ChatMessage(event: .relay(event)).encoded(limit: ChatMessageLimits.connectionInfoBytes)
        do {
            let relay = try await services.agent.findReplyServer(of: invitation)
            let id = try await services.agent.prepareAcceptance(invitation, pqSupport: false)
            let ended = try await store.write { tx in
                try SingleAnswerConnections.add(id, of: user, to: relay, isAnswered: isAnswered, tx)
            }
            logGivenUpAnswers(ended, at: address, relay, user)
            try await services.agent.acceptRequest(invitation, connection: id, connInfo: info)
        } catch AgentError.command(.prohibited, _) {
            logAnsweredRequest()
        }
    }

    /// Logs that undelivered answers were given up to make room for a new answer. Consecutive cases at one address are
    /// logged only once.
    private func logGivenUpAnswers(_ count: Int, at address: ConnectionID, _ relay: ProtocolServer, _ user: UserRecord)
    {
        guard count > 0 else { return services.overloadedAddressIDs.withLock { _ = $0.remove(address) } }
        guard services.overloadedAddressIDs.withLock({ $0.insert(address).inserted }) else { return }
        services.logger.warning(
            "answers of a relay are given up: too many are not delivered yet",
            metadata: ["relay": "\(SingleAnswerConnections.hostAndPort(of: relay))", "user": "\(user.userId)"]
        )
    }

    /// Logs that a request is dropped, because an earlier process has already answered the request.
    private func logAnsweredRequest() { services.logger.notice("request to a relay dropped: it was answered before") }

    // MARK: Invitations

    private enum InvitationOutcome: Sendable {
        case stored
        case ignored(String)
        case refused(UserRecord, reason: String)
    }

    /// Stores the invitation of an owner to serve a channel. ``ServedChannelWorker`` reads the link of the channel
    /// later.
    private func handleInvitation(
        _ invited: RelayInvitation,
        _ versions: ChatVersionRange,
        by invitation: InvitationID,
        to address: ConnectionID
    ) async throws {
        let outcome = try await store.write {
            [limits = services.configuration.channelRelayLimits] tx -> InvitationOutcome in
            guard let user = try Self.findRelayUser(at: address, tx.db) else {
                return .ignored("x.grp.relay.inv: the address is not that of a relay")
            }
            if try ServedChannel.find(invitation: invitation, tx.db) != nil { return .stored }
            guard let link = try? ShortLink(atServer: invited.groupLink), link.kind == .contact(.channel),
                invited.fromMember.role == .owner,
                invited.fromMember.id != invited.relayID,
                [invited.fromMember.id, invited.relayID].allSatisfy({ (1...255).contains($0.bytes.count) }),
                ChatVersionRange.supported.compatibleVersion(with: versions) != nil,
                (try? JSONDecoder().decode(Profile.self, from: invited.fromProfile)) != nil
            else { return .ignored("x.grp.relay.inv: invalid invitation") }
            if try ServedChannel.refusesInvitation(link, user, tx.db) {
                return .refused(user, reason: "rejoin_rejected")
            }
            guard try ServedChannel.countServed(of: user, tx.db) < limits.maxChannels else {
                return .refused(user, reason: "too_many_channels")
            }
            try ServedChannel.create(invited, link, by: invitation, versions, user, tx)
            return .stored
        }
        switch outcome {
        case .stored: break
        case .ignored(let reason): try await rejectRequest(invitation, to: address, reason)
        case .refused(let user, let reason):
            try await sendSingleAnswer(.rejection(reason: reason), to: invitation, at: address, isAnswered: true, user)
        }
    }

    // MARK: Subscribers

    private enum SubscriberOutcome: Sendable {
        case joins(JoiningMember)
        case refused
        case noChannel
    }

    /// Handles the request of a subscriber at the relay's link for a channel.
    private func handleSubscriptionRequest(
        _ request: ChannelJoinRequest,
        _ signed: SignedMessage?,
        _ versions: ChatVersionRange,
        by invitation: InvitationID,
        to link: ConnectionID
    ) async throws {
        let limits = services.configuration.channelRelayLimits
        if let begun = try await store.read({ db in try JoiningMember.find(subscriber: invitation, in: db) }) {
            return try await acceptJoiningMember(begun, invitation)
        }
        let id: ConnectionID
        do { id = try await services.agent.prepareAcceptance(invitation, pqSupport: false) } catch AgentError.command(
            .prohibited,
            _
        ) {
            return logAnsweredRequest()
        }
        let outcome = try await store.write { tx -> SubscriberOutcome in
            guard let link = try GroupLinkRecord.find(agent: link, in: tx.db),
                let user = try UserRecord.find(link.userId, in: tx.db),
                let group = try GroupRecord.find(link.groupId, user: user.userId, in: tx.db), group.isServedNow,
                group.membership.status.isCurrent
            else { return .noChannel }
            let subscribing = SubscriptionRequest(
                request: request,
                signedMessage: signed,
                versions: versions,
                link: link,
                user: user,
                tx: tx
            )
            do throws(SubscriptionRequest.Refusal) {
                let joining = try subscribing.storeMember(in: group, over: id, by: invitation, limits)
                return joining.map { .joins($0) } ?? .refused
            } catch {
                switch error {
                case .refused(let reason):
                    try tx.emit(
                        .messageError(user: user.api, severity: "error", errorMessage: reason),
                        user: user.userId
                    )
                case .failed(let error): throw error
                }
                return .refused
            }
        }
        switch outcome {
        case .joins(let joining): return try await acceptJoiningMember(joining, invitation)
        case .refused: break
        case .noChannel: services.logger.notice("request to join a channel rejected: the channel is not served")
        }
        try await services.agent.delete(connections: [id], waitDelivery: false)
        try await services.agent.rejectRequest(invitation)
    }
}

extension JoiningMember {
    static func find(subscriber invitation: InvitationID, in db: StoreConnection) throws -> JoiningMember? {
        guard let (member, group, _) = try findRecords(of: invitation, in: db), group.isServed else { return nil }
        return try JoiningMember(subscriber: member, group)
    }

    /// Makes the answer to a subscriber; nil if the member has no connection any more.
    init?(subscriber member: MemberRecord, _ group: GroupRecord) throws {
        guard let connection = member.connection, connection.status != .deleted, let id = connection.agentConnectionID
        else { return nil }
        let invitation = GroupLinkInvitationMessage(
            from: MemberIdRole(id: group.membership.sharedID, role: group.membership.role),
            fromName: group.membership.profile.displayName,
            invited: MemberIdRole(id: member.sharedID, role: member.role),
            groupProfile: try JSONEncoder().encodeValue(group.profile),
            accepted: .accepted,
            business: nil,
            groupSize: group.currentMemberCount
        )
        userId = member.userId
        memberId = member.memberId
        self.connectionID = id
        encodedAnswer = try ChatMessage(event: .group(.linkInvitation(invitation))).encodeConnectionInfo(
            for: connection
        )
    }
}
