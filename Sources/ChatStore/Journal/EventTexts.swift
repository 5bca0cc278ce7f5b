internal import ChatProtocol
internal import SQLCipher

/// Reads and changes the texts of journal entries one after the other. Access in the order of the numbers is the
/// fastest, since each block is then read and written once.
struct EventTexts {
    private let db: StoreConnection
    /// The block that contains the last read or changed entry; nil before the first such entry.
    private var block: EventBlock?
    private var isBlockChanged = false

    init(_ db: StoreConnection) { self.db = db }

    /// Returns the text of an entry.
    /// - Parameter stored: the text in the table `events`; empty for an entry in a block.
    package mutating func readText(of seq: Int64, stored: [UInt8]) throws -> [UInt8] {
        guard stored.isEmpty else { return try StoredEvent.decodeText(of: stored) }
        try switchBlock(to: seq)
        guard let text = block?.texts[seq] else {
            throw ChatProtocolError.invalidCompression(reason: "an event has no text")
        }
        return text
    }

    /// Replaces the text of an entry with the result of `change`; nil keeps the text. The caller must then call
    /// ``storeChangedBlock()``.
    /// - Returns: whether the text has changed.
    @discardableResult
    package mutating func rewriteText(_ seq: Int64, _ change: ([UInt8]) throws -> [UInt8]?) throws -> Bool {
        guard let row = try db.queryFirst("SELECT event FROM events WHERE seq = ?", [seq]) else { return false }
        let stored = try row.blob("event")
        guard let event = try change(readText(of: seq, stored: stored)) else { return false }
        try db.update("events", set: ["event": StoredEvent.encode(event)], where: ["seq": seq])
        if stored.isEmpty { try removeText(seq) }
        return true
    }

    /// Removes a text from its block, because the table `events` has a new text for the entry, or because the entry is
    /// deleted. The caller must then call ``storeChangedBlock()``.
    package mutating func removeText(_ seq: Int64) throws {
        try switchBlock(to: seq)
        if block?.removeText(seq) == true { isBlockChanged = true }
    }

    package mutating func storeChangedBlock() throws {
        if isBlockChanged { try block?.store(db) }
        isBlockChanged = false
        block = nil
    }

    private mutating func switchBlock(to seq: Int64) throws {
        if let block, block.contains(seq) { return }
        try storeChangedBlock()
        block = try EventBlock.find(seq, db)
    }
}
