import NTF
package import SMP
import SQLCipher
package import SimpleXCrypto

/// Information about one connection in a push.
package struct NotificationInfo: Hashable, Sendable {
    package var connection: ConnectionID
    /// Id of the queue for ``WaitingMessageRequest``.
    package var queueID: Int64
    /// The message; nil when the relay's part of the push cannot be decrypted.
    package var message: NotificationMeta?
}

/// Request for the waiting message in the queue of a connection.
package struct WaitingMessageRequest: Hashable, Sendable {
    package var connection: ConnectionID
    package var queueID: Int64
    /// Time at which the relay received the announced message, in seconds since 1970; nil when it is unknown.
    package var timestampSeconds: Int64?

    package init(connection: ConnectionID, queueID: Int64, timestamp: Int64?) {
        self.connection = connection
        self.queueID = queueID
        self.timestampSeconds = timestamp
    }
}

extension Agent {
    /// Returns the known connections of a push, in the order of its entries. An entry before the last one is left out
    /// if its message has arrived already, or cannot be decrypted.
    package func findNotifiedConnections(nonce: BoxNonce, box: [UInt8]) async throws -> [NotificationInfo] {
        let infos = try await database.read { db in
            guard let token = try StoredToken.find(db), token.status == .active, let secret = token.dhSecret else {
                throw AgentError.command(.prohibited, context: "getNotificationConns")
            }
            guard let content = try? NotificationBox.openContent(box, secret: secret, nonce: nonce) else {
                throw AgentError.agent(.crypto(.decryptCB))
            }
            guard let news = try? NotificationBox.parseNotifications(in: content) else {
                throw AgentError.internal("the content of the push notification cannot be read")
            }
            return try news.enumerated().compactMap {
                try NotifiedQueue.find($1, db)?.makeNotificationInfo($1, isLast: $0 == news.count - 1)
            }
        }
        guard !infos.isEmpty else {
            throw AgentError.internal("getNotificationConns: the queues of the notification are unknown")
        }
        return infos
    }

    /// Requests one message from each queue without subscribing to the queue (GET). Each message is stored before the
    /// acknowledgement to the relay, and becomes an event like any other message.
    /// - Returns: id and time of the message for each request; nil when no message waits.
    package func fetchWaitingMessages(
        _ requests: [WaitingMessageRequest]
    ) async throws -> [Result<NotificationMeta?, AgentError>] {
        let run = try requireOnline()
        var clients: [RelayClients.Key: SMPClient] = [:]
        var results: [Result<NotificationMeta?, AgentError>] = []
        for request in requests {
            do {
                let (key, queue) = try await findUnsubscribedQueue(request.connection, run)
                // A separate session is used, because a relay refuses a subscription and GET in the same session.
                let client = clients[key] ?? run.clients.makeUnsharedClient(key.user, key.server)
                clients[key] = client
                results.append(.success(try await fetchMessage(request, queue, key, client)))
            } catch {
                results.append(.failure(error as? AgentError ?? .internal("message not stored")))
            }
        }
        for client in clients.values { await client.close() }
        return results
    }

    /// Finds the queue of a connection, for a request of one message without a subscription (GET).
    /// - Throws: when the queue is subscribed, so its messages arrive by themselves.
    private func findUnsubscribedQueue(_ id: ConnectionID, _ run: Run) async throws -> (RelayClients.Key, RcvQueue) {
        let (key, queue) = try await database.read { db in
            let connection = try AgentConnection.get(id, db)
            guard let queue = try RcvQueue.findCurrent(id, db) else {
                throw try SndQueue.findCurrent(id, db) == nil
                    ? AgentError.command(.prohibited, context: "getConnectionMessage: the connection has no queue yet")
                    : AgentError.connection(.simplex, context: "getConnectionMessage")
            }
            return (RelayClients.Key(user: connection.userID, server: queue.server), queue)
        }
        guard !run.clients.subscribedQueueIDs.contains(queue.rcvID) else {
            throw AgentError.command(
                .prohibited,
                context: "getConnectionMessage: the queue is subscribed, so its messages arrive by themselves"
            )
        }
        return (key, queue)
    }

    private func fetchMessage(
        _ request: WaitingMessageRequest,
        _ queue: RcvQueue,
        _ key: RelayClients.Key,
        _ client: SMPClient
    ) async throws -> NotificationMeta? {
        do {
            guard let message = try await client.getMessage(queue.credentials) else {
                if let timestamp = request.timestampSeconds {
                    try await database.write { db in
                        try NotificationSubscription.recordReceivedMessage(at: timestamp, request.connection, db)
                    }
                }
                return nil
            }
            let isStored = await withCheckedContinuation { continuation in
                let run = try? requireOnline()
                guard let run else { return continuation.resume(returning: false) }
                run.jobs.addElement(.connection(request.connection)) { [weak self] in
                    continuation.resume(returning: await self?.receiveFetchedMessage(message, queue, key) ?? false)
                }
            }
            if isStored {
                try await client.acknowledgeMessage(rcvID: queue.rcvID, key: queue.key, messageID: message.id)
                emit(
                    .waitingMessageReceived(
                        request.connection,
                        messageID: message.id,
                        timestamp: message.body.timestampSeconds
                    ),
                    in: .connection(request.connection)
                )
            }
            return NotificationMeta(messageID: message.id, timestamp: message.body.timestampSeconds)
        } catch let error as SMPClientError {
            throw AgentError(error, server: queue.server)
        }
    }
}

/// The queue to which an entry of a push belongs.
private struct NotifiedQueue {
    var connection: ConnectionID
    var queueID: Int64
    var secret: X25519.SharedSecret
    var lastTimestampSeconds: Int64?

    static func find(_ news: NotificationData, _ db: DatabaseConnection) throws -> NotifiedQueue? {
        for row in try db.query("SELECT * FROM ntf_subscriptions WHERE notifier_id = ?", news.address.notifierID) {
            // The stored address and the received address of a relay may have different hosts, so one common host is
            // enough.
            let server = try parseStoredServer(row.string("server"))
            guard server.portNumber == news.address.server.portNumber,
                !Set(server.hosts).isDisjoint(with: news.address.server.hosts),
                let secret = try row.blobOrNil("notifier_secret")
            else { continue }
            return NotifiedQueue(
                connection: ConnectionID(bytes: try row.blob("conn_id")),
                queueID: try row.int64("queue_id"),
                secret: try X25519.SharedSecret(rawRepresentation: secret),
                lastTimestampSeconds: try row.int64OrNil("last_broker_ts")
            )
        }
        return nil
    }

    func makeNotificationInfo(_ news: NotificationData, isLast: Bool) -> NotificationInfo? {
        let meta = try? NotificationMeta(opening: news.encMeta, secret: secret, nonce: news.nonce)
        if !isLast {
            guard let meta, lastTimestampSeconds.map({ meta.timestampSeconds > $0 }) ?? true else { return nil }
        }
        return NotificationInfo(connection: connection, queueID: queueID, message: meta)
    }
}
