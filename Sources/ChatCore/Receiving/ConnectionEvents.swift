internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Events of connections that do not change the chats.
extension AgentEventHandler {
    /// Emits an error of the agent that concerns the connection of a peer.
    static func emitError(_ error: AgentError, on peer: ConnectionPeer, _ tx: Transaction) throws {
        try tx.emit(
            .chatError(
                chatError: .errorAgent(
                    agentError: error.apiError,
                    agentConnId: peer.connection.apiAgentConnId,
                    connectionEntity_: peer.entity
                )
            ),
            user: peer.user.userId
        )
    }

    /// Emits an error of the agent.
    /// - Parameter id: the connection of a contact, a member, an address or a link; nil for an error without a
    ///   connection.
    static func emitError(_ error: AgentError, on id: ConnectionID?, _ tx: Transaction) throws {
        if let peer = try id.flatMap({ try ConnectionPeer.find(agent: $0, in: tx.db) }) {
            return try emitError(error, on: peer, tx)
        }
        let link = try id.flatMap { try LinkConnection.find(agent: $0, in: tx.db) }
        try tx.emit(
            .chatError(
                chatError: .errorAgent(
                    agentError: error.apiError,
                    agentConnId: id?.api ?? "",
                    connectionEntity_: link?.entity
                )
            ),
            user: link?.userId,
            of: id.flatMap { try DeletedConnections.findUserId(of: $0, in: tx.db) }
        )
    }

    /// Reports that another program with a copy of the store now receives the messages of the connection.
    static func emitSubscriptionEnd(of id: ConnectionID, _ tx: Transaction) throws {
        if let peer = try ConnectionPeer.find(agent: id, in: tx.db) { return try emitSubscriptionEnd(of: peer, tx) }
        guard let link = try LinkConnection.find(agent: id, in: tx.db),
            let user = try UserRecord.find(link.userId, in: tx.db)
        else { return }
        try tx.emit(.subscriptionEnd(user: user.api, connectionEntity: link.entity), user: user.userId)
    }

    private static func emitSubscriptionEnd(of peer: ConnectionPeer, _ tx: Transaction) throws {
        let user = peer.user
        guard let contact = peer.contact else {
            return try tx.emit(.subscriptionEnd(user: user.api, connectionEntity: peer.entity), user: user.userId)
        }
        try tx.emit(.contactAnotherClient(user: user.api, contact: contact.api(user)), user: user.userId)
    }

    /// Reports whether chat connections receive messages, after the network connection to their relay was made or lost.
    /// Each user gets one event.
    func emitSubscriptionStatus(_ status: SubscriptionStatus, of ids: [ConnectionID], at server: String) async throws {
        guard !ids.isEmpty else { return }
        try await store.write { tx in
            var connections: [Int64: [String]] = [:]
            for chunk in ids.map(\.text).chunks(of: 500) {
                let rows = try (["connections"] + LinkConnection.tables).flatMap { table in
                    try tx.db.query(
                        "SELECT user_id, agent_conn_id FROM \(table) WHERE agent_conn_id IN (\(placeholders(chunk.count)))",
                        chunk.arguments
                    )
                }
                for row in rows {
                    connections[try row.int64("user_id"), default: []].append(
                        BytesText.base64URL(try row.string("agent_conn_id"))
                    )
                }
            }
            for (userId, ids) in connections.sorted(by: { $0.key < $1.key }) {
                try tx.emit(
                    .subscriptionStatus(server: server, subscriptionStatus: status, connections: ids),
                    user: userId
                )
            }
        }
    }

    /// Reports a change of the subscription of a client service, which covers all queues of the service at a relay. The
    /// event names no user, as in the original.
    func emitServiceStatus(_ change: ServiceSubscriptionChange, at server: String) async throws {
        let event: ServiceSubEvent =
            switch change {
            case .subscribed(let count, let error): .up(serviceError: error?.apiText, queueCount: count)
            case .lost(let count): .down(queueCount: count)
            case .delivered: .all
            case .ended(let count): .end(queueCount: count)
            }
        try await store.write { tx in
            try tx.emit(.serviceSubStatus(server: server, serviceSubEvent: event), user: nil)
        }
    }
}

extension ServiceSubscriptionError {
    /// The text of the error, as in the original.
    fileprivate var apiText: String {
        switch self {
        case .queueCount(let expected): "expected \(expected) connections"
        case .queueIDs: "different IDs hash"
        }
    }
}
