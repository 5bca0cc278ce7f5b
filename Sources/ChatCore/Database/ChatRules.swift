internal import ForeignData
internal import JSON

/// What the columns of a chat database can have that somebody else has made.
enum ChatRules {
    static let rules = DatabaseRules(
        columns: [
            "*_at": time, "*_ts": time, "*_since": time, "*.first_attempt": time, "*.next_attempt": time,
            "*_ttl": .clamped(to: 0...longest), "*.ttl": .clamped(to: 0...longest),
            "files.file_size": .clamped(to: 0...largest), "files.chunk_size": .clamped(to: 1...(1 << 30)), "partial_uploads.file_size": .clamped(to: 0...largest),
            "roster_transfers.size": .clamped(to: 0...(1 << 31)),
            "*.part_no": .range(0...(1 << 31)), "*.chunk_no": .range(0...(1 << 31)),
            "files.file_path": .localPath, "uploads.file_path": .localPath, "retired_files.file_path": .localPath,
            "remote_hosts.store_path": .localName, "partial_uploads.upload_id": .localName,
            "files.task": .range(0...6), "*.chat_type": .range(0...3),
            "contact_profiles.profile": json, "contacts.user_preferences": json, "groups.profile": json, "user_addresses.settings": json,
            "chat_item_reactions.reaction": json, "files.item_status": json,
        ],
        // Objects are those of the store where it was.
        mayLackRows: ["uploads"], isDerived: { $0.hasPrefix("search_") || ["file_totals", "stored_objects"].contains($0) })

    /// Nanoseconds since 1970, to which decades can be added.
    private static let time = ColumnRule.clamped(to: -7_250_000_000_000_000_000...7_250_000_000_000_000_000)
    /// Seconds: a hundred years.
    private static let longest: Int64 = 3_155_760_000
    /// Bytes of a file.
    private static let largest: Int64 = 1 << 50
    private static let json = ColumnRule.parsed(as: "JSON") { (try? JSONValue(parsing: $0, limits: .ownText)) != nil }
}
