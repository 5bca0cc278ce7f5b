internal import Concurrency
internal import Files
internal import Logging
internal import Prometheus
internal import Synchronization

/// Makes the copies of a ``BackupSchedule``.
final class ScheduledBackups: Sendable {
    private struct State {
        /// The time of the newest complete copy, in seconds since 1970-01-01T00:00:00Z.
        var last: Int64?
        var failures = 0
        /// Number of stores that the newest copy lacks.
        var leftOut = 0
    }

    private let schedule: BackupSchedule
    private let clock: KeyClock
    private let log: Logger
    private let make: @Sendable (_ target: String, _ base: String?) async throws -> FolderBackup.Outcome
    private let state = Mutex(State())

    /// - Parameter make: makes the copy `target`. Copies that are folders share the unchanged files of `base`.
    init(
        _ schedule: BackupSchedule,
        clock: KeyClock,
        log: Logger,
        make: @escaping @Sendable (_ target: String, _ base: String?) async throws -> FolderBackup.Outcome
    ) {
        (self.schedule, self.clock, self.log, self.make) = (schedule, clock, log, make)
    }

    /// - Parameter host: the stores that are copied.
    convenience init(
        _ schedule: BackupSchedule,
        of host: StoreHost,
        _ configuration: GatewayConfiguration,
        _ log: Logger
    ) {
        self.init(schedule, clock: configuration.clock, log: log) { [weak host] target, base in
            guard let host else { throw CancellationError() }
            var backup = FolderBackup(configuration, target: target)
            (backup.secret, backup.base, backup.cost) = (schedule.secret, base, host.settings.passwordCost)
            return try await host.backUp(backup)
        }
    }

    /// Makes the copies when they are due, until the task is cancelled.
    func run() async {
        let schedule = schedule
        let last = try? await blocking { schedule.copies().last?.time }
        state.withLock { $0.last = last ?? nil }
        var due = schedule.next(after: last ?? nil, now: clock.seconds())
        while (try? await clock.sleep(due)) != nil, !Task.isCancelled {
            let isMade = await makeOne()
            let now = clock.seconds()
            due = isMade ? schedule.next(after: now, now: now) : now + min(BackupSchedule.retryTime, schedule.interval)
        }
    }

    private func makeOne() async -> Bool {
        let (schedule, now) = (schedule, clock.seconds())
        do {
            // Remains of killed gateways may fill the disk, so that no copy could be made.
            let base = try await blocking { () -> String? in
                schedule.clean()
                guard schedule.secret == nil else { return nil }
                return schedule.copies().last { DiskFiles.isFolder($0.path) && BackupSchedule.isUnused($0.path) }?.path
            }
            let made = try await make(schedule.folder + "/" + schedule.name(at: now), base)
            state.withLock { ($0.last, $0.leftOut) = (now, made.leftOut.count) }
            log.info(
                "a copy was made",
                metadata: ["files": "\(made.files)", "shared": "\(made.shared)", "bytes": "\(made.bytes)"]
            )
            if !made.leftOut.isEmpty {
                log.error(
                    "a copy lacks stores that were locked, unlocked or replaced while they were copied",
                    metadata: ["stores": "\(made.leftOut.joined(separator: " "))"]
                )
            }
            for fault in made.faults { log.error("the data folder has a fault", metadata: ["fault": "\(fault)"]) }
            try await blocking { schedule.clean() }
            return true
        } catch {
            guard !Task.isCancelled else { return false }
            state.withLock { $0.failures += 1 }
            let reason = (error as? ProblemDetails)?.detail ?? "\(error)"
            log.error("a copy could not be made", metadata: ["folder": "\(schedule.folder)", "reason": "\(reason)"])
            return false
        }
    }

    func write(to text: inout MetricsText) {
        let (last, failures, leftOut) = state.withLock { ($0.last, $0.failures, $0.leftOut) }
        text.value(
            "sxgw_backup_interval_seconds",
            .gauge,
            "Seconds from one copy to the next (--backup-hours).",
            schedule.interval
        )
        text.value(
            "sxgw_backup_last_seconds",
            .gauge,
            "Time of the last complete copy in --backup-folder, in seconds since 1970; 0 before the first.",
            last ?? 0
        )
        text.value(
            "sxgw_backup_stores_left_out",
            .gauge,
            "Stores that the last copy lacks, because they were locked, unlocked or replaced while they were copied.",
            leftOut
        )
        text.value("sxgw_backup_failures_total", .counter, "Copies that could not be made, since the start.", failures)
    }
}
