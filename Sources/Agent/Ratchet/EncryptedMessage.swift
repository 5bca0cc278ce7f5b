import SMP
import SimpleXCrypto

/// An encrypted header: version, IV and tag without encryption, then the ciphertext.
struct EncryptedHeader: Hashable, Sendable {
    /// The version of the sender's ratchet, which determines the form of the encrypted header.
    var version: E2EVersion
    var iv: [UInt8]
    var box: AES256GCM.Sealed

    func encoded() throws(SMPEncodingError) -> [UInt8] {
        var writer = ByteWriter(capacity: 36 + box.ciphertext.count)
        writer.value(version)
        writer.raw(iv)
        writer.raw(box.tag)
        writer.ratchetBytes(box.ciphertext, version: version)
        return try writer.finish()
    }

    init(version: E2EVersion, iv: [UInt8], box: AES256GCM.Sealed) {
        self.version = version
        self.iv = iv
        self.box = box
    }

    init(decoding bytes: [UInt8]) throws(SMPEncodingError) {
        var reader = ByteReader(bytes)
        version = try reader.value()
        iv = try reader.bytes(count: 16)
        let tag = try reader.bytes(count: AES256GCM.tagSize)
        box = AES256GCM.Sealed(ciphertext: try reader.ratchetBytes(), tag: tag)
        try reader.finish()
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
        writer.ratchetBytes(header, version: version)
        writer.raw(body.tag)
        writer.raw(body.ciphertext)
        return try writer.finish()
    }

    init(decoding bytes: [UInt8]) throws(SMPEncodingError) {
        var reader = ByteReader(bytes)
        header = try reader.ratchetBytes()
        let tag = try reader.bytes(count: AES256GCM.tagSize)
        body = AES256GCM.Sealed(ciphertext: reader.tail(), tag: tag)
    }
}

extension ByteWriter {
    /// Writes bytes after their length. The length has one byte in version 2, and two bytes in later versions.
    mutating func ratchetBytes(_ bytes: [UInt8], version: E2EVersion) {
        if version >= .pqRatchet { largeBytes(bytes) } else { shortBytes(bytes) }
    }
}

extension ByteReader {
    /// Reads bytes after their length, in either format. The first byte distinguishes the formats, since no header is
    /// shorter than 32 bytes or longer than 8191 bytes. So the reader need not know the version, and a ratchet can be
    /// upgraded within one message.
    mutating func ratchetBytes() throws(SMPEncodingError) -> [UInt8] {
        guard let first = peek() else { throw .unexpectedEnd }
        return first < 32 ? try largeBytes() : try shortBytes()
    }
}
