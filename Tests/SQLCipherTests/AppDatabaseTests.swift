import Foundation
import SimpleXCrypto
import TestSupport
import Testing

@testable import SQLCipher

/// `locked.db` was written by SQLCipher 4 on a later SQLite, with the passphrase "secret words": strict tables, a trigger and a view.
@Suite struct AppDatabaseTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func put(_ bytes: [UInt8], _ name: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: folder.file(name)))
        return folder.file(name)
    }

    private func open(_ bytes: [UInt8], _ passphrase: String?) throws -> AppDatabase? {
        try? FileManager.default.removeItem(atPath: folder.file("scratch"))
        return try AppDatabase(put(bytes, "a.db"), passphrase: passphrase, scratch: folder.file("scratch"))
    }

    @Test("A database of SQLCipher 4 with strict tables is read, and nothing of it is on the disk in clear")
    func reads() throws {
        let database = try #require(try open(Fixture.contents("apps/locked.db.zst"), "secret words"))
        #expect(try database.query("SELECT * FROM numbers ORDER BY id").map { $0.text("word") } == ["one", "two"])
        #expect(try database.query("SELECT * FROM pairs WHERE a = ?", Int64(1)).first?.text("b") == "x")
        #expect(try database.count("migrations") == 1)
        #expect(throws: DatabaseError.self) { try database.query("SELECT * FROM v") }
        var ids: [Int64?] = []
        try database.forEach("numbers", by: "id") { ids.append($0.int("id")) }
        #expect(ids == [1, 2])
        let scratch = try Data(contentsOf: URL(filePath: folder.file("scratch")))
        #expect(scratch.range(of: Data("CREATE TABLE".utf8)) == nil)
    }

    @Test("Another passphrase, none, and files that are no database are not taken for one")
    func others() throws {
        let locked = try Fixture.contents("apps/locked.db.zst")
        #expect(try open(locked, "other words") == nil)
        #expect(try open(locked, nil) == nil)
        #expect(!FileManager.default.fileExists(atPath: folder.file("scratch")))
        #expect(try open([], "secret words") == nil)
        #expect(try open(Array("no database".utf8), "secret words") == nil)
        #expect(throws: (any Error).self) { try open(PageCipher.plainHeader + [1, 2, 3], nil) }
    }

    @Test("A file that is cut off or changed is refused, wherever", arguments: [100, 4096 - 1, 4096 + 5, 3 * 4096 + 2000])
    func damaged(place: Int) throws {
        let locked = try Fixture.contents("apps/locked.db.zst")
        #expect(throws: DatabaseError.corrupt) { try open(Array(locked.prefix(locked.count - place)), "secret words") }
        var changed = locked
        changed[place] ^= 4
        // On the first page it is as with another passphrase.
        if place < 4096 { #expect(try open(changed, "secret words") == nil) } else {
            #expect(throws: DatabaseError.corrupt) { try open(changed, "secret words") }
        }
    }

    @Test("A database of this program is none of the apps, and is left as it is")
    func own() async throws {
        let path = folder.file("own.db")
        let own = try await Database.open(at: path, key: .none, migrations: [Migration(name: "one", up: "CREATE TABLE a (b); CREATE TRIGGER c AFTER INSERT ON a BEGIN DELETE FROM a; END;")])
        await own.close()
        let before = try Data(contentsOf: URL(filePath: path))
        #expect(try AppDatabase(path, passphrase: nil, scratch: folder.file("scratch")) == nil)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test("The word STRICT is taken from the end of a statement, and from nowhere else")
    func strict() {
        #expect(StrictTables.withoutStrict("CREATE TABLE a (b) STRICT") == "CREATE TABLE a (b)")
        #expect(StrictTables.withoutStrict("CREATE TABLE a (b) WITHOUT ROWID, strict \n") == "CREATE TABLE a (b) WITHOUT ROWID")
        #expect(StrictTables.withoutStrict("CREATE TABLE strict (b)") == nil)
        #expect(StrictTables.withoutStrict("") == nil)
    }
}
