import Clocks
import JSON
import SMP
import SQLCipher
import SimpleXCrypto

extension Agent {
    /// Starts a rotation: changes to another receive queue, at another relay if the user has one. The agent continues
    /// after the return, also after crashes. ``AgentEvent/queueSwitchChanged(_:_:)`` reports the progress.
    /// - Throws: `AgentError.command(.prohibited)` when a rotation is running, or no message can be sent.
    /// - Parameter key: the key of the caller's request. A repetition of the request does not start the rotation again.
    package func switchConnection(
        _ id: ConnectionID,
        for key: AgentRequestKey? = nil
    ) async throws -> ConnectionQueueStates {
        let queueStates = try await database.write { db in
            let (connection, queue) = try Self.requireDuplexConnection(id, "switchConnectionAsync", db)
            guard try DoneRequest.findConnection(key, db) == nil else {
                return try ConnectionQueueStates(connection, db)
            }
            guard queue.switchStatus == nil else {
                throw AgentError.command(.prohibited, context: "switchConnectionAsync: the last switch is not complete")
            }
            guard !connection.ratchetSync.prohibitsSending else {
                throw AgentError.command(.prohibited, context: "switchConnectionAsync: send prohibited")
            }
            try queue.setSwitchStatus(.started, db)
            try DoneRequest.recordResult(key, connection: id, db)
            return try ConnectionQueueStates(connection, db)
        }
        continueRotation(id)
        return queueStates
    }

    /// Aborts the rotation of a connection. A rotation can be aborted only while the peer cannot have left the old
    /// queue.
    package func abortSwitch(_ id: ConnectionID) async throws -> ConnectionQueueStates {
        let (queueStates, deleted) = try await database.write { db in
            let (connection, queue) = try Self.requireDuplexConnection(id, "abortConnectionSwitch", db)
            guard let status = queue.switchStatus else {
                throw AgentError.command(.prohibited, context: "abortConnectionSwitch: not allowed")
            }
            guard status.canAbort else {
                throw AgentError.command(
                    .prohibited,
                    context: "abortConnectionSwitch: the peer may use the new queue already"
                )
            }
            guard !connection.ratchetSync.prohibitsSending else {
                throw AgentError.command(.prohibited, context: "abortConnectionSwitch: send prohibited")
            }
            try RcvQueue.findReplacement(of: id, db)?.moveToDeleted(user: connection.userID, db)
            try queue.setSwitchStatus(nil, db)
            return (
                try ConnectionQueueStates(connection, db), try DeletedQueue.readAll(db).filter { $0.connection == id }
            )
        }
        deleteQueues(deleted)
        return queueStates
    }

    private static func requireDuplexConnection(
        _ id: ConnectionID,
        _ call: String,
        _ db: DatabaseConnection
    ) throws -> (AgentConnection, RcvQueue) {
        let connection = try AgentConnection.get(id, db)
        guard let queue = try RcvQueue.findCurrent(id, db), try SndQueue.findCurrent(id, db) != nil,
            connection.ratchet != nil,
            !connection.isDeletedAfterSending
        else {
            throw AgentError.command(.prohibited, context: "\(call): not duplex")
        }
        return (connection, queue)
    }

    /// Performs the recipient's next step of a rotation at the relays, and repeats the step after temporary failures.
    func continueRotation(_ id: ConnectionID) {
        retryInBackground(id) { agent in
            let step = try await agent.database.read { db in try RotationStep(id, db) }
            switch step {
            case .addQueue(let user, let queue, let avoided):
                try await agent.addReplacement(for: queue, user: user, avoiding: avoided)
            case .secureQueue(let user, let replacement, let key):
                try await agent.secureReceiveQueue(replacement, with: key, user: user)
                try await agent.switchToReplacement(replacement)
            case .deleteOldQueue(let user, let queue): try await agent.deleteEmptyQueue(queue, user: user)
            case nil: return
            }
        }
    }

    private func addReplacement(for queue: RcvQueue, user: AgentUserID, avoiding avoided: [ProtocolServer]) async throws
    {
        let id = queue.connection
        let replacement = try await createQueue(
            for: id,
            user: user,
            mode: configuration.queueMode,
            avoiding: avoided,
            patience: .background
        )
        let now = WallClock.seconds()
        let (event, deleted) = try await storeNewQueue(replacement, user: user) {
            db -> (PendingEvent?, [DeletedQueue]) in
            guard var connection = try AgentConnection.find(id, db),
                try RcvQueue.findCurrent(id, db)?.switchStatus == .started,
                !connection.ratchetSync.prohibitsSending
            else {
                // The rotation was aborted before this transaction, or QADD cannot be sent now. So the new queue is
                // deleted.
                try replacement.moveToDeleted(user: user, db)
                return (nil, try DeletedQueue.readAll(db).filter { $0.queue.rcvID == replacement.rcvID })
            }
            try replacement.insert(isReplacement: true, db)
            // Older programs do not know the mode, and would read its tag as the start of the next field. So no mode is
            // sent to such programs.
            let peerVersion = try SndQueue.findCurrent(id, db)?.clientVersion ?? QueueFormVersion.firstWithMode
            let mode = peerVersion < QueueFormVersion.firstWithSenderSecuring ? nil : replacement.mode
            let added = AMessage.AddedQueue(queue: replacement.makeURI(mode: mode), replaces: queue.address)
            _ = try connection.enqueue(.queueAdd([added]), kind: .queueAdd, notify: false, at: now, db)
            try queue.setSwitchStatus(.sendingQADD, db)
            return (try PendingEvent.addSwitchEvent(.rcv, .started, id, db), [])
        }
        if let event { emit(event) }
        deleteQueues(deleted)
        try requireOnline().outbox.wakeWorker(id)
    }

    private func switchToReplacement(_ replacement: RcvQueue) async throws {
        let id = replacement.connection
        let now = WallClock.seconds()
        let event = try await database.write { db -> PendingEvent? in
            guard var connection = try AgentConnection.find(id, db), let queue = try RcvQueue.findCurrent(id, db),
                queue.switchStatus == .sendingQADD,
                try RcvQueue.findReplacement(of: id, db)?.status == .confirmed
            else { return nil }
            guard !connection.ratchetSync.prohibitsSending else { throw RatchetOutOfSync() }
            try replacement.setStatus(.secured, db)
            _ = try connection.enqueue(
                .queueUse([.init(address: replacement.address, isPrimary: true)]),
                kind: .queueUse,
                notify: false,
                at: now,
                db
            )
            try queue.setSwitchStatus(.sendingQUSE, db)
            return try PendingEvent.addSwitchEvent(.rcv, .secured, id, db)
        }
        if let event { emit(event) }
        try requireOnline().outbox.wakeWorker(id)
    }

    /// Deletes the old queue when it is empty. Messages may still wait in the old queue when the new queue is already
    /// in use.
    private func deleteEmptyQueue(_ queue: RcvQueue, user: AgentUserID) async throws {
        let client = try requireOnline().clients.requireClient(user, queue.server, for: queue.connection)
        var failure: AgentError?
        do throws(SMPClientError) {
            if let info = try? await client.requestQueueInfo(queue.credentials), Self.parseWaitingCount(info) > 0 {
                throw .timeout
            }
            try await client.deleteQueue(queue.credentials)
        } catch {
            guard !error.isTemporary, !error.isHostFault else { throw AgentError(error, server: queue.server) }
            failure = AgentError(error, server: queue.server)
        }
        let id = queue.connection
        try requireOnline().clients.forgetQueue(RelayClients.Key(user: user, server: queue.server), rcvID: queue.rcvID)
        let event = try await storeWithRetry { db -> PendingEvent? in
            guard let old = try RcvQueue.findCurrent(id, db), old.rcvID == queue.rcvID,
                let replacement = try RcvQueue.findReplacement(of: id, db)
            else { return nil }
            try replacement.promote(over: old, db)
            return try PendingEvent.addSwitchEvent(.rcv, .completed, id, db)
        }
        // The new queue has no notifier yet, so a round of ``NotificationWorker`` is started, which makes the notifier.
        try requireOnline().notifications.startRound()
        if let event { emit(event) }
        if let failure { throw failure }
    }

    /// Reads the number of waiting messages (`qiSize`) from a relay's report about a queue.
    static func parseWaitingCount(_ info: [UInt8]) -> Int {
        Int(clamping: (try? JSONValue(parsing: info))?["qiSize"]?.integerValue ?? 0)
    }
}

/// The next step of a rotation needs a message to the peer, but no message can be sent before the ratchet is
/// renegotiated.
struct RatchetOutOfSync: Error {}

/// The recipient's next step in the rotation of a connection.
private enum RotationStep: Sendable {
    case addQueue(AgentUserID, RcvQueue, avoiding: [ProtocolServer])
    case secureQueue(AgentUserID, RcvQueue, AuthorizationKey)
    case deleteOldQueue(AgentUserID, RcvQueue)

    init?(_ id: ConnectionID, _ db: DatabaseConnection) throws {
        guard let connection = try AgentConnection.find(id, db), let queue = try RcvQueue.findCurrent(id, db) else {
            return nil
        }
        let replacement = try RcvQueue.findReplacement(of: id, db)
        switch (queue.switchStatus, replacement) {
        case (.started, nil):
            guard !connection.ratchetSync.prohibitsSending else { throw RatchetOutOfSync() }
            let others = try SndQueue.findCurrent(id, db).map { [$0.server] } ?? []
            self = .addQueue(connection.userID, queue, avoiding: [queue.server] + others)
        case (.sendingQADD, let replacement?) where replacement.status == .confirmed:
            guard let key = replacement.senderKey else { return nil }
            self = .secureQueue(connection.userID, replacement, key)
        case (.receivedMessage, _?): self = .deleteOldQueue(connection.userID, queue)
        default: return nil
        }
    }
}

extension PendingEvent {
    static func addSwitchEvent(
        _ direction: QueueSwitch.Direction,
        _ phase: QueueSwitch.Phase,
        _ connection: ConnectionID,
        _ db: DatabaseConnection
    ) throws -> PendingEvent {
        try .add(.switched, connection, connInfo: StoredQueueSwitchChange(direction, phase).storedForm, db)
    }
}
