package import SMP
package import SimpleXCrypto
import SQLCipher

extension Agent {
    /// Finds the queues that no peer can reach any more, because one of the given relays has replaced the relay of the
    /// queue.
    package func findUnreachableQueues(among relays: [ProtocolServer]) async throws -> [UnreachableQueues] {
        try await database.read { try UnreachableQueues.findQueues(relays, in: $0) }
    }

    /// Finds the queues that no peer can reach any more, in a database that is not in use. The schema of the database
    /// is not upgraded.
    package static func findUnreachableQueues(
        among relays: [ProtocolServer],
        known: (relay: ProtocolServer, queues: Set<[UInt8]>)?,
        inDatabaseAt path: String,
        key: DatabaseKey
    ) async throws -> [UnreachableQueues] {
        try await Database.read(at: path, key: key) { try UnreachableQueues.findQueues(relays, known: known, in: $0) }
    }
}
