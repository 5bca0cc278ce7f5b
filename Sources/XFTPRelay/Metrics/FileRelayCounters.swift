import RelayBase
import Synchronization

/// The counters of the file relay since its start. They say nothing about a single file or client.
final class FileRelayCounters: Sendable {
    let sessionsCompleted = Atomic(0)
    let browserSessionsCompleted = Atomic(0)
    let handshakesFailed = Atomic(0)
    let filesCreated = Atomic(0)
    let recipientsAdded = Atomic(0)
    let filesUploaded = Atomic(0)
    let bytesUploaded = Atomic(0)
    let uploadsFailed = Atomic(0)
    let uploadsRefusedQuota = Atomic(0)
    let downloadsCompleted = Atomic(0)
    let bytesDownloaded = Atomic(0)
    let downloadsAcknowledged = Atomic(0)
    let filesDeleted = Atomic(0)
    let filesExpired = Atomic(0)
    let filesBlocked = Atomic(0)
    let commandsRefusedAuth = Atomic(0)
    /// The number of requests that are in progress now. This number can also decrease.
    let openRequestCount = Atomic(0)

    /// The counters with their names in Prometheus: `name` becomes `xftp_relay_<name>_total`.
    var values: [(name: String, help: String, value: Int)] {
        [
            ("sessions", "Sessions that completed the handshake.", sessionsCompleted.currentTotal),
            (
                "browser_sessions", "Sessions of browsers that completed the handshake.",
                browserSessionsCompleted.currentTotal
            ),
            (
                "handshakes_failed", "Sessions that ended before the handshake was complete.",
                handshakesFailed.currentTotal
            ),
            ("files_created", "Files created.", filesCreated.currentTotal),
            ("recipients_added", "Recipients added to files.", recipientsAdded.currentTotal),
            ("files_uploaded", "Files uploaded.", filesUploaded.currentTotal),
            ("bytes_uploaded", "Bytes of files uploaded.", bytesUploaded.currentTotal),
            ("uploads_failed", "Uploads that failed.", uploadsFailed.currentTotal),
            (
                "uploads_refused_quota", "Uploads refused because the relay had no room.",
                uploadsRefusedQuota.currentTotal
            ),
            ("downloads", "Downloads sent completely.", downloadsCompleted.currentTotal),
            ("bytes_downloaded", "Bytes of files in complete downloads.", bytesDownloaded.currentTotal),
            (
                "downloads_acknowledged", "Downloads acknowledged by their recipients.",
                downloadsAcknowledged.currentTotal
            ),
            ("files_deleted", "Files deleted by their senders.", filesDeleted.currentTotal),
            ("files_expired", "Files deleted because they expired.", filesExpired.currentTotal),
            ("files_blocked", "Files blocked by the operator.", filesBlocked.currentTotal),
            (
                "commands_refused_auth", "Commands refused because the file does not exist or is not for the client.",
                commandsRefusedAuth.currentTotal
            ),
        ]
    }
}

extension FileRelayContext {
    var statistics: RelayStatistics {
        let gauges = store.table.withLock { table in
            [
                ("files", "Files.", table.files.count),
                ("recipients", "Recipients that may download.", table.recipients.count),
                ("files_stored", "Files with uploaded content.", table.uploadedFileCount),
                ("bytes_stored", "Bytes of uploaded files.", Int(clamping: table.uploadedBytes)),
                ("bytes_reserved", "Bytes of running uploads.", Int(clamping: table.reservedBytes)),
            ]
        }
        let certificate = configuration.webCertificate.map {
            (
                "web_certificate_end_seconds", "End of the certificate for browsers, in seconds since 1970.",
                Int(clamping: $0.expiresAtSeconds)
            )
        }
        return RelayStatistics(
            prefix: "xftp_relay",
            counters: counters.values,
            gauges: gauges + (certificate.map { [$0] } ?? []) + [
                ("bytes_quota", "Maximum bytes of files.", Int(clamping: configuration.maxTotalBytes)),
                ("sessions_open", "Open sessions.", connectionLimiter.descriptorsInUse),
                ("requests_open", "Requests in progress.", counters.openRequestCount.currentTotal),
                ("log_bytes", "Bytes of the log.", Int(clamping: store.log.sizeWithPendingRecords)),
            ]
        )
    }
}
