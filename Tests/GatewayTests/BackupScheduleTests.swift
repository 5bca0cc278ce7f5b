import Files
import Logging
import Prometheus
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Scheduled backups") struct BackupScheduleTests {
    private let startSeconds: Int64 = 1_795_966_200

    /// Makes a folder that looks like a complete copy.
    private func makeCopy(_ path: String) throws {
        try DiskFiles.makeFolder(path)
        try DiskFiles.createFile(path + "/" + CopyChecksums.fileName, [])
    }

    private func withSchedule(_ body: (_ schedule: BackupSchedule) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var schedule = BackupSchedule(folder: folder.path)
        (schedule.intervalSeconds, schedule.keptCopyCount) = (3_600, 2)
        try await body(schedule)
    }

    @Test
    func `The name of a scheduled backup contains the time at which the backup was made`() {
        let schedule = BackupSchedule(folder: "/copies")
        #expect(schedule.copyName(at: startSeconds) == "copy-2026-11-29T15-30-00Z")
        #expect(schedule.parseTime(of: schedule.copyName(at: startSeconds)) == startSeconds)
        #expect(schedule.parseTime(of: schedule.copyName(at: startSeconds) + ".backup") == startSeconds)
        for name in [
            "copy-", "copy-monday", "copy-2026-11-29T15-30-00Z.old", "2026-11-29T15-30-00Z",
            "copy-2026-11-29T15-30-00Z-0123456789ab",
        ] {
            #expect(schedule.parseTime(of: name) == nil)
        }
    }

    @Test
    func `If two gateways keep backups in one folder, each gateway deletes only its own backups`() async throws {
        try await withSchedule { schedule in
            var (one, two) = (schedule, schedule)
            (one.gatewayID, two.gatewayID) = ("0123456789ab", "ba9876543210")
            #expect(one.copyName(at: startSeconds) == "copy-2026-11-29T15-30-00Z-0123456789ab")
            #expect(
                one.parseTime(of: one.copyName(at: startSeconds) + ".backup") == startSeconds
                    && two.parseTime(of: one.copyName(at: startSeconds)) == nil
            )
            for schedule in [one, two] {
                for hour in 0..<4 {
                    try makeCopy(schedule.folder + "/" + schedule.copyName(at: startSeconds + Int64(hour) * 3_600))
                }
            }
            let remains = two.folder + "/" + two.copyName(at: startSeconds - 3_600) + ".removed"
            try makeCopy(remains)
            one.removeOldCopies()
            #expect(one.listCopies().map(\.time) == [startSeconds + 7_200, startSeconds + 10_800])
            #expect(two.listCopies().count == 4 && DiskFiles.exists(remains))
        }
    }

    @Test
    func `The id of a data folder is the same at each reading, and a damaged id is replaced by a new one`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let id = try BackupSchedule.readOrMakeGatewayID(of: folder.path)
        #expect(id.utf8.count == 12 && id.allSatisfy(\.isHexDigit))
        #expect(try BackupSchedule.readOrMakeGatewayID(of: folder.path) == id)
        for damaged in ["", "0123456789a/", id + "0"] {
            try DiskFiles.replaceFile(folder.path + "/backups.id", with: Array(damaged.utf8))
            let next = try BackupSchedule.readOrMakeGatewayID(of: folder.path)
            #expect(next != damaged && next.allSatisfy(\.isHexDigit) && next.utf8.count == 12)
            #expect(try BackupSchedule.readOrMakeGatewayID(of: folder.path) == next)
        }
    }

    @Test
    func `Only the newest scheduled backups are kept, and no other file in their folder is deleted`() async throws {
        try await withSchedule { schedule in
            for hour in 0..<4 {
                try makeCopy(schedule.folder + "/" + schedule.copyName(at: startSeconds + Int64(hour) * 3_600))
            }
            try makeCopy(schedule.folder + "/monday")
            try DiskFiles.makeFolder(schedule.folder + "/" + schedule.copyName(at: startSeconds - 3_600))
            try makeCopy(schedule.folder + "/" + schedule.copyName(at: startSeconds - 7_200) + ".removed")
            schedule.removeOldCopies()
            #expect(schedule.listCopies().map(\.time) == [startSeconds + 7_200, startSeconds + 10_800])
            #expect(
                DiskFiles.listEntries(schedule.folder).sorted() == [
                    schedule.copyName(at: startSeconds - 3_600), schedule.copyName(at: startSeconds + 7_200),
                    schedule.copyName(at: startSeconds + 10_800), "monday",
                ]
            )
        }
    }

    @Test
    func `A backup that another process uses is not deleted, and is not used as the base of the next backup`()
        async throws
    {
        try await withSchedule { schedule in
            let names = (0..<3).map { schedule.folder + "/" + schedule.copyName(at: startSeconds + $0 * 3_600) }
            for name in names { try makeCopy(name) }
            guard let first = try FileLock.tryAcquire(names[0] + "/.lock"),
                let last = try FileLock.tryAcquire(names[2] + "/.lock")
            else { throw CancellationError() }
            let held = HeldClock(at: startSeconds + 10_800), base = Mutex<String?>(nil)
            let backups = ScheduledBackups(
                schedule,
                clock: held.gatewayClock,
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            ) { _, new in
                base.withLock { $0 = new }
                return FolderBackup.Outcome()
            }
            let running = Task { await backups.run() }
            await held.waitForSleepers(1)
            #expect(base.withLock { $0 } == names[1])
            #expect(schedule.listCopies().map(\.path) == names)
            running.cancel()
            await running.value
            _ = consume first
            _ = consume last
            schedule.removeOldCopies()
            #expect(schedule.listCopies().map(\.path) == Array(names.dropFirst()))
        }
    }

    @Test
    func `A scheduled backup whose lock file cannot be opened is not deleted`() async throws {
        try await withSchedule { schedule in
            let names = (0..<3).map { schedule.folder + "/" + schedule.copyName(at: startSeconds + $0 * 3_600) }
            for name in names { try makeCopy(name) }
            // A folder cannot be opened as a lock file, so the copy cannot be locked.
            try DiskFiles.makeFolder(names[0] + "/.lock")
            schedule.removeOldCopies()
            #expect(schedule.listCopies().map(\.path) == names)
        }
    }

    @Test
    func `The first backup is made at once, the next after the interval, and a failed backup is tried again`()
        async throws
    {
        try await withSchedule { schedule in
            let held = HeldClock(at: startSeconds)
            let made = Mutex<[(target: String, base: String?)]>([]), fails = Mutex(false)
            let backups = ScheduledBackups(
                schedule,
                clock: held.gatewayClock,
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            ) { target, base in
                if fails.withLock({ $0 }) { throw CancellationError() }
                try DiskFiles.makeFolder(target)
                try DiskFiles.createFile(target + "/" + CopyChecksums.fileName, [])
                made.withLock { $0.append((target, base)) }
                return FolderBackup.Outcome()
            }
            let running = Task { await backups.run() }
            await held.waitForSleepers(1)
            #expect(made.withLock { $0.map(\.target) } == [schedule.folder + "/" + schedule.copyName(at: startSeconds)])
            fails.withLock { $0 = true }
            held.advance(by: 3_600)
            await held.waitForSleepers(1)
            fails.withLock { $0 = false }
            held.advance(by: BackupSchedule.retryDelaySeconds)
            await held.waitForSleepers(1)
            let second = try #require(made.withLock { $0.last })
            #expect(second.target == schedule.folder + "/" + schedule.copyName(at: startSeconds + 4_200))
            #expect(second.base == schedule.folder + "/" + schedule.copyName(at: startSeconds))
            var text = MetricsText()
            backups.writeMetrics(to: &text)
            #expect(text.text.contains("sxgw_backup_last_seconds \(startSeconds + 4_200)\n"))
            #expect(text.text.contains("sxgw_backup_failures_total 1\n"))
            running.cancel()
            await running.value
        }
    }

    @Test
    func `Incomplete backups of a killed gateway are removed before the next backup begins`() async throws {
        try await withSchedule { schedule in
            try makeCopy(schedule.folder + "/" + schedule.copyName(at: startSeconds - 7_200) + ".removed")
            let unfinished = schedule.folder + "/" + schedule.copyName(at: startSeconds - 3_600) + ".partial"
            try DiskFiles.makeFolder(unfinished)
            try DiskFiles.createFile(unfinished + "/" + FolderBackup.unfinishedMarkName, [])
            let held = HeldClock(at: startSeconds)
            let found = Mutex<[String]?>(nil)
            let backups = ScheduledBackups(
                schedule,
                clock: held.gatewayClock,
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            ) { _, _ in
                found.withLock { $0 = DiskFiles.listEntries(schedule.folder) }
                throw CancellationError()
            }
            let running = Task { await backups.run() }
            await held.waitForSleepers(1)
            #expect(found.withLock { $0 } == [])
            running.cancel()
            await running.value
        }
    }

    @Test
    func `After a restart, the next backup is due one interval after the newest backup`() {
        let schedule = BackupSchedule(folder: "/copies")
        #expect(schedule.nextCopyTime(after: nil, now: startSeconds) == startSeconds)
        #expect(schedule.nextCopyTime(after: startSeconds - 3_600, now: startSeconds) == startSeconds + 82_800)
        #expect(schedule.nextCopyTime(after: startSeconds + 1_000_000, now: startSeconds) == startSeconds + 86_400)
    }
}
