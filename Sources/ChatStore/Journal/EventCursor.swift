package import ChatAPI

/// A position in the event journal: after entry `seq` of the journal `epoch`. Its text form is `epoch-seq`.
///
/// The epoch is random and is created with the store. So the journal recognizes cursors of other stores, and cursors of
/// a store that was deleted and created again.
package struct EventCursor: Sendable, Hashable, CustomStringConvertible {
    package let epoch: String
    /// The number of the entry, from 1; 0 for the place before the first entry.
    package let seq: UInt64

    package init(epoch: String, seq: UInt64) {
        self.epoch = epoch
        self.seq = seq
    }

    /// Parses the text form: an epoch of 1 to 32 letters and digits, a dash, and a decimal number. Returns nil for any
    /// other text.
    package init?(parsing text: String) {
        guard text.utf8.count <= 64, let dash = text.utf8.lastIndex(of: UInt8(ascii: "-")) else { return nil }
        let epoch = text.utf8[..<dash]
        let number = text.utf8[text.utf8.index(after: dash)...]
        guard (1...32).contains(epoch.count), !number.isEmpty,
            epoch.allSatisfy({ ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x41 && $0 <= 0x5A) }
            ),
            number.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let seq = UInt64(String(number) ?? "")
        else { return nil }
        self.init(epoch: String(epoch) ?? "", seq: seq)
    }

    package var text: String { "\(epoch)-\(seq)" }
    package var description: String { text }
}

/// One emitted event in the journal.
package struct JournalEntry: Sendable, Hashable {
    package let cursor: EventCursor
    /// Time of the transaction that wrote the entry.
    package let time: Timestamp
    /// The user of the event; nil for events of the whole core.
    package let userId: Int64?
    package let audience: EventAudience
    /// The JSON of the event (`{"type":…}`). Every read returns the same bytes until a part of the event is deleted.
    package let eventJSON: [UInt8]

    /// - Parameter audience: nil for the keys of the user. If the event has no user, nil means all keys.
    package init(cursor: EventCursor, time: Timestamp, userId: Int64?, audience: EventAudience? = nil, event: [UInt8]) {
        self.cursor = cursor
        self.time = time
        self.userId = userId
        self.audience = audience ?? userId.map(EventAudience.user) ?? .everybody
        self.eventJSON = event
    }
}
