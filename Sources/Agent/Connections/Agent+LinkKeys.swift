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

extension Agent {
    /// Makes a signature that proves that the owner of a connection's short link shares this link.
    /// - Parameter binding: bytes that identify the chat in which the link is shared.
    /// - Returns: the signature; nil when the connection has no short link.
    package func signAsOwner(
        of connection: ConnectionID,
        sharing link: ShortLink,
        binding: [UInt8]
    ) async throws -> [UInt8]? {
        guard let own = try await database.read({ db in try StoredLink.find(connection, db) }) else { return nil }
        return try own.secrets.rootKey.sign(binding + link.smpEncoded())
    }
}
