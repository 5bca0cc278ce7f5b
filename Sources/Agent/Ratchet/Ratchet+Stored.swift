import SMP
import SimpleXCrypto

/// The form of a ratchet in the agent's database. The first byte is the version of the form.
extension Ratchet {
    private static let storedFormVersion: UInt8 = 1

    var storedForm: [UInt8] {
        var writer = ByteWriter(capacity: kem == nil ? 600 : 4600)
        writer.byte(Self.storedFormVersion)
        writer.value(versions.current)
        writer.value(versions.maxSupported)
        writer.shortBytes(associatedData)
        writer.storedX448(dhSelf)
        for flag in [postQuantum.isSupported, postQuantum.isEnabled, postQuantum.isSending, postQuantum.isReceiving] {
            writer.bool(flag)
        }
        writer.optional(kem) { writer, kem in kem.write(to: &writer) }
        writer.raw(rootKey.bytes)
        writer.optional(snd) { writer, chain in
            writer.raw(chain.peerDH.rawRepresentation)
            writer.raw(chain.chainKey.bytes)
            writer.raw(chain.headerKey.rawRepresentation)
        }
        writer.optional(rcv) { writer, chain in
            writer.raw(chain.chainKey.bytes)
            writer.raw(chain.headerKey.rawRepresentation)
        }
        for number in [ns, nr, pn] { writer.word32(number) }
        writer.raw(nextSndHeaderKey.rawRepresentation)
        writer.raw(nextRcvHeaderKey.rawRepresentation)
        return writer.bytes
    }

    init(stored bytes: [UInt8]) throws(RatchetError) {
        do { self = try Self.parseStored(bytes) } catch { throw .unreadableStoredForm }
    }

    private static func parseStored(_ bytes: [UInt8]) throws -> Ratchet {
        var reader = ByteReader(bytes)
        guard try reader.byte() == storedFormVersion else { throw RatchetError.unreadableStoredForm }
        var ratchet = Ratchet(
            versions: RatchetVersions(current: try reader.value(), maxSupported: try reader.value()),
            associatedData: try reader.shortBytes(),
            dhSelf: try reader.storedX448(),
            postQuantum: PostQuantum(
                isSupported: try reader.bool(),
                isEnabled: try reader.bool(),
                isSending: try reader.bool(),
                isReceiving: try reader.bool()
            ),
            rootKey: SecretBytes([]),
            nextSndHeaderKey: SymmetricKey(),
            nextRcvHeaderKey: SymmetricKey()
        )
        ratchet.kem = try reader.storedOptional { reader in try RatchetKEM(stored: &reader) }
        ratchet.rootKey = try reader.storedSecret()
        ratchet.snd = try reader.storedOptional { reader in
            SendingChain(
                peerDH: try X448.PublicKey(rawRepresentation: reader.bytes(count: X448.size)),
                chainKey: try reader.storedSecret(),
                headerKey: try SymmetricKey(reader.storedSecret())
            )
        }
        ratchet.rcv = try reader.storedOptional { reader in
            ReceivingChain(chainKey: try reader.storedSecret(), headerKey: try SymmetricKey(reader.storedSecret()))
        }
        ratchet.ns = try reader.word32()
        ratchet.nr = try reader.word32()
        ratchet.pn = try reader.word32()
        ratchet.nextSndHeaderKey = try SymmetricKey(reader.storedSecret())
        ratchet.nextRcvHeaderKey = try SymmetricKey(reader.storedSecret())
        try reader.finish()
        return ratchet
    }

    init(
        versions: RatchetVersions,
        associatedData: [UInt8],
        dhSelf: X448.PrivateKey,
        postQuantum: PostQuantum,
        rootKey: SecretBytes,
        nextSndHeaderKey: SymmetricKey,
        nextRcvHeaderKey: SymmetricKey
    ) {
        self.versions = versions
        self.associatedData = associatedData
        self.dhSelf = dhSelf
        self.postQuantum = postQuantum
        self.rootKey = rootKey
        self.nextSndHeaderKey = nextSndHeaderKey
        self.nextRcvHeaderKey = nextRcvHeaderKey
    }
}

extension ByteWriter {
    /// Writes the raw private key, then the raw public key.
    mutating func storedX448(_ key: X448.PrivateKey) {
        raw(key.rawRepresentation)
        raw(key.publicKey.rawRepresentation)
    }
}

extension ByteReader {
    mutating func storedX448() throws -> X448.PrivateKey {
        let secret = try bytes(count: X448.size)
        return try X448.PrivateKey(
            rawRepresentation: secret,
            publicKey: X448.PublicKey(rawRepresentation: bytes(count: X448.size))
        )
    }

    mutating func storedSecret() throws -> SecretBytes { SecretBytes(try slice(count: 32)) }

    mutating func storedOptional<T>(_ read: (inout ByteReader) throws -> T) throws -> T? {
        switch try byte() {
        case UInt8(ascii: "0"): nil
        case UInt8(ascii: "1"): try read(&self)
        default: throw SMPEncodingError.invalidTag
        }
    }
}
