import ForeignData
import NTF
import SMP

/// Rules for the values in an agent's database that comes from outside, for example from an archive.
enum AgentRules {
    static let databaseRules = DatabaseRules(
        columns: [
            "*_at": .clampedNumber(to: 0...latestTimeSeconds), "*_ts": .clampedNumber(to: 0...latestTimeSeconds),
            "*.ttl": .clampedNumber(to: 0...longestDurationSeconds),
            "*.agent_version": .inRange(0...(1 << 16)), "*.client_version": .inRange(0...(1 << 16)),
            "*.position": .inRange(0...(1 << 31)), "*.attempts": .clampedNumber(to: 0...(1 << 31)),
            "snd_chunks.number": .inRange(0...(1 << 31)), "rcv_chunks.number": .inRange(0...(1 << 31)),
            "snd_chunks.size": .inRange(0...(1 << 31)),
            "snd_messages.padded_length": .inRange(AgentPadding.paddedLengths),
            "snd_files.recipients": .inRange(1...Int64(Agent.maxRecipients)),
            "snd_files.source_path": .nameOfPath, "rcv_files.target_path": .nameOfPath, "*_seal": .replacedByNull,
            "rcv_queues.status": .enumerationValue(of: QueueStep.self, "status of a queue"),
            "snd_queues.status": .enumerationValue(of: QueueStep.self, "status of a queue"),
            "rcv_queues.switch_status": .enumerationValue(of: QueueSwitch.RcvStatus.self, "status of a rotation"),
            "snd_queues.switch_status": .enumerationValue(of: QueueSwitch.SndStatus.self, "status of a rotation"),
            "rcv_queues.mode": queueModeRule, "snd_queues.mode": queueModeRule,
            "ntf_token.mode": .enumerationValue(of: NotificationMode.self, "mode of notifications"),
            "connections.ratchet_sync": .enumerationValue(of: RatchetSync.self, "state of ratchet synchronization"),
            "snd_messages.kind": .enumerationValue(of: OutboxMessage.Kind.self, "kind of a message"),
            "events.kind": .enumerationValue(of: PendingEvent.Kind.self, "kind of an event"),
            "snd_files.status": .enumerationValue(of: SentFile.Status.self, "status of a file"),
            "rcv_files.status": .enumerationValue(of: ReceivedFile.Status.self, "status of a file"),
            "ntf_token.push_service": .enumerationValue(of: PushService.self, "push service"),
            "ntf_token.status": .parsedText(as: "status of a token") { NTFTokenStatus(text: $0) != nil },
            "ntf_subscriptions.action": .enumerationValue(of: NotificationSubscription.Action.self, "action"),
            "*.server": serverRule, "*.address": serverRule, "*_server": serverRule,
        ],
        maxRows: ["users": maxUserCount]
    )

    /// Maximal number of users. The number is limited, because the opening of a store reads all users.
    private static let maxUserCount = 10_000
    /// Latest permitted time, in seconds since 1970. Decades can be added to this time without an overflow, also in
    /// nanoseconds.
    private static let latestTimeSeconds: Int64 = 7_250_000_000
    /// Longest duration in seconds: a hundred years.
    private static let longestDurationSeconds: Int64 = 3_155_760_000
    private static let queueModeRule = ColumnRule.parsedText(as: "mode of a queue") { QueueMode(column: $0) != nil }
    private static let serverRule = ColumnRule.parsedText(as: "address of a server") {
        (try? parseStoredServer($0)) != nil
    }
}
