import Files
import Foundation
import Logging
import RelayBase
import Synchronization
import TestSupport
import Testing

@Suite("Logs of relays")
struct LogFileTests {
    private static let format = LogHeader("a log of tests", version: 2)

    private static func encodeRecord(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        LogFile.appendRecord(to: &bytes) { $0 += Array(text.utf8) }
        return bytes
    }

    /// Reads the records of a log, which are texts. The text `no` is not a valid record.
    private func readRecords(_ path: String, _ format: LogHeader = Self.format) throws -> (texts: [String], lost: Int64)
    {
        var texts: [String] = []
        let (_, lost) = try LogFile.openLog(at: path, format) { payload in
            let text = String(decoding: payload, as: UTF8.self)
            guard text != "no" else { return false }
            texts.append(text)
            return true
        }
        return (texts, lost.byteCount)
    }

    private func withLog(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "log-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder + "/log")
    }

    private func writeBytes(_ path: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    @Test(
        arguments: [
            ("ends in a header", [1, 0, 0], true), ("ends in a payload", [9, 0, 0, 0, 1, 2, 3, 4, 5], true),
            ("zeros to the end of a page", [UInt8](repeating: 0, count: 4000), true),
            ("a changed byte in the last record", [1, 0, 0, 0, 1, 2, 3, 4, 5], true),
            ("a changed byte in one of the middle", [1, 0, 0, 0, 1, 2, 3, 4, 5, 1, 0], false),
            ("what is no record", Self.encodeRecord("no"), false),
        ] as [(String, [UInt8], Bool)]
    )
    func `Damage in the middle of a relay's log is distinguished from an incomplete last record`(
        what: String,
        end: [UInt8],
        isTorn: Bool
    ) throws {
        try withLog { path in
            try writeBytes(path, Array("a log of tests 2\n".utf8) + Self.encodeRecord("one") + end)
            let found = try LogFile.findDamage(at: path, Self.format) { String(decoding: $0, as: UTF8.self) != "no" }
            #expect(found?.byteCount == Int64(end.count) && found?.isUnfinishedRecord == isTorn, "\(what)")
        }
    }

    @Test
    func `Writing to a relay's log does not change a copy that is a hard link to the log`() throws {
        try withLog { path in
            let old = Array("a log of tests 1\n".utf8) + Self.encodeRecord("one") + [9, 0, 0]
            for name in [path, path + ".damaged", path + ".new"] {
                try writeBytes(name, old)
                try FileManager.default.linkItem(atPath: name, toPath: name + ".copy")
            }
            let (file, _) = try LogFile.openLog(at: path, Self.format) { _ in true }
            try file.appendBytes(Self.encodeRecord("two"))
            _ = try LogFile.createLog(at: path + ".new", Self.format)
            #expect(try readRecords(path).texts == ["one", "two"])
            for name in [path, path + ".damaged", path + ".new"] {
                #expect(try DiskFiles.readFile(name + ".copy") == old, "\(name)")
                #expect(DiskFiles.linkCount(of: name) == 1 && DiskFiles.linkCount(of: name + ".copy") == 1, "\(name)")
            }
            #expect(!DiskFiles.exists(path + ".own"))
        }
    }

    @Test
    func `The search for damage in a relay's log returns the number of damaged bytes and changes nothing`() throws {
        try withLog { path in
            func damage() throws -> Int64? {
                try LogFile.findDamage(at: path, Self.format) { String(decoding: $0, as: UTF8.self) != "no" }?.byteCount
            }
            #expect(try damage() == nil)
            let good = Array("a log of tests 2\n".utf8) + Self.encodeRecord("one")
            for (rest, expected) in [
                ([], 0), ([1, 2, 3], 3), (Self.encodeRecord("no"), Int64(Self.encodeRecord("no").count)),
            ]
                as [([UInt8], Int64)]
            {
                try writeBytes(path, good + rest)
                #expect(try damage() == expected)
                #expect(FileManager.default.contents(atPath: path) == Data(good + rest))
            }
            try writeBytes(path, Array("{".utf8))
            #expect(throws: RelayStoreError.self) { try damage() }
        }
    }

    @Test
    func `A 'LogSnapshot' of a relay's log contains exactly the records that were appended before it`() async throws {
        let folder = NSTemporaryDirectory() + "log-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/log"
        let log = LogWriter(
            file: try LogFile.createLog(at: path, Self.format),
            durability: .inOperatingSystem,
            logger: Logger(label: "test")
        ) {}
        _ = log.appendRecord(Self.encodeRecord("one") + Self.encodeRecord("two"))
        let snapshot = try await log.takeSnapshot()
        _ = log.appendRecord(Self.encodeRecord("three"))
        try await LogCompaction(log: log, path: path, Self.format).compactLog(
            LogCompaction.Snapshot(start: log.sizeWithPendingRecords) { _ in }
        )
        await log.closeAndWait()
        try snapshot.writeFile(to: folder + "/copy")
        #expect(try readRecords(folder + "/copy").texts == ["one", "two"])
        #expect(throws: FileSystemError.self) { try snapshot.writeFile(to: folder + "/copy") }
    }

    @Test
    func `A log record that no answer waits for is written with the next record or at the close of the log`()
        async throws
    {
        let folder = NSTemporaryDirectory() + "log-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/log"
        let (commits, committed) = AsyncStream.makeStream(of: Void.self)
        let log = LogWriter(
            file: try LogFile.createLog(at: path, Self.format),
            durability: .inOperatingSystem,
            logger: Logger(label: "test")
        ) { committed.yield() }
        var commit = commits.makeAsyncIterator()
        // No earlier record is awaited, so the answer may be sent immediately.
        #expect(log.appendRecord(Self.encodeRecord("one"), isAwaited: false) == 0)
        await commit.next()
        #expect(log.lastCommittedRecordNumber == 1)
        #expect(log.appendRecord(Self.encodeRecord("two")) == 2)
        #expect(log.appendRecord(Self.encodeRecord("three"), isAwaited: false) == 2 && log.lastAwaitedRecordNumber == 2)
        #expect(log.appendRecord(Self.encodeRecord("four")) == 4)
        while log.lastCommittedRecordNumber < 4 { await commit.next() }
        #expect(log.appendRecord(Self.encodeRecord("five"), isAwaited: false) == 4)
        await log.closeAndWait()
        #expect(try readRecords(path).texts == ["one", "two", "three", "four", "five"])
    }

    @Test
    func `The records of a relay's log are read up to the first incomplete, damaged or unknown record`() throws {
        try withLog { path in
            #expect(try readRecords(path).texts.isEmpty)
            let start = Array("a log of tests 2\n".utf8)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(start))
            let good = start + Self.encodeRecord("one") + Self.encodeRecord("two")
            for (end, lost) in [
                ([], 0), (Array(Self.encodeRecord("three").dropLast()), 12), ([1, 0, 0, 0], 4),
                ([0, 0, 0, 0, 1, 2, 3, 4], 8), (Self.encodeRecord("no") + Self.encodeRecord("four"), 22),
            ] as [([UInt8], Int64)] {
                try writeBytes(path, good + end)
                let found = try readRecords(path)
                #expect(found.texts == ["one", "two"] && found.lost == lost)
                // The removed part is kept beside the log, and the log is valid again.
                if lost > 0 { #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".damaged")) == Data(end)) }
                #expect(try readRecords(path).lost == 0)
            }
            var damaged = good
            damaged[good.count - 1] ^= 1
            try writeBytes(path, damaged)
            #expect(try readRecords(path).texts == ["one"])
        }
    }

    @Test
    func `A relay's log of an earlier version is converted when it is opened`() throws {
        try withLog { path in
            try writeBytes(path, Array("a log of tests 1\n".utf8) + Self.encodeRecord("one"))
            #expect(try readRecords(path).texts == ["one"])
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)).starts(with: Data("a log of tests 2\n".utf8)))
            #expect(throws: RelayStoreError.notALog(path: path)) {
                try readRecords(path, LogHeader("a log of tests", version: 1))
            }
            let other = Array("something else, and longer than the first line\n".utf8)
            try writeBytes(path, other)
            #expect(throws: RelayStoreError.notALog(path: path)) { try readRecords(path) }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(other))
        }
    }

    @Test
    func `A compacted relay log contains the snapshot and all records that were appended after it`() async throws {
        let folder = NSTemporaryDirectory() + "log-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/log"
        let (file, _) = try LogFile.openLog(at: path, Self.format) { _ in true }
        let log = LogWriter(file: file, durability: .onDisk, logger: Logger(label: "test")) {}
        for number in 0..<100 { #expect(log.appendRecord(Self.encodeRecord("old \(number)")) != nil) }
        let (snapshot, later) = (Self.encodeRecord("snapshot"), Self.encodeRecord("later"))
        try await LogCompaction(log: log, path: path, Self.format).compactLog(
            LogCompaction.Snapshot(start: log.sizeWithPendingRecords) { writer throws(RelayStoreError) in
                #expect(log.appendRecord(later) != nil)
                try writer.addRecords { $0 += snapshot }
            }
        )
        #expect(log.appendRecord(Self.encodeRecord("last")) != nil)
        await log.closeAndWait()
        #expect(try readRecords(path).texts == ["snapshot", "later", "last"])
        #expect(FileManager.default.contents(atPath: path + ".new") == nil)
        #expect(log.appendRecord(Self.encodeRecord("closed")) == nil)
    }
}

@Suite("Passwords of relays")
struct CreationPasswordTests {
    @Test
    func `If a relay has a password, it permits only commands with this password`() {
        let password = CreationPassword("secret")
        #expect(password.permitsCreation("secret"))
        for wrong in [nil, "", "Secret", "secret "] { #expect(!password.permitsCreation(wrong)) }
        #expect(!CreationPassword("").permitsCreation(nil) && CreationPassword("").permitsCreation(""))
        for any in [nil, "", "x"] { #expect(CreationPassword(nil).permitsCreation(any)) }
    }
}
