internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

/// Handling of the agent's events. Events of one connection arrive in order. Most events are handled in one
/// transaction. Messages, or results, that arrive together share one transaction. The agent may delete an event when
/// its handling has ended. A handled event that is delivered again after a crash has no effect.
extension AgentEventHandler {
    func processEvent(_ event: AgentEvent) async throws {
        if try await handleSingleAnswerEvent(event) { return }
        switch event {
        case .confirmation(let id, let confirmation, connInfo: let info):
            try await handleConfirmation(id, confirmation, info)
        case .request(let id, let invitation, connInfo: let info): try await handleContactRequest(id, invitation, info)
        case .joined(let id, let isSecured): try await handleJoined(id, isSecured: isSecured)
        case .info(let id, connInfo: let info): try await handlePeerInfo(id, info)
        case .connected(let id): try await handleConnectionReady(id)
        case .message(let id, let meta, notify: _, body: let body):
            try await handleMessages(id, [ReceivedBody(meta: meta, body: body)])
        case .sent(let id, let messageID, let externalID, let isProxied):
            let message = SentMessage(id: messageID, externalID: externalID, isProxied: isProxied)
            try await recordResults(id, DeliveryResults(sentMessages: [message]))
        case .gap(let id, let gap):
            try await withPeer(id) { peer, tx in try IntegrityItems.addGapItem(gap, on: peer, tx) }
        case .receipts(let id, let receipts): try await recordResults(id, DeliveryResults(receipts: receipts))
        case .ratchetSync(let id, let change):
            let stats = ConnectionStats(change.servers, services.agent)
            try await withPeer(id) { peer, tx in try RatchetSyncItems.addChangeItem(change, stats, on: peer, tx) }
        case .queueSwitchChanged(let id, let change):
            let stats = ConnectionStats(change.servers, services.agent)
            try await withPeer(id) { peer, tx in try QueueSwitchItems.addChangeItem(change, stats, on: peer, tx) }
        case .messageWarning(let id, let messageID, let externalID, let error):
            let message = SentMessage(id: messageID, externalID: externalID)
            try await withPeer(id) { peer, tx in try Self.recordWarning(error, of: message, on: &peer, tx) }
        case .messageError(let id, let messageID, let externalID, let error):
            let message = SentMessage(id: messageID, externalID: externalID)
            try await withPeer(id) { peer, tx in try Self.recordFailure(error, of: message, on: &peer, tx) }
        case .error(let id, let error):
            try await store.write { tx in try Self.emitError(error, on: id, tx) }
            if let id { try await handleJoinFailure(id) }
        case .subscriptionEnded(let id): try await store.write { tx in try Self.emitSubscriptionEnd(of: id, tx) }
        case .waitingMessageReceived(let id, let messageID, let timestamp):
            let message = NtfMsgAckInfo(
                msgId: BytesText.base64URL(messageID),
                msgTs_: Timestamp(seconds: timestamp).api
            )
            try await withPeer(id) { peer, tx in
                try tx.emit(
                    .ntfMessage(user: peer.user.api, connEntity: peer.entity, ntfMessage: message),
                    user: peer.user.userId
                )
            }
        case .hostConnected(let host):
            try await emitHostEvent(.hostConnected(protocol: ServerProtocol.smp.rawValue, transportHost: host))
        case .hostDisconnected(let host):
            try await emitHostEvent(.hostDisconnected(protocol: ServerProtocol.smp.rawValue, transportHost: host))
        case .down(let server, let ids): try await emitSubscriptionStatus(.pending, of: ids, at: server)
        case .up(let server, let ids): try await emitSubscriptionStatus(.active, of: ids, at: server)
        case .service(let server, let change): try await emitServiceStatus(change, at: server)
        case .queueDeleted(let id, let server, let rcvID, let error):
            try await emitQueueDeleted(id, server, rcvID, error)
        case .file(let id, let event): try await handleFileEvent(event, of: id)
        case .connectionsDeleted(let ids): try await store.write { tx in try tx.emitConnectionsDeleted(ids) }
        case .setAside(let event): try await setAsideEvent(event)
        }
    }

    private static func recordWarning(
        _ error: AgentError,
        of message: SentMessage,
        on peer: inout ConnectionPeer,
        _ tx: Transaction
    ) throws {
        try DeliveryStatus.recordWarning(message, error, on: peer, tx)
        try peer.recordDeliveryWarning(error, tx)
    }

    private static func recordFailure(
        _ error: AgentError,
        of message: SentMessage,
        on peer: inout ConnectionPeer,
        _ tx: Transaction
    ) throws {
        try DeliveryStatus.recordFailure(message, error, on: peer, tx)
        try emitError(error, on: peer, tx)
        try peer.recordDeliveryFailure(error, tx)
    }

    private func emitQueueDeleted(
        _ id: ConnectionID,
        _ server: String,
        _ queueID: [UInt8],
        _ error: AgentError?
    ) async throws {
        let queue = DeletedRcvQueue(
            agentConnId: id.api,
            server: server,
            agentQueueId: BytesText.base64URL(queueID),
            agentError_: error?.api
        )
        try await store.write { tx in try tx.emitQueueDeleted(queue, of: id) }
    }

    private func emitHostEvent(_ event: ChatEvent) async throws {
        guard services.configuration.emitsHosts else { return }
        try await store.write { tx in try tx.emit(event, user: nil) }
    }

    /// Records the messages that the relay or the peer has received.
    func recordResults(_ id: ConnectionID, _ news: DeliveryResults, within delay: Duration = .zero) async throws {
        try await store.write(within: delay) { tx in
            let sent = try DeliveryStatus.deleteForwardedDeliveries(news.sentMessages, tx)
            if sent.isEmpty, news.receipts.isEmpty, try !ConnectionRecord.isInactive(agent: id, in: tx.db) { return }
            guard var peer = try ConnectionPeer.find(agent: id, in: tx.db) else { return }
            if !news.sentMessages.isEmpty {
                try peer.recordDeliverySuccess(tx)
                // The result may complete a file: a file is complete when the relay has the message with its
                // description. Then the commit is not delayed.
                tx.isUrgent = try SentFiles.isLastDescriptionPending(over: peer.connection, tx.db)
                try DeliveryStatus.recordSent(sent, on: peer, tx)
            }
            if !news.receipts.isEmpty { try DeliveryStatus.recordReceipts(news.receipts, on: peer, tx) }
        }
    }

    private func withPeer(
        _ id: ConnectionID,
        within delay: Duration = .zero,
        _ body: @escaping @Sendable (inout ConnectionPeer, Transaction) throws -> Void
    ) async throws {
        try await store.write(within: delay) { tx in
            guard var peer = try ConnectionPeer.find(agent: id, in: tx.db) else { return }
            try body(&peer, tx)
        }
    }

    /// Handles the answer to an invitation or a request: creates the contact, and confirms with the profile of the
    /// user.
    private func handleConfirmation(_ id: ConnectionID, _ confirmation: ConfirmationID, _ info: [UInt8]) async throws {
        if services.relayTests.passAnswerToTest(id, info) { return }
        let isSupported = try await services.agent.fetchPostQuantumState(of: id).isSupported
        let answer: [UInt8]? = try await store.write { tx in
            guard let peer = try ConnectionPeer.find(agent: id, in: tx.db) else { return nil }
            if let membership = peer.member {
                var handshake = MemberHandshake(peer, membership, tx)
                return try handshake.handleConfirmation(info, confirmation)
            }
            guard peer.connection.status != .deleted, peer.connection.owner.memberId == nil else { return nil }
            let user = peer.user
            var connection = peer.connection
            if let answer = try Self.handleGroupAnswer(to: &connection, info, user, tx) {
                return try ChatMessage(event: answer).encodedInfo(for: connection)
            }
            if ![.requested, .accepted, .ready].contains(connection.status) {
                guard let json = try Self.readPeerProfile(in: info, &connection, tx) else { return nil }
                if connection.postQuantumState.isSupported, !isSupported {
                    connection.postQuantumState = ConnectionPostQuantum(isSupported: false)
                    try connection.postQuantumState.store(connection.connectionId, tx.db)
                }
                connection.status = .requested
                try Self.storePeerProfile(json, &connection, showsItems: false, user, tx)
            }
            let preferences = try ConnectionPeer(connection, in: tx.db)?.contact?.userPreferences
            let profile = try user.profileWithBadge(over: connection, preferences: preferences, in: tx.db)
            return try ChatMessage(event: .info(profile: JSONEncoder().encodeValue(profile))).encodedInfo(
                for: connection
            )
        }
        guard let answer else { return }
        try await services.agent.allow(connection: id, confirmation: confirmation, connInfo: answer)
        try await withPeer(id) { peer, tx in
            if peer.connection.status == .requested { try peer.connection.setStatus(.accepted, at: tx.now, in: tx.db) }
        }
    }

    /// Handles the answer of a group. The answered request was sent to the link of the group, or to the address of a
    /// business.
    /// - Returns: the message for the confirmation; nil for other answers.
    private static func handleGroupAnswer(
        to connection: inout ConnectionRecord,
        _ info: [UInt8],
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> ChatMessageEvent? {
        guard case .success(.message(let message)) = MessageBody.parseFirst(of: info),
            JoinAnswerHandler.mayAnswerRequest(message.event, to: connection),
            let version = ChatVersionRange.supported.compatibleVersion(with: message.versions)
        else { return nil }
        connection.peerVersions = message.versions
        connection.chatVersion = version
        try connection.storeVersions(in: tx.db)
        return try JoinAnswerHandler(user: user, connection: connection, tx: tx).handleAnswer(message.event)
    }

    /// Handles the profile that the inviter has sent.
    private func handlePeerInfo(_ id: ConnectionID, _ info: [UInt8]) async throws {
        try await store.write { tx in
            guard let peer = try ConnectionPeer.find(agent: id, in: tx.db), peer.connection.status != .ready else {
                return
            }
            if let membership = peer.member {
                var handshake = MemberHandshake(peer, membership, tx)
                return try handshake.handleConnectionInfo(info)
            }
            guard peer.connection.status != .deleted, peer.connection.owner.memberId == nil else { return }
            let user = peer.user
            var connection = peer.connection
            guard let json = try Self.readPeerProfile(in: info, &connection, tx) else { return }
            connection.status = .sndReady
            try Self.storePeerProfile(json, &connection, showsItems: true, user, tx)
        }
    }

    /// Creates a contact with the received profile of the peer, or updates the contact that was prepared or accepted
    /// before.
    private static func storePeerProfile(
        _ json: JSONValue,
        _ connection: inout ConnectionRecord,
        showsItems: Bool,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        guard case .contact(let contactId) = connection.owner else {
            return try createContact(try JSONDecoder().decode(Profile.self, from: json), for: &connection, user, tx)
        }
        try tx.db.update(
            "connections",
            set: [
                "conn_status": connection.status.storedText, "chat_version": Int64(connection.chatVersion),
                "peer_min_version": Int64(connection.peerVersions.minimum),
                "peer_max_version": Int64(connection.peerVersions.maximum), "updated_at": tx.now.nanoseconds,
            ],
            where: ["connection_id": connection.connectionId]
        )
        var contact = try ContactRecord.get(contactId, user: user, in: tx.db)
        let isExpected = contact.preparation != nil || contact.requestId != nil
        try contact.receiveProfile(profile: json, showsItems: showsItems && isExpected, user, tx)
    }

    /// Completes a connection whose two directions are established.
    private func handleConnectionReady(_ id: ConnectionID) async throws {
        let isPostQuantum = try await services.agent.fetchPostQuantumState(of: id).isSending
        try await store.write { tx in
            guard let peer = try ConnectionPeer.find(agent: id, in: tx.db), peer.connection.status != .ready else {
                return
            }
            if let membership = peer.member {
                var handshake = MemberHandshake(peer, membership, tx)
                return try handshake.handleConnected()
            }
            guard peer.connection.status != .deleted, peer.connection.owner.memberId == nil else { return }
            let user = peer.user
            var connection = peer.connection
            try connection.setStatus(.ready, at: tx.now, in: tx.db)
            connection.postQuantumState.protectsSent = isPostQuantum
            connection.postQuantumState.protectsReceived = isPostQuantum
            try connection.postQuantumState.store(connection.connectionId, tx.db)
            guard var contact = try ConnectionPeer(connection, in: tx.db)?.contact else { return }
            let incognito = try IncognitoProfile.find(connection.incognitoProfileId, in: tx.db)
            // The contact is connected now, so the user's invitation to a direct chat is no longer needed.
            if contact.memberContact?.isReceived == false { try contact.setMemberContact(nil, tx) }
            try tx.emit(
                .contactConnected(user: user.api, contact: contact.api(user), userCustomProfile: incognito),
                user: user.userId
            )
            try InitialItems.writeMissingItems(&contact, postQuantum: isPostQuantum, user, tx)
            try Self.sendAutoReply(to: &contact, user, tx)
            if connection.isInitiated { try Probes.sendProbe(to: .contact(contact), over: connection, user, tx) }
            // The connection is established, so it no longer matters which side has sent the invitation.
            try tx.db.execute(
                "UPDATE connections SET conn_initiated = 0 WHERE connection_id = ?",
                [connection.connectionId]
            )
        }
    }

    /// Reads the profile in a confirmation, and records the peer's versions.
    private static func readPeerProfile(
        in info: [UInt8],
        _ connection: inout ConnectionRecord,
        _ tx: Transaction
    ) throws -> JSONValue? {
        guard case .success(.message(let message)) = MessageBody.parseFirst(of: info),
            case .info(let json) = message.event,
            (try? JSONDecoder().decode(Profile.self, from: json)) != nil,
            let version = ChatVersionRange.supported.compatibleVersion(with: message.versions)
        else {
            try tx.emit(
                .chatError(chatError: .error(errorType: .exception(message: "the message cannot be read"))),
                user: connection.userId
            )
            return nil
        }
        connection.peerVersions = message.versions
        connection.chatVersion = version
        return json
    }

    private static func createContact(
        _ profile: Profile,
        for connection: inout ConnectionRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        let contactId = try ContactRecord.create(profile, alias: connection.localAlias, user, tx)
        try tx.db.update(
            "connections",
            set: [
                "contact_id": contactId, "conn_status": connection.status.storedText,
                "chat_version": Int64(connection.chatVersion),
                "peer_min_version": Int64(connection.peerVersions.minimum),
                "peer_max_version": Int64(connection.peerVersions.maximum), "updated_at": tx.now.nanoseconds,
            ],
            where: ["connection_id": connection.connectionId]
        )
        connection.owner = .contact(contactId)
        let contact = try ContactRecord.get(contactId, user: user, in: tx.db)
        try tx.emit(.contactConnecting(user: user.api, contact: contact.api(user)), user: user.userId)
    }
}
