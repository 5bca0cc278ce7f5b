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
    /// Parses the public key and, in an answer, the ciphertext. A length that differs from the lengths of sntrup761
    /// counts as a malformed header.
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

/// The form of the KEM state in the agent's database: the private key (which contains the public key), and then the
/// accepted KEM, if there is one.
extension RatchetKEM {
    func writeStoredForm(to writer: inout ByteWriter) {
        writer.writeRaw(ownKey.rawRepresentation.bytes)
        writer.writeOptional(acceptedKEM) { writer, accepted in
            writer.writeRaw(accepted.peerKey.rawRepresentation)
            writer.writeRaw(accepted.sharedSecret.bytes)
            writer.writeRaw(accepted.ciphertext.rawRepresentation)
        }
    }

    init(stored reader: inout ByteReader) throws {
        ownKey = try reader.readStoredKEMKey()
        acceptedKEM = try reader.readStoredOptional { reader in
            AcceptedKEM(
                peerKey: try SNTRUP761.PublicKey(rawRepresentation: reader.readBytes(count: SNTRUP761.publicKeySize)),
                sharedSecret: try reader.readStoredSecret(),
                ciphertext: try SNTRUP761.Ciphertext(
                    rawRepresentation: reader.readBytes(count: SNTRUP761.ciphertextSize)
                )
            )
        }
    }
}

extension ByteReader {
    mutating func readStoredKEMKey() throws -> SNTRUP761.PrivateKey {
        try SNTRUP761.PrivateKey(secret: SecretBytes(try readSlice(count: SNTRUP761.privateKeySize)))
    }
}
