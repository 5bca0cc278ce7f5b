import Concurrency
import SMP
import TestSupport
import Testing

@testable import Agent

/// A recipient that is offline until its queue is full.
@Suite(.socketTimeLimit) struct FullQueueTests {
    /// The reason why the sender tries again after its queue was full.
    enum RetryCause: CaseIterable {
        /// The recipient reports that its queue is no longer full (A_QCONT). Without the report, the sender would wait
        /// for an hour.
        case queueReport
        /// The pause of the sender is over. The recipient has reported nothing.
        case pauseEnd
    }

    @Test(arguments: RetryCause.allCases)
    func `All messages arrive in order after the recipient's queue was full for an hour`(cause: RetryCause) async throws
    {
        let relay = try await TestRelay(quota: 4)
        let hour = Backoff.makeRetryBackoff(.seconds(3_600), limit: .seconds(3_600)),
            soon = Backoff.makeRetryBackoff(.milliseconds(50), limit: .milliseconds(400))
        let alice = try await TestAgent(relay.address) { $0.quotaRetry = cause == .queueReport ? hour : soon }
        let bob = try await TestAgent(relay.address)
        let (aliceID, bobID) = try await connect(alice, bob)
        if cause == .pauseEnd {
            try await bob.agent.database.write { db in
                try db.execute(
                    """
                    CREATE TRIGGER silence AFTER INSERT ON snd_messages WHEN NEW.kind = 'queueContinue' BEGIN
                      DELETE FROM snd_messages WHERE conn_id = NEW.conn_id AND internal_id = NEW.internal_id; END
                    """
                )
            }
        }
        await bob.agent.close()
        let texts = (0..<30).map { "m\($0)" }
        try await alice.send(texts, on: aliceID)
        // One of the places in the queue may still contain the confirmation, if its acknowledgement was lost.
        _ = try await alice.waitForAll("sent", 3) { if case .sent = $0 { true } else { nil } }
        let warning = try await alice.waitForFirst("warning") {
            if case .messageWarning(_, _, let id, let error) = $0 { (id, error) } else { nil }
        }
        #expect(warning.0.contains(" m") && warning.1 == .smp(server: relay.address.withoutPassword.str, .quota))
        try await alice.ageRows(seconds: 3_600)
        let again = try await TestAgent(relay.address, folder: bob.folder, user: bob.user)
        #expect(try await again.waitForTexts(30) == texts)
        #expect(try await again.waitForIntegrities(30).allSatisfy { $0 == .ok })
        _ = try await alice.waitForAll("sent", 30) { if case .sent = $0 { true } else { nil } }
        #expect(!alice.events.contains { if case .messageError = $0 { true } else { false } })
        try await waitUntil("the last acknowledgement has arrived") {
            try await again.agent.requestQueueReport(bobID).waitingCount == 0
        }
    }

    @Test
    func `Messages for a full queue wait without requests to the relay until the recipient has emptied the queue`()
        async throws
    {
        let relay = try await TestRelay(quota: 4)
        let alice = try await TestAgent(relay.address) {
            $0.quotaRetry = Backoff.makeRetryBackoff(.seconds(3_600), limit: .seconds(3_600))
        }
        let bob = try await TestAgent(relay.address)
        let (aliceID, _) = try await connect(alice, bob)
        await bob.agent.close()
        let texts = (0..<40).map { "m\($0)" }
        try await alice.send(Array(texts.prefix(10)), on: aliceID)
        _ = try await alice.waitForFirst("warning") { if case .messageWarning = $0 { true } else { nil } }
        for text in texts.dropFirst(10) {
            try await alice.send([text], on: aliceID)
            // The relay answers in order, so after this answer the answer to a message would have arrived too.
            _ = try await alice.agent.requestQueueReport(aliceID)
        }
        // Two warnings are possible, because an attempt may have been underway when the first of these messages was
        // added.
        #expect(alice.events.count { if case .messageWarning = $0 { true } else { false } } <= 2)
        let again = try await TestAgent(relay.address, folder: bob.folder, user: bob.user)
        #expect(try await again.waitForTexts(texts.count) == texts)
    }

    @Test(arguments: [true, false])
    func `A message that waits longer than its time limit fails with an error, and later messages are sent`(
        isFull: Bool
    ) async throws {
        let relay = try await TestRelay(quota: 4)
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (aliceID, _) = try await connect(alice, bob)
        if isFull {
            await bob.agent.close()
            try await alice.send(["1", "2", "3", "4"], on: aliceID)
            _ = try await alice.waitForAll("sent", 3) { if case .sent = $0 { true } else { nil } }
        } else {
            await relay.relay.stopAndWait()
            _ = try await alice.waitForFirst("down") { if case .down = $0 { true } else { nil } }
        }
        try await alice.send(["old 1", "old 2"], on: aliceID)
        // The limit is seven days for a full queue, and two days for a relay that cannot be reached.
        let limit =
            isFull ? alice.agent.configuration.quotaTimeoutSeconds : alice.agent.configuration.messageTimeoutSeconds
        try await alice.ageRows(seconds: limit + 1)
        let failures = try await alice.waitForAll("errors", 2) {
            if case .messageError(_, _, let id, let error) = $0 { (id, error) } else { nil }
        }
        #expect(
            failures.map(\.0).map { $0.hasSuffix("old 1") || $0.hasSuffix("old 2") || $0.hasSuffix("4") } == [
                true, true,
            ]
        )
        if isFull {
            #expect(failures.allSatisfy { $0.1 == .smp(server: relay.address.withoutPassword.str, .quota) })
        } else {
            #expect(failures.allSatisfy { if case .broker = $0.1 { true } else { false } })
        }
        try await alice.send(["new"], on: aliceID)
        let back =
            isFull
            ? relay : try await TestRelay(folder: relay.folder, port: Int(relay.address.portNumber ?? 0), quota: 4)
        let again = isFull ? try await TestAgent(relay.address, folder: bob.folder, user: bob.user) : bob
        _ = try await again.waitForFirst("the new message") {
            if case .message(_, _, _, let body) = $0, body == Array("new".utf8) { true } else { nil }
        }
        #expect(back.address.keyHash == relay.address.keyHash)
    }
}

extension TestAgent {
    /// Moves the times of all stored rows back by a number of seconds, or forward by a negative number.
    func ageRows(seconds: Int64) async throws {
        try await agent.database.write { db in
            for (table, column) in [
                ("snd_messages", "created_at"), ("rcv_hashes", "received_at"), ("awaited_receipts", "sent_at"),
                ("rcv_messages", "internal_ts"),
                ("rcv_messages", "broker_ts"), ("invitations", "received_at"), ("invitation_keys", "created_at"),
                ("deleted_queues", "deleted_at"),
            ] { try db.execute("UPDATE \(table) SET \(column) = \(column) - ?", seconds) }
        }
    }
}

extension QueueReport {
    var waitingCount: Int { Agent.parseWaitingCount(info) }
}
