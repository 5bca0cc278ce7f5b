internal import ChatProtocol
internal import SQLCipher

/// Consecutive entries of the journal whose texts are stored together in one zstd frame. An event repeats the whole
/// chat that it concerns, so a block needs a seventh of the space of separate texts. In the table `events`, an entry of
/// a block has an empty text, and keeps all other columns.
struct EventBlock {
    /// The maximum number of entries in a block.
    package static let maxEntries = 64
    /// The maximum size of the texts of a block in bytes. If an entry would exceed this size, the entry begins the next
    /// block.
    package static let maxTextBytes = 1 << 20
    /// The maximum size of a decompressed block in bytes. A block with only one entry may exceed `maxTextBytes`.
    private static let maxBlockBytes = StoredEvent.maxEventBytes + 8

    package let firstSeq: Int64
    package let lastSeq: Int64
    /// The texts, by the numbers of their entries.
    package private(set) var texts: [Int64: [UInt8]]

    /// Finds the block that contains the entry; nil if the entry is in no block.
    package static func find(_ seq: Int64, _ db: StoreConnection) throws -> EventBlock? {
        let row = try db.queryFirst("SELECT * FROM event_blocks WHERE last_seq >= ? ORDER BY last_seq LIMIT 1", [seq])
        guard let row, try row.int64("first_seq") <= seq else { return nil }
        let first: Int64 = try row.readCount("first_seq")
        let text = try EventCompression.dictionary.decompress(row.blob("texts"), limit: maxBlockBytes)
        return EventBlock(firstSeq: first, lastSeq: try row.readCount("last_seq"), texts: try decode(text, from: first))
    }

    package func contains(_ seq: Int64) -> Bool { firstSeq <= seq && seq <= lastSeq }

    /// Removes the text of an entry.
    /// - Returns: whether the block contained the text.
    package mutating func removeText(_ seq: Int64) -> Bool { texts.removeValue(forKey: seq) != nil }

    /// Writes the changed texts of this block to the database. If no texts are left, the row of the block is deleted.
    package func store(_ db: StoreConnection) throws {
        guard !texts.isEmpty else { return try db.execute("DELETE FROM event_blocks WHERE last_seq = ?", [lastSeq]) }
        guard let frame else { throw ChatProtocolError.invalidCompression(reason: "out of memory") }
        try db.update("event_blocks", set: ["texts": frame], where: ["last_seq": lastSeq])
    }

    /// Deletes the texts of all entries before the entry `seq`.
    static func deleteTexts(before seq: Int64, _ db: StoreConnection) throws {
        try db.execute("DELETE FROM event_blocks WHERE last_seq < ?", [seq])
        guard var block = try find(seq, db) else { return }
        let before = block.texts.count
        block.texts = block.texts.filter { $0.key >= seq }
        if block.texts.count < before { try block.store(db) }
    }

    // MARK: Form

    /// The zstd frame of the texts. For each text, the frame contains two numbers of 4 bytes and then the text. The
    /// first number is the number of the entry, counted from the first entry of the block. The second number is the
    /// length of the text.
    private var frame: [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(texts.reduce(0) { $0 + $1.value.count + 8 })
        for (seq, text) in texts.sorted(by: { $0.key < $1.key }) {
            for number in [UInt32(clamping: seq - firstSeq), UInt32(clamping: text.count)] {
                withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
            }
            bytes += text
        }
        return EventCompression.blockDictionary.compress(bytes)
    }

    private static func decode(_ bytes: [UInt8], from first: Int64) throws(ChatProtocolError) -> [Int64: [UInt8]] {
        var texts: [Int64: [UInt8]] = [:]
        var rest = bytes[...]
        while !rest.isEmpty {
            let numbers = rest.prefix(8)
            let length = numbers.suffix(4).reduce(0) { $0 << 8 | Int($1) }
            guard numbers.count == 8, rest.count - 8 >= length else {
                throw .invalidCompression(reason: "damaged block of events")
            }
            texts[first + numbers.prefix(4).reduce(0) { $0 << 8 | Int64($1) }] = Array(rest.dropFirst(8).prefix(length))
            rest = rest.dropFirst(8 + length)
        }
        return texts
    }
}

extension EventBlock {
    /// A block that is prepared before the write transaction. The block replaces the texts of its entries only if the
    /// texts have not changed since the preparation.
    struct Draft: Sendable {
        private let previousEndSeq: Int64
        private let rows: [Entry]
        private let frame: [UInt8]

        private struct Entry: Hashable {
            let seq: Int64
            let storedBytes: [UInt8]
        }

        /// Prepares a block of the oldest entries that are in no block.
        /// - Parameter end: the last entry that may be in the block.
        /// - Returns: nil if there are too few entries.
        init?(upTo end: Int64, _ db: StoreConnection) throws {
            previousEndSeq = try Self.readLastBlockSeq(db)
            var texts: [Int64: [UInt8]] = [:]
            var (bytes, isFull) = (0, false)
            var taken: [Entry] = []
            for entry in try Self.readEntries(after: previousEndSeq, upTo: end, db) {
                let text = try StoredEvent.decodeText(of: entry.storedBytes)
                bytes += text.count
                isFull = bytes > EventBlock.maxTextBytes && !taken.isEmpty
                guard !isFull else { break }
                texts[entry.seq] = text
                taken.append(entry)
            }
            guard let first = taken.first?.seq, let last = taken.last?.seq,
                isFull || taken.count == EventBlock.maxEntries,
                let frame = EventBlock(firstSeq: first, lastSeq: last, texts: texts).frame
            else { return nil }
            rows = taken
            self.frame = frame
        }

        /// Stores the prepared block.
        /// - Returns: false without a change of the database, if the entries have changed or another block was stored
        ///   since the preparation.
        package func store(_ db: StoreConnection) throws -> Bool {
            guard let first = rows.first?.seq, let last = rows.last?.seq,
                try Self.readLastBlockSeq(db) == previousEndSeq,
                try Self.readEntries(after: previousEndSeq, upTo: last, db) == rows
            else { return false }
            // An update of the rows would leave nearly empty pages, so the rows are deleted and inserted again.
            let emptied = try db.query(
                """
                SELECT seq, event_ts, user_id, audience, stored_end FROM events
                WHERE seq >= :first AND seq <= :last ORDER BY seq
                """,
                ["first": first, "last": last]
            )
            try db.execute("DELETE FROM events WHERE seq >= :first AND seq <= :last", ["first": first, "last": last])
            for row in emptied {
                try db.insert(
                    into: "events",
                    [
                        "seq": row["seq"], "event_ts": row["event_ts"], "user_id": row["user_id"], "event": [UInt8](),
                        "audience": row["audience"], "stored_end": row["stored_end"],
                    ]
                )
            }
            try db.insert(into: "event_blocks", ["last_seq": last, "first_seq": first, "texts": frame])
            return true
        }

        /// Returns the number of the last entry that is in a block.
        private static func readLastBlockSeq(_ db: StoreConnection) throws -> Int64 {
            try db.firstRow("SELECT max(last_seq) AS last FROM event_blocks")?.int64OrNil("last") ?? 0
        }

        private static func readEntries(after: Int64, upTo last: Int64, _ db: StoreConnection) throws -> [Entry] {
            try db.query(
                "SELECT seq, event FROM events WHERE seq > :after AND seq <= :last ORDER BY seq LIMIT :limit",
                ["after": after, "last": last, "limit": Int64(EventBlock.maxEntries)]
            )
            .map { Entry(seq: try $0.int64("seq"), storedBytes: try $0.blob("event")) }
        }
    }
}
