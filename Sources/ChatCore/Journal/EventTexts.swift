internal import ChatProtocol
internal import SQLCipher

/// Reads and changes the texts of entries one after the other. The order of their numbers is the fastest: each block is
/// then read and written once.
struct EventTexts {
    private let db: StoreConnection
    /// The block of the last entry.
    private var block: EventBlock?
    private var isChanged = false

    init(_ db: StoreConnection) { self.db = db }

    /// - Parameter stored: the text in `events`; empty for an entry in a block.
    mutating func text(of seq: Int64, stored: [UInt8]) throws -> [UInt8] {
        guard stored.isEmpty else { return try StoredEvent.text(of: stored) }
        try turn(to: seq)
        guard let text = block?.texts[seq] else {
            throw ChatProtocolError.invalidCompression(reason: "an event has no text")
        }
        return text
    }

    /// Gives an entry another text; nil keeps it. ``finish()`` has to follow.
    /// - Returns: whether the text has changed.
    @discardableResult
    mutating func rewrite(_ seq: Int64, _ change: ([UInt8]) throws -> [UInt8]?) throws -> Bool {
        guard let row = try db.first("SELECT event FROM events WHERE seq = ?", [seq]) else { return false }
        let stored = try row.blob("event")
        guard let event = try change(text(of: seq, stored: stored)) else { return false }
        try db.execute("UPDATE events SET event = ? WHERE seq = ?", [StoredEvent.stored(event), seq])
        if stored.isEmpty { try remove(seq) }
        return true
    }

    /// Removes the text from its block, because `events` has another text, or the entry is deleted. ``finish()`` has to
    /// follow.
    mutating func remove(_ seq: Int64) throws {
        try turn(to: seq)
        if block?.remove(seq) == true { isChanged = true }
    }

    mutating func finish() throws {
        if isChanged { try block?.store(db) }
        isChanged = false
        block = nil
    }

    private mutating func turn(to seq: Int64) throws {
        if let block, block.contains(seq) { return }
        try finish()
        block = try EventBlock.find(seq, db)
    }
}
