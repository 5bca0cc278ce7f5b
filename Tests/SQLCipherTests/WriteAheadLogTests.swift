import Foundation
import SimpleXCrypto
import Testing

@testable import SQLCipher

@Suite struct WriteAheadLogTests {
    private final class LogFolder: Sendable {
        let path = FileManager.default.temporaryDirectory.appending(path: "log-\(UUID().uuidString)").path
        var database: String { path + "/a.db" }
        var log: String { path + "/a.db-wal" }

        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private static let key = DatabaseKey.raw([UInt8](repeating: 7, count: 32))

    /// A database with ten transactions in its log, as a crash leaves it.
    private func makeCrashedDatabase(_ key: DatabaseKey) async throws -> LogFolder {
        let (origin, place) = (try LogFolder(), try LogFolder())
        let database = try await Database.open(
            at: origin.database,
            key: key,
            migrations: [Migration(name: "one", sql: "CREATE TABLE t (n INTEGER, b BLOB);")]
        )
        try await database.checkpoint()
        for number in 1...10 {
            try await database.write { try $0.execute("INSERT INTO t VALUES (?, randomblob(3000))", number) }
        }
        for (from, to) in [(origin.database, place.database), (origin.log, place.log)] {
            try FileManager.default.copyItem(atPath: from, toPath: to)
        }
        await database.close()
        return place
    }

    /// Number of rows in the file without its log, or -1 if the file is damaged.
    private func countRows(_ place: LogFolder, _ key: DatabaseKey) async throws -> Int64? {
        try FileManager.default.removeItem(atPath: place.log)
        return try await Database.read(at: place.database, key: key) { db in
            guard try db.firstRow("PRAGMA quick_check")?.string(0) == "ok" else { return -1 }
            return try db.firstRow("SELECT count(*) FROM t")?.int64(0)
        }
    }

    @Test(arguments: [DatabaseKey.none, key])
    func `Complete transactions of a write-ahead log are written to the database file`(key: DatabaseKey) async throws {
        let place = try await makeCrashedDatabase(key)
        try WriteAheadLog.applyLog(place.log, to: place.database)
        // A second run, as after a crash, has no further effect.
        try WriteAheadLog.applyLog(place.log, to: place.database)
        #expect(try await countRows(place, key) == 10)
    }

    @Test(arguments: ["cut", "changed", "salt"])
    func `Transactions before the damage in a damaged write-ahead log are written to the database file`(
        what: String
    ) async throws {
        let place = try await makeCrashedDatabase(Self.key)
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: place.log)))
        let middle = 32 + (24 + 4096) * 9
        switch what {
        case "cut": bytes = Array(bytes[..<(middle + 100)])
        case "changed": bytes[middle + 2000] ^= 1
        default: bytes[middle + 9] ^= 1
        }
        try Data(bytes).write(to: URL(filePath: place.log))
        try WriteAheadLog.applyLog(place.log, to: place.database)
        let count = try #require(try await countRows(place, Self.key))
        #expect((1..<10).contains(count), "\(count)")
    }

    @Test(arguments: [0, 10, 32, 5000])
    func `An invalid write-ahead log leaves the database file unchanged`(size: Int) async throws {
        let place = try await makeCrashedDatabase(Self.key)
        let before = try Data(contentsOf: URL(filePath: place.database))
        try Data(repeating: 7, count: size).write(to: URL(filePath: place.log))
        try WriteAheadLog.applyLog(place.log, to: place.database)
        #expect(try Data(contentsOf: URL(filePath: place.database)) == before)
    }

    /// Returns a log of one page with valid checksums.
    private func forgeLog(pageSize: UInt32, page: UInt32, pages: UInt32) -> Data {
        var sums: (UInt32, UInt32) = (0, 0)
        func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
        func add(_ bytes: [UInt8]) {
            for start in stride(from: 0, to: bytes.count, by: 8) {
                func word(_ offset: Int) -> UInt32 {
                    bytes[(start + offset)..<(start + offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
                }
                sums.0 = sums.0 &+ word(0) &+ sums.1
                sums.1 = sums.1 &+ word(4) &+ sums.0
            }
        }
        var log = [0x377F_0683, 3_007_000, pageSize, 0, 1, 2].flatMap(bytes)
        add(log)
        log += bytes(sums.0) + bytes(sums.1)
        let (frame, content) = ([page, pages].flatMap(bytes), [UInt8](repeating: 9, count: 4096))
        add(frame)
        add(content)
        return Data(log + frame + [1, 2].flatMap(bytes) + bytes(sums.0) + bytes(sums.1) + content)
    }

    @Test(arguments: [(8192, 1, 1), (4096, 1, UInt32.max)] as [(UInt32, UInt32, UInt32)])
    func `A write-ahead log with a wrong page size or database size is refused`(
        pageSize: UInt32,
        page: UInt32,
        pages: UInt32
    ) async throws {
        let place = try await makeCrashedDatabase(Self.key)
        try forgeLog(pageSize: pageSize, page: page, pages: pages).write(to: URL(filePath: place.log))
        #expect(throws: DatabaseError.corrupt) { try WriteAheadLog.applyLog(place.log, to: place.database) }
    }

    @Test
    func `A page of a write-ahead log that is beyond the end of the database is ignored`() async throws {
        let place = try await makeCrashedDatabase(Self.key)
        try forgeLog(pageSize: 4096, page: .max, pages: 2).write(to: URL(filePath: place.log))
        try WriteAheadLog.applyLog(place.log, to: place.database)
        #expect(try FileManager.default.attributesOfItem(atPath: place.database)[.size] as? Int == 8192)
    }
}
