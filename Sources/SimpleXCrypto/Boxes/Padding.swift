/// Padding of messages: a 2-byte big endian length, the message, then `#` until the padded length.
package enum Padding {
    static let filler = UInt8(ascii: "#")
    /// Maximal size of a message in bytes. The 2-byte length before the message is not included.
    package static let maxMessageSize = 65533

    /// Returns whether a message of `messageSize` bytes fits into `paddedSize` bytes together with the length prefix.
    package static func canPad(messageSize: Int, to paddedSize: Int) -> Bool {
        (0...maxMessageSize).contains(messageSize) && paddedSize >= messageSize + 2
    }

    package static func padMessage(_ message: some Collection<UInt8>, to paddedSize: Int) throws(CryptoError) -> [UInt8]
    {
        guard canPad(messageSize: message.count, to: paddedSize) else { throw .messageTooLarge }
        return message.withContiguousBytes { input in
            [UInt8](unsafeUninitializedCapacity: paddedSize) { out, initialized in
                writePaddedMessage(input, to: out[...])
                initialized = paddedSize
            }
        }
    }

    /// Returns the message without its padding. Like simplexmq, this function does not check the filler, and accepts
    /// any length that fits.
    package static func unpadMessage(_ padded: some Collection<UInt8>) throws(CryptoError) -> [UInt8] {
        let message = padded.withContiguousBytes { input in
            parseMessageSize(in: input).map { Array(input[2..<2 + $0]) }
        }
        guard let message else { throw .invalidPadding }
        return message
    }

    /// Fills `out` with the padded message. The message must fit, see `canPad`.
    static func writePaddedMessage(
        _ message: UnsafeBufferPointer<UInt8>,
        to out: Slice<UnsafeMutableBufferPointer<UInt8>>
    ) {
        let room = UnsafeMutableBufferPointer(rebasing: out)
        room[0] = UInt8(truncatingIfNeeded: message.count >> 8)
        room[1] = UInt8(truncatingIfNeeded: message.count)
        let end = 2 + message.count
        _ = UnsafeMutableBufferPointer(rebasing: room[2..<end]).initialize(fromContentsOf: message)
        UnsafeMutableBufferPointer(rebasing: room[end...]).initialize(repeating: filler)
    }

    static func parseMessageSize(in padded: UnsafeBufferPointer<UInt8>) -> Int? {
        guard padded.count >= 2 else { return nil }
        let size = Int(padded[0]) << 8 | Int(padded[1])
        return size <= padded.count - 2 ? size : nil
    }
}
