import SMP
import SimpleXCrypto

/// The stored form of the key of a message in the outbox. The transaction that stores the key also advances the
/// ratchet. So no key is used twice, and a repeated message has the same bytes.
extension MessageEncryptionKey {
    func storedForm() throws -> [UInt8] {
        var writer = ByteWriter(capacity: 320)
        writer.writeWord16(version.number)
        writer.writeRaw(key.storedForm)
        writer.writeShortBytes(associatedData)
        writer.writeLargeBytes(header)
        return try writer.finish()
    }

    init(stored: [UInt8]) throws {
        var reader = ByteReader(stored)
        version = E2EVersion(try reader.readWord16())
        key = try MessageKey(stored: try reader.readBytes(count: 48))
        associatedData = try reader.readShortBytes()
        header = try reader.readLargeBytes()
        try reader.requireEnd()
    }
}
