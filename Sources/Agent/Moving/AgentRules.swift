import ForeignData
import NTF
import SMP

/// Permitted values in the columns of an agent's database from a foreign source.
enum AgentRules {
    static let rules = DatabaseRules(
        columns: [
            "*_at": .clamped(to: 0...latestTime), "*_ts": .clamped(to: 0...latestTime),
            "*.ttl": .clamped(to: 0...longestSeconds),
            "*.agent_version": .range(0...(1 << 16)), "*.client_version": .range(0...(1 << 16)),
            "*.position": .range(0...(1 << 31)), "*.attempts": .clamped(to: 0...(1 << 31)),
            "snd_chunks.number": .range(0...(1 << 31)), "rcv_chunks.number": .range(0...(1 << 31)),
            "snd_chunks.size": .range(0...(1 << 31)),
            "snd_messages.padded_length": .range(AgentPadding.lengths),
            "snd_files.recipients": .range(1...Int64(Agent.maxRecipients)),
            "snd_files.source_path": .nameOfPath, "rcv_files.target_path": .nameOfPath, "*_seal": .leftOut,
            "rcv_queues.status": .value(of: QueueStep.self, "status of a queue"),
            "snd_queues.status": .value(of: QueueStep.self, "status of a queue"),
            "rcv_queues.switch_status": .value(of: QueueSwitch.RcvStatus.self, "status of a rotation"),
            "snd_queues.switch_status": .value(of: QueueSwitch.SndStatus.self, "status of a rotation"),
            "rcv_queues.mode": queueMode, "snd_queues.mode": queueMode,
            "ntf_token.mode": .value(of: NotificationMode.self, "mode of notifications"),
            "connections.ratchet_sync": .value(of: RatchetSync.self, "state of ratchet synchronization"),
            "snd_messages.kind": .value(of: OutboxMessage.Kind.self, "kind of a message"),
            "events.kind": .value(of: PendingEvent.Kind.self, "kind of an event"),
            "snd_files.status": .value(of: SentFile.Status.self, "status of a file"),
            "rcv_files.status": .value(of: ReceivedFile.Status.self, "status of a file"),
            "ntf_token.push_service": .value(of: PushService.self, "push service"),
            "ntf_token.status": .parsed(as: "status of a token") { NTFTokenStatus(text: $0) != nil },
            "ntf_subscriptions.action": .value(of: NotificationSubscription.Action.self, "action"),
            "*.server": server, "*.address": server, "*_server": server,
        ],
        maxRows: ["users": maxUsers]
    )

    /// Maximal number of users. The opening of a store reads all users.
    private static let maxUsers = 10_000
    /// Latest time, in seconds since 1970. Decades can be added to it without an overflow, also in nanoseconds.
    private static let latestTime: Int64 = 7_250_000_000
    /// Longest duration in seconds: a hundred years.
    private static let longestSeconds: Int64 = 3_155_760_000
    private static let queueMode = ColumnRule.parsed(as: "mode of a queue") { QueueMode(column: $0) != nil }
    private static let server = ColumnRule.parsed(as: "address of a server") { (try? storedServer($0)) != nil }
}
