internal import SMP
package import SimpleXCrypto

/// The controller's answer to the host's hello. An acceptance (`hello`) has the ciphertext of the KEM, and an empty
/// JSON object in a box. By opening the box, the host checks that the two devices have the same keys. A refusal
/// (`error`) has the encrypted reason.
package enum ControllerHello: Sendable {
    case hello(SNTRUP761.Ciphertext, box: [UInt8])
    case error(BoxNonce, box: [UInt8])

    init(_ packet: [UInt8]) throws(XRCPError) {
        var reader = ByteReader(packet)
        if reader.skip("HELLO ") {
            guard let bytes = try? reader.readLargeBytes(),
                let ciphertext = try? SNTRUP761.Ciphertext(rawRepresentation: bytes)
            else { throw .syntax("ciphertext") }
            self = .hello(ciphertext, box: reader.readRest())
        } else if reader.skip("ERROR ") {
            guard let nonce = try? reader.readValue(BoxNonce.self) else { throw .syntax("nonce") }
            self = .error(nonce, box: reader.readRest())
        } else {
            throw .syntax("hello")
        }
    }

    var packetBytes: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .hello(let ciphertext, let box):
            writer.writeASCII("HELLO ")
            writer.writeLargeBytes(ciphertext.rawRepresentation)
            writer.writeRaw(box)
        case .error(let nonce, let box):
            writer.writeASCII("ERROR ")
            nonce.encode(to: &writer)
            writer.writeRaw(box)
        }
        return writer.bytes
    }

    /// Makes a refusal that only the host can read.
    init(error message: String, secret: X25519.SharedSecret, nonce: BoxNonce = .random()) throws(XRCPError) {
        guard
            let box = try? CryptoBox.seal(
                Array(message.utf8),
                secret: secret,
                nonce: nonce,
                paddedTo: BlockSize.helloBody
            )
        else { throw .blockSize }
        self = .error(nonce, box: box)
    }
}

/// Padding of hello packets to blocks of 16,384 bytes.
enum PacketBlock {
    static func pad(_ packet: [UInt8]) throws(XRCPError) -> [UInt8] {
        do { return try Padding.padMessage(packet, to: BlockSize.helloBlock) } catch { throw .blockSize }
    }

    static func unpad(_ block: [UInt8]) throws(XRCPError) -> [UInt8] {
        guard block.count == BlockSize.helloBlock, let packet = try? Padding.unpadMessage(block) else {
            throw .blockSize
        }
        return packet
    }
}
