import SMP
import SimpleXCrypto

/// The form of a ratchet in the agent's database. The first byte is the version of the form.
extension Ratchet {
    private static let storedFormVersion: UInt8 = 1

    var storedForm: [UInt8] {
        var writer = ByteWriter(capacity: kem == nil ? 600 : 4600)
        writer.writeByte(Self.storedFormVersion)
        writer.writeValue(versions.current)
        writer.writeValue(versions.maxSupported)
        writer.writeShortBytes(associatedData)
        writer.writeStoredX448(ownDHKey)
        for flag in [postQuantum.isSupported, postQuantum.isEnabled, postQuantum.isSending, postQuantum.isReceiving] {
            writer.writeBool(flag)
        }
        writer.writeOptional(kem) { writer, kem in kem.writeStoredForm(to: &writer) }
        writer.writeRaw(rootKey.bytes)
        writer.writeOptional(sendingChain) { writer, chain in
            writer.writeRaw(chain.peerDH.rawRepresentation)
            writer.writeRaw(chain.chainKey.bytes)
            writer.writeRaw(chain.headerKey.rawRepresentation)
        }
        writer.writeOptional(receivingChain) { writer, chain in
            writer.writeRaw(chain.chainKey.bytes)
            writer.writeRaw(chain.headerKey.rawRepresentation)
        }
        for number in [ns, nr, pn] { writer.writeWord32(number) }
        writer.writeRaw(nextSndHeaderKey.rawRepresentation)
        writer.writeRaw(nextRcvHeaderKey.rawRepresentation)
        return writer.bytes
    }

    init(stored bytes: [UInt8]) throws(RatchetError) {
        do { self = try Self.parseStored(bytes) } catch { throw .unreadableStoredForm }
    }

    private static func parseStored(_ bytes: [UInt8]) throws -> Ratchet {
        var reader = ByteReader(bytes)
        guard try reader.readByte() == storedFormVersion else { throw RatchetError.unreadableStoredForm }
        var ratchet = Ratchet(
            versions: RatchetVersions(current: try reader.readValue(), maxSupported: try reader.readValue()),
            associatedData: try reader.readShortBytes(),
            dhSelf: try reader.readStoredX448(),
            postQuantum: PostQuantum(
                isSupported: try reader.readBool(),
                isEnabled: try reader.readBool(),
                isSending: try reader.readBool(),
                isReceiving: try reader.readBool()
            ),
            rootKey: SecretBytes([]),
            nextSndHeaderKey: SymmetricKey(),
            nextRcvHeaderKey: SymmetricKey()
        )
        ratchet.kem = try reader.readStoredOptional { reader in try RatchetKEM(stored: &reader) }
        ratchet.rootKey = try reader.readStoredSecret()
        ratchet.sendingChain = try reader.readStoredOptional { reader in
            SendingChain(
                peerDH: try X448.PublicKey(rawRepresentation: reader.readBytes(count: X448.size)),
                chainKey: try reader.readStoredSecret(),
                headerKey: try SymmetricKey(reader.readStoredSecret())
            )
        }
        ratchet.receivingChain = try reader.readStoredOptional { reader in
            ReceivingChain(
                chainKey: try reader.readStoredSecret(),
                headerKey: try SymmetricKey(reader.readStoredSecret())
            )
        }
        ratchet.ns = try reader.readWord32()
        ratchet.nr = try reader.readWord32()
        ratchet.pn = try reader.readWord32()
        ratchet.nextSndHeaderKey = try SymmetricKey(reader.readStoredSecret())
        ratchet.nextRcvHeaderKey = try SymmetricKey(reader.readStoredSecret())
        try reader.requireEnd()
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
        self.ownDHKey = dhSelf
        self.postQuantum = postQuantum
        self.rootKey = rootKey
        self.nextSndHeaderKey = nextSndHeaderKey
        self.nextRcvHeaderKey = nextRcvHeaderKey
    }
}

extension ByteWriter {
    /// Writes the raw private key, then the raw public key.
    mutating func writeStoredX448(_ key: X448.PrivateKey) {
        writeRaw(key.rawRepresentation)
        writeRaw(key.publicKey.rawRepresentation)
    }
}

extension ByteReader {
    mutating func readStoredX448() throws -> X448.PrivateKey {
        let secret = try readBytes(count: X448.size)
        return try X448.PrivateKey(
            rawRepresentation: secret,
            publicKey: X448.PublicKey(rawRepresentation: readBytes(count: X448.size))
        )
    }

    mutating func readStoredSecret() throws -> SecretBytes { SecretBytes(try readSlice(count: 32)) }

    mutating func readStoredOptional<T>(_ read: (inout ByteReader) throws -> T) throws -> T? {
        switch try readByte() {
        case UInt8(ascii: "0"): nil
        case UInt8(ascii: "1"): try read(&self)
        default: throw SMPEncodingError.invalidTag
        }
    }
}
