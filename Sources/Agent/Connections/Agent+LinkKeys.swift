import SQLCipher
import SimpleXCrypto

extension Agent {
    /// Signs bytes with the root key of the short link of a connection. The same key signs the data behind the link, so
    /// never sign bytes that another party has chosen completely.
    /// - Returns: the signature; nil when the connection has no short link.
    package func signWithLinkKey(of connection: ConnectionID, over bytes: [UInt8]) async throws -> [UInt8]? {
        guard let own = try await database.read({ db in try StoredLink.find(connection, db) }) else { return nil }
        return try own.secrets.rootKey.sign(bytes)
    }
}
