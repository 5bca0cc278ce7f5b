import RelayBase
import Synchronization

/// Totals since the start of the relay. They contain nothing about a single file or client.
final class FileRelayCounters: Sendable {
    let sessions = Atomic(0)
    let browserSessions = Atomic(0)
    let handshakesFailed = Atomic(0)
    let filesCreated = Atomic(0)
    let recipientsAdded = Atomic(0)
    let filesUploaded = Atomic(0)
    let bytesUploaded = Atomic(0)
    let uploadsFailed = Atomic(0)
    let uploadsRefusedQuota = Atomic(0)
    let downloads = Atomic(0)
    let bytesDownloaded = Atomic(0)
    let downloadsAcknowledged = Atomic(0)
    let filesDeleted = Atomic(0)
    let filesExpired = Atomic(0)
    let filesBlocked = Atomic(0)
    let commandsRefusedAuth = Atomic(0)
    /// Requests that are being answered now.
    let openRequests = Atomic(0)

    static func count(_ counter: borrowing Atomic<Int>, _ amount: Int = 1) { counter.wrappingAdd(amount, ordering: .relaxed) }

    /// Names as in `xftp_relay_<name>_total`.
    var values: [(name: String, help: String, value: Int)] {
        func value(_ counter: borrowing Atomic<Int>) -> Int { counter.load(ordering: .relaxed) }
        return [
            ("sessions", "Sessions that have shaken hands.", value(sessions)),
            ("browser_sessions", "Sessions among them of browsers.", value(browserSessions)),
            ("handshakes_failed", "Sessions that have not come to shake hands.", value(handshakesFailed)),
            ("files_created", "Files created.", value(filesCreated)),
            ("recipients_added", "Recipients of files.", value(recipientsAdded)),
            ("files_uploaded", "Files uploaded.", value(filesUploaded)),
            ("bytes_uploaded", "Bytes of files uploaded.", value(bytesUploaded)),
            ("uploads_failed", "Uploads that came to nothing.", value(uploadsFailed)),
            ("uploads_refused_quota", "Uploads refused since there was no room.", value(uploadsRefusedQuota)),
            ("downloads", "Downloads sent to the end.", value(downloads)),
            ("bytes_downloaded", "Bytes of files in these downloads.", value(bytesDownloaded)),
            ("downloads_acknowledged", "Downloads acknowledged by their recipients.", value(downloadsAcknowledged)),
            ("files_deleted", "Files deleted by their senders.", value(filesDeleted)),
            ("files_expired", "Files deleted since their time was over.", value(filesExpired)),
            ("files_blocked", "Files blocked by the operator.", value(filesBlocked)),
            ("commands_refused_auth", "Commands refused since there is no such file, or not for that client.", value(commandsRefusedAuth)),
        ]
    }
}

extension FileRelayContext {
    var statistics: RelayStatistics {
        let gauges = store.table.withLock { table in
            [
                ("files", "Files created.", table.files.count), ("recipients", "Recipients that may download.", table.recipients.count),
                ("files_stored", "Files whose contents are there.", table.uploadedCount),
                ("bytes_stored", "Bytes of these.", Int(clamping: table.uploadedBytes)),
                ("bytes_reserved", "Bytes of uploads under way.", Int(clamping: table.reservedBytes)),
            ]
        }
        let certificate = configuration.webCertificate.map { ("web_certificate_end_seconds", "When the certificate for browsers ends.", Int(clamping: $0.end)) }
        return RelayStatistics(
            prefix: "xftp_relay", counters: counters.values,
            gauges: gauges + (certificate.map { [$0] } ?? []) + [
                ("bytes_quota", "Bytes of files at most.", Int(clamping: configuration.quota)),
                ("sessions_open", "Sessions.", connections.inUse),
                ("requests_open", "Requests that are being answered.", counters.openRequests.load(ordering: .relaxed)),
                ("log_bytes", "Bytes of the log.", Int(clamping: store.log.size)),
            ])
    }
}
