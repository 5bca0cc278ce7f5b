internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Handling of the agent's events. Events of one connection arrive in order. Most events are handled in one transaction
/// each; messages that arrive together, and results that arrive together, share one transaction. The agent may delete
/// an event when its handling has ended. A handled event that is delivered again after a crash has no effect.
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
            try await recordDeliveryResults(id, DeliveryResults(sentMessages: [message]))
        case .gap(let id, let gap):
            try await withPeer(id) { peer, tx in try IntegrityItems.addGapItem(gap, on: peer, tx) }
        case .receipts(let id, let receipts): try await recordDeliveryResults(id, DeliveryResults(receipts: receipts))
        case .ratchetSync(let id, let change):
            let stats = ConnectionStats(change.queueStates, services.agent)
            try await withPeer(id) { peer, tx in try RatchetSyncItems.addChangeItem(change, stats, on: peer, tx) }
        case .queueSwitchChanged(let id, let change):
            let stats = ConnectionStats(change.queueStates, services.agent)
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
            agentError_: error?.apiError
        )
        try await store.write { tx in try tx.emitQueueDeleted(queue, of: id) }
    }

    private func emitHostEvent(_ event: ChatEvent) async throws {
        guard services.configuration.emitsHostSessionEvents else { return }
        try await store.write { tx in try tx.emit(event, user: nil) }
    }

    /// Handles results of sent messages: the relay has accepted messages, or the peer has sent receipts.
    func recordDeliveryResults(_ id: ConnectionID, _ news: DeliveryResults, within delay: Duration = .zero) async throws
    {
        try await store.write(within: delay) { tx in
            let sent = try DeliveryStatus.deleteForwardedDeliveries(news.sentMessages, tx)
            if sent.isEmpty, news.receipts.isEmpty, try !ConnectionRecord.isInactive(agent: id, in: tx.db) { return }
            guard var peer = try ConnectionPeer.find(agent: id, in: tx.db) else { return }
            if !news.sentMessages.isEmpty {
                try peer.recordDeliverySuccess(tx)
                // A sent file is complete when the relay has accepted the message with the description of the file. If
                // this result may complete a file, the commit is not delayed.
                tx.isUrgent = try SentFiles.isLastDescriptionPending(over: peer.connection, tx.db)
                try DeliveryStatus.recordSent(sent, on: peer, tx)
            }
            if !news.receipts.isEmpty { try DeliveryStatus.recordReceipts(news.receipts, on: peer, tx) }
        }
    }

    func withPeer(
        _ id: ConnectionID,
        within delay: Duration = .zero,
        _ body: @escaping @Sendable (inout ConnectionPeer, Transaction) throws -> Void
    ) async throws {
        try await store.write(within: delay) { tx in
            guard var peer = try ConnectionPeer.find(agent: id, in: tx.db) else { return }
            try body(&peer, tx)
        }
    }
}
