import Clocks
import SMP

@testable import Agent

/// Sending without the outbox, as by a peer that violates the protocol.
extension TestAgent {
    /// Changes the stored state of a connection. `assignments` is SQL.
    func alterConnection(_ id: ConnectionID, _ assignments: String) async throws {
        try await agent.database.write { db in
            try db.execute("UPDATE connections SET \(assignments) WHERE conn_id = ?", id.bytes)
        }
    }

    /// Numbers and encrypts a message without sending it. Returns the body for SEND.
    func sealMessage(_ text: String, on id: ConnectionID) async throws -> [UInt8] {
        try await agent.database.write { db in
            var record = try AgentConnection.get(id, db)
            let number = try record.enqueue(.message(Array(text.utf8)), kind: .message, notify: true, at: 0, db)
            guard
                let row = try db.firstRow(
                    "SELECT * FROM snd_messages WHERE conn_id = ? AND internal_id = ?",
                    id.bytes,
                    number
                ),
                let queue = try SndQueue.findCurrent(id, db)
            else { throw AgentError.internal("nothing in the outbox") }
            let message = try OutboxMessage(row)
            try db.execute("DELETE FROM snd_messages WHERE conn_id = ? AND internal_id = ?", id.bytes, number)
            return try message.makeEnvelope(for: queue, agentVersion: record.agentVersion)
        }
    }

    /// Returns a body for SEND that contains any bytes instead of an agent message, correctly encrypted for the queue.
    func sealForQueue(envelope: [UInt8], on id: ConnectionID) async throws -> [UInt8] {
        let queue = try await sndQueue(id)
        return try ClientMessageEnvelope(
            sealing: ClientMessage(body: envelope),
            header: .init(clientVersion: queue.clientVersion, dhKey: nil),
            secret: queue.e2eSecret
        ).smpEncoded()
    }

    /// Sends a body unchanged.
    func sendBody(_ body: [UInt8], on id: ConnectionID) async throws {
        let queue = try await sndQueue(id)
        try await agent.requireOnline().clients.requireClient(user, queue.server, for: nil).sendMessage(
            sndID: queue.sndID,
            key: queue.key,
            flags: MessageFlags(notification: true),
            body: body
        )
    }

    /// Adds an agent message that is not from the user to the outbox.
    func enqueue(_ message: AMessage, kind: OutboxMessage.Kind, on id: ConnectionID) async throws {
        _ = try await agent.database.write { db in
            var record = try AgentConnection.get(id, db)
            return try record.enqueue(message, kind: kind, notify: false, at: WallClock.seconds(), db)
        }
    }

    func wakeOutbox(_ id: ConnectionID) throws { try agent.requireOnline().outbox.wakeWorker(id) }

    private func sndQueue(_ id: ConnectionID) async throws -> SndQueue {
        guard let queue = try await agent.database.read({ db in try SndQueue.findCurrent(id, db) }) else {
            throw AgentError.connection(.simplex, context: "")
        }
        return queue
    }

    /// Waits for `count` messages, and returns the integrity of each.
    func waitForIntegrities(_ count: Int) async throws -> [MessageIntegrity] {
        try await waitForAll("\(count) messages", count) {
            if case .message(_, let meta, _, _) = $0 { meta.integrity } else { nil }
        }
    }

    /// Waits for `count` receipts, and returns them.
    func waitForReceipts(_ count: Int, within seconds: Int = 60) async throws -> [MessageReceipt] {
        try await waitForAll("\(count) receipts", 1, within: seconds) { [self] event -> [MessageReceipt]? in
            guard case .receipts = event else { return nil }
            var told: [MessageReceipt] = []
            for case .receipts(_, let receipts) in events { told += receipts }
            return told.count >= count ? told : nil
        }[0]
    }

    var ratchetSyncs: [RatchetSyncChange] {
        events.compactMap { if case .ratchetSync(_, let change) = $0 { change } else { nil } }
    }

    var errors: [AgentError] { events.compactMap { if case .error(_, let error) = $0 { error } else { nil } } }
}
