import SMP
import SimpleXCrypto

/// The KEM state of a ratchet: this side's key pair, and from the step that answered the peer's key on, what was encapsulated
/// for it.
struct RatchetKEM: Hashable, Sendable {
    struct Accepted: Hashable, Sendable {
        /// The peer's key that `ciphertext` was made for.
        var peerKey: SNTRUP761.PublicKey
        var sharedSecret: SecretBytes
        var ciphertext: SNTRUP761.Ciphertext
    }

    var own: SNTRUP761.PrivateKey
    /// Nil while a KEM is only proposed.
    var accepted: Accepted?

    /// What every header says of it.
    var parameters: RatchetKEMParams {
        guard let accepted else { return .proposed(publicKey: own.publicKey.rawRepresentation) }
        return .accepted(ciphertext: accepted.ciphertext.rawRepresentation, publicKey: own.publicKey.rawRepresentation)
    }
}

extension RatchetKEMParams {
    /// The keys themselves, now that they are to be used. Other lengths than sntrup761's are a malformed header.
    func values() throws(RatchetError) -> (ciphertext: SNTRUP761.Ciphertext?, publicKey: SNTRUP761.PublicKey) {
        do {
            switch self {
            case .proposed(let key):
                return (nil, try SNTRUP761.PublicKey(rawRepresentation: key))
            case .accepted(let ciphertext, let key):
                return (try SNTRUP761.Ciphertext(rawRepresentation: ciphertext), try SNTRUP761.PublicKey(rawRepresentation: key))
            }
        } catch {
            throw .malformedHeader
        }
    }
}

/// The form in the agent's database: private key (which contains the public one), then what was accepted, if anything.
extension RatchetKEM {
    func write(to writer: inout ByteWriter) {
        writer.raw(own.rawRepresentation.bytes)
        writer.optional(accepted) { writer, accepted in
            writer.raw(accepted.peerKey.rawRepresentation)
            writer.raw(accepted.sharedSecret.bytes)
            writer.raw(accepted.ciphertext.rawRepresentation)
        }
    }

    init(stored reader: inout ByteReader) throws {
        own = try reader.storedKEMKey()
        accepted = try reader.storedOptional { reader in
            Accepted(
                peerKey: try SNTRUP761.PublicKey(rawRepresentation: reader.bytes(count: SNTRUP761.publicKeySize)),
                sharedSecret: try reader.storedSecret(),
                ciphertext: try SNTRUP761.Ciphertext(rawRepresentation: reader.bytes(count: SNTRUP761.ciphertextSize)))
        }
    }
}

extension ByteReader {
    mutating func storedKEMKey() throws -> SNTRUP761.PrivateKey {
        try SNTRUP761.PrivateKey(secret: SecretBytes(try slice(count: SNTRUP761.privateKeySize)))
    }
}
