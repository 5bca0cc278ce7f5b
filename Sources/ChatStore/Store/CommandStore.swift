package import Agent
package import ChatAPI
package import SQLCipher

/// Access to the chat database: a ``ChatStore`` for the work of the core itself, or a ``CommandStore`` for a command.
package protocol StoreAccess: Sendable {
    /// Runs `body` in one transaction, and publishes its events after the commit.
    func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T

    /// Runs `body` on a snapshot of the database.
    func read<T: Sendable>(_ body: @escaping @Sendable (StoreConnection) throws -> T) async throws -> T
}

extension ChatStore: StoreAccess {}

/// Access to the chat database for one command.
package struct CommandStore: StoreAccess {
    private let store: ChatStore
    private let command: CommandContext
    /// The joint transaction to which the transaction of the command is added; nil for a command that runs its
    /// transaction itself.
    private let jointTransaction: JointTransaction?

    package init(_ store: ChatStore, for command: CommandContext, joining joint: JointTransaction? = nil) {
        self.store = store
        self.command = command
        self.jointTransaction = joint
    }

    /// The slow statements of the database.
    package var slowStatements: SlowStatements { store.database.slowStatements }

    /// Refuses a command that would exceed a limit of the store, before the command has any effect.
    /// - Throws: `QuotaExceeded`.
    package func checkCapacity(for needs: QuotaNeeds, _ agent: Agent) async throws {
        try await store.quota.checkCapacity(for: needs, agent) { [store] in try await store.read($0) }
    }

    package var chatNames: ChatNames { store.chatNames }
    package var searchOutline: SearchOutline { store.searchOutline }
    package var contactInfoCache: ContactInfoCache { store.contactInfoCache }

    package func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
        defer { command.removeCondition() }
        return try await store.write(of: command, for: command.writePurpose) { [command] tx in
            try command.checkCondition(tx.db)
            return try body(tx)
        }
    }

    /// Runs `body` in one transaction, as ``write(_:)`` does. The result is the answer to the command. It is published
    /// with the change, and stored in the transaction for repetitions of the request.
    ///
    /// If the command is part of a joint transaction, `body` runs later, and the returned response is a placeholder.
    package func writeAndAnswer(
        _ body: @escaping @Sendable (Transaction) throws -> ChatResponse
    ) async throws -> ChatResponse {
        guard let jointTransaction else { return try await write { tx in try tx.storeAnswer(body(tx)) } }
        jointTransaction.add(body, of: command)
        return .cmdOk(user_: nil)
    }

    /// Runs `body` on a snapshot of the database. If the result must be published in the order of the changes, the
    /// observers of changes get it too.
    package func read<T: Sendable>(_ body: @escaping @Sendable (StoreConnection) throws -> T) async throws -> T {
        guard command.isOrderedRead else { return try await store.read(body) }
        return try await store.runOrderedRead(for: command, body)
    }

    /// Reads the calls, and returns the answer to the command: the calls that wait for an answer. If the answer is
    /// published in the order of the changes, the observers of changes also get the active calls.
    package func readCalls(
        _ body: @escaping @Sendable (StoreConnection) throws -> CallsSnapshot
    ) async throws -> ChatResponse {
        try await read(body).response
    }
}
