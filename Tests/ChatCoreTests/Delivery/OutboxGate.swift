import SQLCipher

@testable import Agent
@testable import ChatCore

/// Stops an outbox at one of its steps until the test opens the gate. If the outbox is stopped there, its step fails.
final class OutboxGate: Sendable {
    private let gatedStep: OutboxHooks.Step
    private let (reachedSignal, reach) = AsyncStream.makeStream(of: Void.self)
    private let (openedSignal, opening) = AsyncStream.makeStream(of: Void.self)

    init(at step: OutboxHooks.Step) { self.gatedStep = step }

    func holdAtStep(_ step: OutboxHooks.Step) async throws {
        guard step == self.gatedStep else { return }
        reach.finish()
        for await _ in openedSignal {}
        try Task.checkCancellation()
    }

    func waitUntilReached() async { for await _ in reachedSignal {} }

    func openGate() { opening.finish() }
}

extension Core {
    func setNetworkInfo(_ isOnline: Bool) async throws {
        try await run(#"/_network info {"networkType":"\#(isOnline ? "wifi" : "none")","online":\#(isOnline)}"#)
    }

    /// Makes the agent record the messages that it accepts from now on, also after restarts.
    func recordAcceptedMessages() async throws {
        try await controller.services.agent.database.write { db in
            try db.execute("CREATE TABLE accepted (external_id TEXT NOT NULL)")
            try db.execute(
                """
                CREATE TRIGGER accepted_recorded AFTER INSERT ON snd_messages WHEN NEW.external_id IS NOT NULL
                BEGIN INSERT INTO accepted VALUES (NEW.external_id); END
                """
            )
        }
    }

    /// The messages accepted since ``recordAcceptedMessages()``, in order.
    func readAcceptedMessages() async throws -> [String] {
        try await controller.services.agent.database.read { db in
            try db.query("SELECT external_id FROM accepted ORDER BY rowid").map { try $0.string("external_id") }
        }
    }

    /// Waits until the agent has sent all its messages, the chat has stored the results, and the agent has deleted the
    /// messages.
    func waitForEmptyAgent() async throws {
        // No event reports the deletion, so the database is read repeatedly.
        while try await controller.services.agent.database.read({ db in
            try db.firstRow("SELECT 1 FROM snd_messages WHERE external_id IS NOT NULL") != nil
        }) {
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
