import Foundation
import SimpleXCrypto
import TestSupport
import Testing

@testable import SQLCipher

/// Tests with `locked.db`, which SQLCipher 4 wrote with a later SQLite and the passphrase "secret words". It has strict
/// tables, a trigger and a view.
@Suite struct AppDatabaseTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func writeFile(_ bytes: [UInt8], _ name: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: folder.file(name)))
        return folder.file(name)
    }

    private func canRewrite(_ bytes: [UInt8], _ passphrase: String) throws -> Bool {
        try? FileManager.default.removeItem(atPath: folder.file("scratch"))
        return try AppDatabaseFile.rewriteForSQLCipher3(
            writeFile(bytes, "a.db"),
            passphrase,
            to: folder.file("scratch")
        )
            != nil
    }

    @Test
    func `A database of SQLCipher 4 is converted to a database file encrypted with another key`() throws {
        #expect(try canRewrite(Fixture.readContents("apps/locked.db.zst"), "secret words"))
        let scratch = try Data(contentsOf: URL(filePath: folder.file("scratch")))
        #expect(scratch.range(of: Data("CREATE TABLE".utf8)) == nil)
    }

    @Test
    func `Converting a SQLCipher 4 database with a wrong passphrase fails and leaves no file`() throws {
        #expect(try !canRewrite(Fixture.readContents("apps/locked.db.zst"), "other words"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("scratch")))
        #expect(try !canRewrite([], "secret words"))
    }

    @Test(arguments: [100, 4096 - 1, 4096 + 5, 3 * 4096 + 2000])
    func `Converting a truncated or changed SQLCipher 4 database fails`(place: Int) throws {
        let locked = try Fixture.readContents("apps/locked.db.zst")
        #expect(throws: DatabaseError.corrupt) {
            try canRewrite(Array(locked.prefix(locked.count - place)), "secret words")
        }
        var changed = locked
        changed[place] ^= 4
        // A change on the first page has the same effect as a wrong passphrase.
        if place < 4096 {
            #expect(try !canRewrite(changed, "secret words"))
        } else {
            #expect(throws: DatabaseError.corrupt) { try canRewrite(changed, "secret words") }
        }
    }

    @Test
    func `The word STRICT is removed only from the end of a CREATE TABLE statement`() {
        #expect(StrictTables.removeStrictKeyword("CREATE TABLE a (b) STRICT") == "CREATE TABLE a (b)")
        #expect(
            StrictTables.removeStrictKeyword("CREATE TABLE a (b) WITHOUT ROWID, strict \n")
                == "CREATE TABLE a (b) WITHOUT ROWID"
        )
        #expect(StrictTables.removeStrictKeyword("CREATE TABLE strict (b)") == nil)
        #expect(StrictTables.removeStrictKeyword("") == nil)
    }
}
