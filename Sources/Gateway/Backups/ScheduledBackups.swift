internal import Concurrency
internal import Files
internal import Logging
internal import Prometheus
internal import Synchronization

/// Makes the backup copies that a ``BackupSchedule`` describes.
final class ScheduledBackups: Sendable {
    private struct State {
        /// The time of the newest copy, in seconds since 1970-01-01T00:00:00Z. The copy may lack stores.
        var lastCopySeconds: Int64?
        var failureCount = 0
        /// Number of stores that the newest copy lacks.
        var leftOutCount = 0
    }

    private let schedule: BackupSchedule
    private let clock: GatewayClock
    private let log: Logger
    private let makeCopy: @Sendable (_ target: String, _ base: String?) async throws -> FolderBackup.Outcome
    private let state = Mutex(State())

    /// - Parameter make: makes a copy at the path `target`. A copy that is a folder shares unchanged files with the
    ///   earlier copy `base`.
    init(
        _ schedule: BackupSchedule,
        clock: GatewayClock,
        log: Logger,
        make: @escaping @Sendable (_ target: String, _ base: String?) async throws -> FolderBackup.Outcome
    ) {
        (self.schedule, self.clock, self.log, self.makeCopy) = (schedule, clock, log, make)
    }

    /// Makes the copies when they are due, until the task is cancelled.
    func run() async {
        let schedule = schedule
        let last = try? await runBlocking { schedule.listCopies().last?.time }
        state.withLock { $0.lastCopySeconds = last ?? nil }
        var due = schedule.nextCopyTime(after: last ?? nil, now: clock.seconds())
        while (try? await clock.sleepUntil(due)) != nil, !Task.isCancelled {
            let isMade = await makeDueCopy()
            let now = clock.seconds()
            due =
                isMade
                ? schedule.nextCopyTime(after: now, now: now)
                : now + min(BackupSchedule.retryDelaySeconds, schedule.intervalSeconds)
        }
    }

    private func makeDueCopy() async -> Bool {
        let (schedule, now) = (schedule, clock.seconds())
        do {
            // Old copies and remains of killed gateways are removed first, because a full disk would prevent the new
            // copy.
            let base = try await runBlocking { () -> String? in
                schedule.removeOldCopies()
                guard schedule.secret == nil else { return nil }
                return schedule.listCopies().last {
                    DiskFiles.isFolder($0.path) && BackupSchedule.isCopyUnused($0.path)
                }?
                .path
            }
            let made = try await makeCopy(schedule.folder + "/" + schedule.copyName(at: now), base)
            state.withLock { ($0.lastCopySeconds, $0.leftOutCount) = (now, made.storesLeftOut.count) }
            log.info(
                "a copy was made",
                metadata: [
                    "files": "\(made.fileCount)", "shared": "\(made.sharedFileCount)", "bytes": "\(made.byteCount)",
                ]
            )
            if !made.storesLeftOut.isEmpty {
                log.error(
                    "a copy lacks stores that were locked, unlocked or replaced while they were copied",
                    metadata: ["stores": "\(made.storesLeftOut.joined(separator: " "))"]
                )
            }
            for fault in made.faults { log.error("the data folder has a fault", metadata: ["fault": "\(fault)"]) }
            try await runBlocking { schedule.removeOldCopies() }
            return true
        } catch {
            guard !Task.isCancelled else { return false }
            state.withLock { $0.failureCount += 1 }
            let reason = (error as? ProblemDetails)?.detail ?? "\(error)"
            log.error("a copy could not be made", metadata: ["folder": "\(schedule.folder)", "reason": "\(reason)"])
            return false
        }
    }

    func writeMetrics(to text: inout MetricsText) {
        let (last, failures, leftOut) = state.withLock { ($0.lastCopySeconds, $0.failureCount, $0.leftOutCount) }
        text.writeValue(
            "sxgw_backup_interval_seconds",
            .gauge,
            "Seconds from one copy to the next (--backup-hours).",
            schedule.intervalSeconds
        )
        text.writeValue(
            "sxgw_backup_last_seconds",
            .gauge,
            "Time of the last copy in --backup-folder, in seconds since 1970, also if it lacks stores; 0 before the first.",
            last ?? 0
        )
        text.writeValue(
            "sxgw_backup_stores_left_out",
            .gauge,
            "Stores that the last copy lacks, because they were locked, unlocked or replaced while they were copied.",
            leftOut
        )
        text.writeValue(
            "sxgw_backup_failures_total",
            .counter,
            "Copies that could not be made, since the start.",
            failures
        )
    }
}
