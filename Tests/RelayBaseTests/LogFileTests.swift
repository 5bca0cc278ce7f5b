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

    private static func record(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        LogFile.append(to: &bytes) { $0 += Array(text.utf8) }
        return bytes
    }

    /// Reads the records of a log, which are texts. The text `no` is not a valid record.
    private func read(_ path: String, _ format: LogHeader = Self.format) throws -> (texts: [String], lost: Int64) {
        var texts: [String] = []
        let (_, lost) = try LogFile.open(at: path, format) { payload in
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

    private func write(_ path: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    @Test(
        arguments: [
            ("ends in a header", [1, 0, 0], true), ("ends in a payload", [9, 0, 0, 0, 1, 2, 3, 4, 5], true),
            ("zeros to the end of a page", [UInt8](repeating: 0, count: 4000), true),
            ("a changed byte in the last record", [1, 0, 0, 0, 1, 2, 3, 4, 5], true),
            ("a changed byte in one of the middle", [1, 0, 0, 0, 1, 2, 3, 4, 5, 1, 0], false),
            ("what is no record", Self.record("no"), false),
        ] as [(String, [UInt8], Bool)]
    )
    func `Damage in the middle of a log is distinguished from an incomplete end`(
        what: String,
        end: [UInt8],
        isTorn: Bool
    ) throws {
        try withLog { path in
            try write(path, Array("a log of tests 2\n".utf8) + Self.record("one") + end)
            let found = try LogFile.findDamage(at: path, Self.format) { String(decoding: $0, as: UTF8.self) != "no" }
            #expect(found?.byteCount == Int64(end.count) && found?.isTorn == isTorn, "\(what)")
        }
    }

    @Test
    func `A log that a copy shares by a hard link is written only after it has contents of its own`() throws {
        try withLog { path in
            let old = Array("a log of tests 1\n".utf8) + Self.record("one") + [9, 0, 0]
            for name in [path, path + ".damaged", path + ".new"] {
                try write(name, old)
                try FileManager.default.linkItem(atPath: name, toPath: name + ".copy")
            }
            let (file, _) = try LogFile.open(at: path, Self.format) { _ in true }
            try file.append(Self.record("two"))
            _ = try LogFile.create(at: path + ".new", Self.format)
            #expect(try read(path).texts == ["one", "two"])
            for name in [path, path + ".damaged", path + ".new"] {
                #expect(try DiskFiles.read(name + ".copy") == old, "\(name)")
                #expect(DiskFiles.linkCount(of: name) == 1 && DiskFiles.linkCount(of: name + ".copy") == 1, "\(name)")
            }
            #expect(!DiskFiles.exists(path + ".own"))
        }
    }

    @Test
    func `The search for damage returns the number of damaged bytes and does not change the log`() throws {
        try withLog { path in
            func damage() throws -> Int64? {
                try LogFile.findDamage(at: path, Self.format) { String(decoding: $0, as: UTF8.self) != "no" }?.byteCount
            }
            #expect(try damage() == nil)
            let good = Array("a log of tests 2\n".utf8) + Self.record("one")
            for (rest, expected) in [([], 0), ([1, 2, 3], 3), (Self.record("no"), Int64(Self.record("no").count))]
                as [([UInt8], Int64)]
            {
                try write(path, good + rest)
                #expect(try damage() == expected)
                #expect(FileManager.default.contents(atPath: path) == Data(good + rest))
            }
            try write(path, Array("{".utf8))
            #expect(throws: RelayStoreError.self) { try damage() }
        }
    }

    @Test
    func `A 'LogSnapshot' contains exactly the records that were appended before it`() async throws {
        let folder = NSTemporaryDirectory() + "log-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/log"
        let log = LogWriter(
            file: try LogFile.create(at: path, Self.format),
            durability: .process,
            logger: Logger(label: "test")
        ) {}
        _ = log.append(Self.record("one") + Self.record("two"))
        let snapshot = try await log.snapshot()
        _ = log.append(Self.record("three"))
        try await LogCompaction(log: log, path: path, Self.format).run(LogCompaction.Snapshot(start: log.size) { _ in })
        await log.close()
        try snapshot.write(to: folder + "/copy")
        #expect(try read(folder + "/copy").texts == ["one", "two"])
        #expect(throws: FileSystemError.self) { try snapshot.write(to: folder + "/copy") }
    }

    @Test
    func `A record that no answer waits for is written with a later record or at the close`() async throws {
        let folder = NSTemporaryDirectory() + "log-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/log"
        let (commits, committed) = AsyncStream.makeStream(of: Void.self)
        let log = LogWriter(
            file: try LogFile.create(at: path, Self.format),
            durability: .process,
            logger: Logger(label: "test")
        ) { committed.yield() }
        var commit = commits.makeAsyncIterator()
        // No earlier record is awaited, so the answer may be sent immediately.
        #expect(log.append(Self.record("one"), isAwaited: false) == 0)
        await commit.next()
        #expect(log.lastCommitted == 1)
        #expect(log.append(Self.record("two")) == 2)
        #expect(log.append(Self.record("three"), isAwaited: false) == 2 && log.lastAwaited == 2)
        #expect(log.append(Self.record("four")) == 4)
        while log.lastCommitted < 4 { await commit.next() }
        #expect(log.append(Self.record("five"), isAwaited: false) == 4)
        await log.close()
        #expect(try read(path).texts == ["one", "two", "three", "four", "five"])
    }

    @Test
    func `The records of a log are read up to the first incomplete, damaged or unknown record`() throws {
        try withLog { path in
            #expect(try read(path).texts.isEmpty)
            let start = Array("a log of tests 2\n".utf8)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(start))
            let good = start + Self.record("one") + Self.record("two")
            for (end, lost) in [
                ([], 0), (Array(Self.record("three").dropLast()), 12), ([1, 0, 0, 0], 4),
                ([0, 0, 0, 0, 1, 2, 3, 4], 8), (Self.record("no") + Self.record("four"), 22),
            ] as [([UInt8], Int64)] {
                try write(path, good + end)
                let found = try read(path)
                #expect(found.texts == ["one", "two"] && found.lost == lost)
                // The removed part is kept beside the log, and the log is valid again.
                if lost > 0 { #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".damaged")) == Data(end)) }
                #expect(try read(path).lost == 0)
            }
            var damaged = good
            damaged[good.count - 1] ^= 1
            try write(path, damaged)
            #expect(try read(path).texts == ["one"])
        }
    }

    @Test
    func `A log of an earlier version is converted when it is opened`() throws {
        try withLog { path in
            try write(path, Array("a log of tests 1\n".utf8) + Self.record("one"))
            #expect(try read(path).texts == ["one"])
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)).starts(with: Data("a log of tests 2\n".utf8)))
            #expect(throws: RelayStoreError.notALog(path: path)) {
                try read(path, LogHeader("a log of tests", version: 1))
            }
            let other = Array("something else, and longer than the first line\n".utf8)
            try write(path, other)
            #expect(throws: RelayStoreError.notALog(path: path)) { try read(path) }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(other))
        }
    }

    @Test
    func `A compacted log contains the snapshot and all records that were appended since`() async throws {
        let folder = NSTemporaryDirectory() + "log-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/log"
        let (file, _) = try LogFile.open(at: path, Self.format) { _ in true }
        let log = LogWriter(file: file, durability: .disk, logger: Logger(label: "test")) {}
        for number in 0..<100 { #expect(log.append(Self.record("old \(number)")) != nil) }
        let (snapshot, later) = (Self.record("snapshot"), Self.record("later"))
        try await LogCompaction(log: log, path: path, Self.format).run(
            LogCompaction.Snapshot(start: log.size) { writer throws(RelayStoreError) in
                #expect(log.append(later) != nil)
                try writer.add { $0 += snapshot }
            }
        )
        #expect(log.append(Self.record("last")) != nil)
        await log.close()
        #expect(try read(path).texts == ["snapshot", "later", "last"])
        #expect(FileManager.default.contents(atPath: path + ".new") == nil)
        #expect(log.append(Self.record("closed")) == nil)
    }
}

@Suite("Passwords of relays")
struct CreationPasswordTests {
    @Test
    func `A configured password permits only commands with this password`() {
        let password = CreationPassword("secret")
        #expect(password.permits("secret"))
        for wrong in [nil, "", "Secret", "secret "] { #expect(!password.permits(wrong)) }
        #expect(!CreationPassword("").permits(nil) && CreationPassword("").permits(""))
        for any in [nil, "", "x"] { #expect(CreationPassword(nil).permits(any)) }
    }
}
