import SMP
import SimpleXCrypto

/// An encrypted header: version, IV and tag without encryption, then the ciphertext.
struct EncryptedHeader: Hashable, Sendable {
    /// The version of the sender's ratchet, which determines the form of the encrypted header.
    var version: E2EVersion
    var iv: [UInt8]
    var sealedHeader: AES256GCM.Sealed

    func encoded() throws(SMPEncodingError) -> [UInt8] {
        var writer = ByteWriter(capacity: 36 + sealedHeader.ciphertext.count)
        writer.writeValue(version)
        writer.writeRaw(iv)
        writer.writeRaw(sealedHeader.tag)
        writer.writeRatchetBytes(sealedHeader.ciphertext, version: version)
        return try writer.finish()
    }

    init(version: E2EVersion, iv: [UInt8], box: AES256GCM.Sealed) {
        self.version = version
        self.iv = iv
        self.sealedHeader = box
    }

    init(decoding bytes: [UInt8]) throws(SMPEncodingError) {
        var reader = ByteReader(bytes)
        version = try reader.readValue()
        iv = try reader.readBytes(count: 16)
        let tag = try reader.readBytes(count: AES256GCM.tagSize)
        sealedHeader = AES256GCM.Sealed(ciphertext: try reader.readRatchetBytes(), tag: tag)
        try reader.requireEnd()
    }
}

/// An encrypted message as it is sent: the encrypted header, which is also authenticated with the body, and the
/// encrypted body.
struct EncryptedMessage: Hashable, Sendable {
    var header: [UInt8]
    var body: AES256GCM.Sealed

    init(header: [UInt8], body: AES256GCM.Sealed) {
        self.header = header
        self.body = body
    }

    func encoded(version: E2EVersion) throws(SMPEncodingError) -> [UInt8] {
        var writer = ByteWriter(capacity: 2 + header.count + AES256GCM.tagSize + body.ciphertext.count)
        writer.writeRatchetBytes(header, version: version)
        writer.writeRaw(body.tag)
        writer.writeRaw(body.ciphertext)
        return try writer.finish()
    }

    init(decoding bytes: [UInt8]) throws(SMPEncodingError) {
        var reader = ByteReader(bytes)
        header = try reader.readRatchetBytes()
        let tag = try reader.readBytes(count: AES256GCM.tagSize)
        body = AES256GCM.Sealed(ciphertext: reader.readRest(), tag: tag)
    }
}

extension ByteWriter {
    /// Writes bytes after their length. The length has one byte in version 2, and two bytes in later versions.
    mutating func writeRatchetBytes(_ bytes: [UInt8], version: E2EVersion) {
        if version >= .pqRatchet { writeLargeBytes(bytes) } else { writeShortBytes(bytes) }
    }
}

extension ByteReader {
    /// Reads bytes after their length of one byte or two bytes. The first byte shows the form of the length, since no
    /// header is shorter than 32 bytes or longer than 8191 bytes. So the reader need not know the version, and a
    /// ratchet can be upgraded within one message.
    mutating func readRatchetBytes() throws(SMPEncodingError) -> [UInt8] {
        guard let first = peek() else { throw .unexpectedEnd }
        return first < 32 ? try readLargeBytes() : try readShortBytes()
    }
}
