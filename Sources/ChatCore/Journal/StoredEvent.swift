/// An event as the journal keeps it: its JSON text, or a zstd frame of it. Events repeat the whole contact and
/// user that they speak of: a frame is a quarter of the text, and so are the pages of a commit.
enum StoredEvent {
    /// Compressing shorter events gains nothing.
    private static let shortest = 512
    /// No event is longer: messages are 16 kB, and pages of items are not events.
    private static let limit = 64 << 20

    static func stored(_ event: [UInt8]) -> [UInt8] {
        guard event.count >= shortest, let frame = ZstdFrame.compress(event, level: 1), frame.count < event.count else { return event }
        return frame
    }

    static func text(of stored: [UInt8]) throws(ChatProtocolError) -> [UInt8] {
        stored.starts(with: ZstdFrame.magic) ? try ZstdFrame.decompress(stored, limit: limit) : stored
    }
}
