import SMP
import SimpleXCrypto

/// The private side of `E2ERatchetParams`, kept from the invitation until the peer's parameters arrive.
struct E2EPrivateKeys: Hashable, Sendable {
    var key1: X448.PrivateKey
    var key2: X448.PrivateKey

    init(key1: X448.PrivateKey, key2: X448.PrivateKey) {
        self.key1 = key1
        self.key2 = key2
    }

    /// Two new keys.
    init(random: RatchetRandom = .system) throws(CryptoError) {
        self.init(key1: try random.dhKey(), key2: try random.dhKey())
    }

    /// What the peer is told. Without KEM parameters: this program proposes and accepts none yet.
    func parameters(version: E2EVersion) -> E2ERatchetParams {
        E2ERatchetParams(version: version, key1: key1.publicKey, key2: key2.publicKey)
    }

    func parameters(versions: VersionRange = E2EVersion.supported) -> E2ERatchetParamsURI {
        E2ERatchetParamsURI(versions: versions, key1: key1.publicKey, key2: key2.publicKey)
    }
}

/// The form in the agent's database: both raw private keys, each followed by its raw public key.
extension E2EPrivateKeys {
    var stored: [UInt8] {
        [key1, key2].flatMap { $0.rawRepresentation + $0.publicKey.rawRepresentation }
    }

    init(stored: [UInt8]) throws(RatchetError) {
        var reader = ByteReader(stored)
        do {
            self.init(key1: try reader.storedX448(), key2: try reader.storedX448())
            try reader.finish()
        } catch {
            throw .storedForm
        }
    }
}
