import SMP
import SimpleXCrypto

/// The private keys for `E2ERatchetParams`, which an inviter keeps until the peer's parameters arrive.
struct E2EPrivateKeys: Hashable, Sendable {
    /// The private part of the KEM parameters that this side has sent.
    enum KEM: Hashable, Sendable {
        case proposed(SNTRUP761.PrivateKey)
        /// The ciphertext that answers the peer's proposal, its secret, and the private key for the peer's next step.
        case accepted(SNTRUP761.Ciphertext, SecretBytes, SNTRUP761.PrivateKey)
    }

    /// The way in which new keys use a KEM (post-quantum key agreement).
    enum KEMUse: Hashable, Sendable {
        case none
        case propose
        /// Encapsulate for the public key that the peer has proposed.
        case accept(SNTRUP761.PublicKey)

        /// Chooses the answer to `peer`: accepts its KEM proposal, or proposes a KEM if `peer` has no proposal. Without
        /// post-quantum support, or in a version without KEM, no KEM is used.
        init(answering peer: E2ERatchetParams, pqSupported: Bool) throws(RatchetError) {
            guard pqSupported, peer.version >= .pqRatchet else {
                self = .none
                return
            }
            switch peer.kem {
            case nil: self = .propose
            case .proposed?:
                guard let key = try peer.kem?.parseValues().publicKey else { throw .unexpectedKEM }
                self = .accept(key)
            case .accepted?: throw .unexpectedKEM
            }
        }
    }

    var key1: X448.PrivateKey
    var key2: X448.PrivateKey
    var kem: KEM?

    init(key1: X448.PrivateKey, key2: X448.PrivateKey, kem: KEM? = nil) {
        self.key1 = key1
        self.key2 = key2
        self.kem = kem
    }

    /// Makes two new keys, and the KEM keys that `use` requires.
    init(kem use: KEMUse = .none, random: RatchetRandom = .systemRandom) throws(CryptoError) {
        self.init(key1: try random.makeDHKey(), key2: try random.makeDHKey())
        switch use {
        case .none: break
        case .propose: kem = .proposed(try random.makeKEMKey())
        case .accept(let peerKey):
            let own = try random.makeKEMKey()
            let (ciphertext, sharedSecret) = try random.encapsulate(peerKey)
            kem = .accepted(ciphertext, sharedSecret, own)
        }
    }

    /// Returns the public parameters for the peer.
    func makeParameters(version: E2EVersion) -> E2ERatchetParams {
        E2ERatchetParams(
            version: version,
            key1: key1.publicKey,
            key2: key2.publicKey,
            kem: version >= .pqRatchet ? kemParameters : nil
        )
    }

    func makeParameters(versions: ProtocolVersionRange = E2EVersion.supported) -> E2ERatchetParamsURI {
        E2ERatchetParamsURI(versions: versions, key1: key1.publicKey, key2: key2.publicKey, kem: kemParameters)
    }

    private var kemParameters: RatchetKEMParams? {
        switch kem {
        case nil: nil
        case .proposed(let own): .proposed(publicKey: own.publicKey.rawRepresentation)
        case .accepted(let ciphertext, _, let own):
            .accepted(ciphertext: ciphertext.rawRepresentation, publicKey: own.publicKey.rawRepresentation)
        }
    }
}

/// The form of the keys in the agent's database: both raw private keys, each followed by its raw public key, and then
/// the KEM, if there is one.
extension E2EPrivateKeys {
    var storedForm: [UInt8] {
        var writer = ByteWriter(capacity: 224)
        writer.writeStoredX448(key1)
        writer.writeStoredX448(key2)
        switch kem {
        case nil: break
        case .proposed(let own):
            writer.writeASCII("P")
            writer.writeRaw(own.rawRepresentation.bytes)
        case .accepted(let ciphertext, let sharedSecret, let own):
            writer.writeASCII("A")
            writer.writeRaw(ciphertext.rawRepresentation)
            writer.writeRaw(sharedSecret.bytes)
            writer.writeRaw(own.rawRepresentation.bytes)
        }
        return writer.bytes
    }

    init(stored: [UInt8]) throws(RatchetError) {
        var reader = ByteReader(stored)
        do {
            self.init(key1: try reader.readStoredX448(), key2: try reader.readStoredX448())
            if !reader.isAtEnd { kem = try KEM(stored: &reader) }
            try reader.requireEnd()
        } catch {
            throw .unreadableStoredForm
        }
    }
}

extension E2EPrivateKeys.KEM {
    fileprivate init(stored reader: inout ByteReader) throws {
        switch try reader.readByte() {
        case UInt8(ascii: "P"): self = .proposed(try reader.readStoredKEMKey())
        case UInt8(ascii: "A"):
            self = .accepted(
                try SNTRUP761.Ciphertext(rawRepresentation: reader.readBytes(count: SNTRUP761.ciphertextSize)),
                try reader.readStoredSecret(),
                try reader.readStoredKEMKey()
            )
        default: throw RatchetError.unreadableStoredForm
        }
    }
}
