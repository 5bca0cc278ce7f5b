internal import ChatProtocol

/// The stored form of an event: its JSON text, or a zstd frame of the text. An event repeats the contact and the user
/// that it concerns, and the names of all JSON members. Compressed with ``EventCompression``, a frame has a sixth of
/// the size of the text, and a commit writes a sixth of the pages.
enum StoredEvent {
    /// The minimum length of a compressed event. Compression would not make a shorter event smaller.
    private static let minCompressedLength = 128
    /// The maximum length of an event in bytes. Usual events are much shorter: a message has at most 16 kB, and no
    /// event contains a page of items.
    package static let maxEventBytes = 64 << 20
    /// The first byte of an event that was compressed with ``EventCompression``. Neither JSON nor a zstd frame begins
    /// with this byte.
    private static let dictionaryMark: UInt8 = 1

    package static func encode(_ event: [UInt8]) -> [UInt8] {
        guard event.count >= minCompressedLength, let frame = EventCompression.dictionary.compress(event),
            frame.count + 1 < event.count
        else { return event }
        return [dictionaryMark] + frame
    }

    package static func decodeText(of stored: [UInt8]) throws(ChatProtocolError) -> [UInt8] {
        if stored.first == dictionaryMark {
            return try EventCompression.dictionary.decompress(Array(stored.dropFirst()), limit: maxEventBytes)
        }
        return stored.starts(with: ZstdFrame.magic) ? try ZstdFrame.decompress(stored, limit: maxEventBytes) : stored
    }
}
