import SMP
import SimpleXCrypto

/// The KEM state of a ratchet: the key pair of this side and, after an answer to the peer's key, the result of the
/// encapsulation.
struct RatchetKEM: Hashable, Sendable {
    struct AcceptedKEM: Hashable, Sendable {
        /// The peer's key for which `ciphertext` was made.
        var peerKey: SNTRUP761.PublicKey
        var sharedSecret: SecretBytes
        var ciphertext: SNTRUP761.Ciphertext
    }

    var ownKey: SNTRUP761.PrivateKey
    /// The answer to the peer's key; nil while this side has only proposed a KEM.
    var acceptedKEM: AcceptedKEM?

    /// The KEM parameters for message headers.
    var parameters: RatchetKEMParams {
        guard let acceptedKEM else { return .proposed(publicKey: ownKey.publicKey.rawRepresentation) }
        return .accepted(
            ciphertext: acceptedKEM.ciphertext.rawRepresentation,
            publicKey: ownKey.publicKey.rawRepresentation
        )
    }
}

extension RatchetKEMParams {
    /// Parses the values. A length that differs from the lengths of sntrup761 counts as a malformed header.
    func parseValues() throws(RatchetError) -> (ciphertext: SNTRUP761.Ciphertext?, publicKey: SNTRUP761.PublicKey) {
        do {
            switch self {
            case .proposed(let key):
                return (nil, try SNTRUP761.PublicKey(rawRepresentation: key))
            case .accepted(let ciphertext, let key):
                return (
                    try SNTRUP761.Ciphertext(rawRepresentation: ciphertext),
                    try SNTRUP761.PublicKey(rawRepresentation: key)
                )
            }
        } catch {
            throw .malformedHeader
        }
    }
}

/// The form in the agent's database: the private key (which contains the public key), then the accepted KEM, if there
/// is one.
extension RatchetKEM {
    func write(to writer: inout ByteWriter) {
        writer.raw(ownKey.rawRepresentation.bytes)
        writer.optional(acceptedKEM) { writer, accepted in
            writer.raw(accepted.peerKey.rawRepresentation)
            writer.raw(accepted.sharedSecret.bytes)
            writer.raw(accepted.ciphertext.rawRepresentation)
        }
    }

    init(stored reader: inout ByteReader) throws {
        ownKey = try reader.storedKEMKey()
        acceptedKEM = try reader.storedOptional { reader in
            AcceptedKEM(
                peerKey: try SNTRUP761.PublicKey(rawRepresentation: reader.bytes(count: SNTRUP761.publicKeySize)),
                sharedSecret: try reader.storedSecret(),
                ciphertext: try SNTRUP761.Ciphertext(rawRepresentation: reader.bytes(count: SNTRUP761.ciphertextSize))
            )
        }
    }
}

extension ByteReader {
    mutating func storedKEMKey() throws -> SNTRUP761.PrivateKey {
        try SNTRUP761.PrivateKey(secret: SecretBytes(try slice(count: SNTRUP761.privateKeySize)))
    }
}
