import SQLCipher
import SimpleXCrypto

extension Agent {
    /// Signs bytes with the key by which the short link of a connection was made. The same key signs what is behind the
    /// link, so nobody else may choose all of the bytes.
    /// - Returns: nil when the connection has no such link.
    public func linkSignature(of connection: ConnectionID, over bytes: [UInt8]) async throws -> [UInt8]? {
        guard let own = try await database.read({ db in try StoredLink.of(connection, db) }) else { return nil }
        return try own.secrets.rootKey.sign(bytes)
    }
}
