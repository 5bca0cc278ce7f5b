internal import ChatAPI
internal import SQLCipher

/// Access to the chat database: a ``ChatStore`` for the core's own work, a ``CommandStore`` for a command.
protocol StoreAccess: Sendable {
    /// Runs `body` in one transaction, and publishes its events after the commit.
    func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T

    /// Runs `body` on a snapshot.
    func read<T: Sendable>(_ body: @escaping @Sendable (StoreConnection) throws -> T) async throws -> T
}

extension ChatStore: StoreAccess {}

/// The store for one command.
struct CommandStore: StoreAccess {
    private let store: ChatStore
    private let command: CommandContext

    init(_ store: ChatStore, for command: CommandContext) {
        self.store = store
        self.command = command
    }

    var names: ChatNames { store.names }
    var outline: SearchOutline { store.outline }
    var cards: ContactInfoCache { store.cards }

    func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
        try await store.write(of: command, body)
    }

    /// Runs `body` in one transaction as ``write(_:)`` does. The result is the answer of the command: it is published
    /// with the change, and stored in the transaction for repetitions of the request.
    func answer(_ body: @escaping @Sendable (Transaction) throws -> ChatResponse) async throws -> ChatResponse {
        try await write { tx in try tx.answer(body(tx)) }
    }

    /// Runs `body` on a snapshot, or in order with the changes if the command requires that.
    func read<T: Sendable>(_ body: @escaping @Sendable (StoreConnection) throws -> T) async throws -> T {
        guard command.isInOrder else { return try await store.read(body) }
        return try await store.readInOrder(for: command, body)
    }

    /// Reads the calls. The calls that wait for an answer are the answer of the command. All calls go to the followers
    /// of changes, if the command runs in order with the changes.
    func readCalls(_ body: @escaping @Sendable (StoreConnection) throws -> CallsRead) async throws -> ChatResponse {
        try await read(body).response
    }
}
