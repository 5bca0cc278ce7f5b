internal import ChatProtocol

/// The stored form of an event: its JSON text, or a zstd frame of it. Events repeat the whole contact and user that
/// they concern, and the names of all members: compressed with ``EventForms`` a frame takes a sixth of the text, and of
/// the pages of a commit.
enum StoredEvent {
    /// The minimum length for compression: shorter events would gain nothing.
    private static let shortest = 128
    /// The maximum length of an event: messages are 16 kB, and pages of items are not events.
    static let limit = 64 << 20
    /// The mark before a frame made with ``EventForms``. Neither JSON nor a frame begins with it.
    private static let withForms: UInt8 = 1

    static func stored(_ event: [UInt8]) -> [UInt8] {
        guard event.count >= shortest, let frame = EventForms.dictionary.compress(event), frame.count + 1 < event.count
        else { return event }
        return [withForms] + frame
    }

    static func text(of stored: [UInt8]) throws(ChatProtocolError) -> [UInt8] {
        if stored.first == withForms {
            return try EventForms.dictionary.decompress(Array(stored.dropFirst()), limit: limit)
        }
        return stored.starts(with: ZstdFrame.magic) ? try ZstdFrame.decompress(stored, limit: limit) : stored
    }
}
