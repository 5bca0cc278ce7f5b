import ForeignData

/// Values that the columns of an agent's database from a foreign source may have.
enum AgentRules {
    static let rules = DatabaseRules(
        columns: [
            "*_at": .clamped(to: 0...latest), "*_ts": .clamped(to: 0...latest), "*.ttl": .clamped(to: 0...longest),
            "*.agent_version": .range(0...(1 << 16)), "*.client_version": .range(0...(1 << 16)),
            "*.position": .range(0...(1 << 31)), "*.attempts": .clamped(to: 0...(1 << 31)),
            "snd_chunks.number": .range(0...(1 << 31)), "rcv_chunks.number": .range(0...(1 << 31)),
            "snd_chunks.size": .range(0...(1 << 31)),
            "snd_messages.padded_length": .range(AgentPadding.lengths),
            "snd_files.recipients": .range(1...Int64(Agent.recipientLimit)),
            "snd_files.source_path": .nameOfPath, "rcv_files.target_path": .nameOfPath, "*_seal": .leftOut,
            "*.server": server, "*.address": server, "*_server": server,
        ], mostRows: ["users": mostUsers])

    /// Maximum number of users. All users are read when the store is opened.
    private static let mostUsers = 10_000
    /// Seconds since 1970, to which decades can be added, also in nanoseconds.
    private static let latest: Int64 = 7_250_000_000
    /// Seconds: a hundred years.
    private static let longest: Int64 = 3_155_760_000
    private static let server = ColumnRule.parsed(as: "address of a server") { (try? storedServer($0)) != nil }
}
