import Foundation
import SimpleXCrypto
import SQLCipher
import TestSupport
import Testing

@testable import ChatCore

@Suite("Stored texts of messages", .socketTimeLimit)
struct UnhandledMessagesTests {
    @Test
    func `The text of a deleted or disappeared message is in no table of either side`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.run("/_send @1 text quokka everywhere")
        try await alice.run("/_send @1 text quokka here")
        try await alice.run("/_send @1 text last")
        try await waitForText("last", bob)
        _ = try await alice.waitForStatus("sndRcvd", of: ["quokka everywhere", "quokka here", "last"])
        #expect(try await tablesContaining(with: "quokka", alice) == ["chat_items"])
        #expect(try await tablesContaining(with: "quokka", bob) == ["chat_items"])
        let items = try await alice.run("/_get chat @1 count=3").itemIds
        try await alice.run("/_delete item @1 \(items[0]) broadcast")
        try await bob.wait(for: "chatItemsDeleted")
        for core in [alice, bob] {
            // A message that the other side deleted is only marked as deleted. The user's own deletion removes the
            // text.
            let items = try await core.run("/_get chat @1 count=3").itemIds
            for item in items.dropLast() { try await core.run("/_delete item @1 \(item) internal") }
            #expect(try await tablesContaining(with: "quokka", core) == [])
        }
        for core in [alice, bob] { await core.controller.close() }
    }

    /// Returns the tables that contain the text. The journal is left out, since it is compressed and has separate
    /// tests.
    private func tablesContaining(with text: String, _ core: Core) async throws -> [String] {
        try await core.controller.store.read { db in
            let tables = try db.query(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'events' ORDER BY name"
            ).map { try $0.string("name") }
            return try tables.filter { table in
                let columns = try db.query("PRAGMA table_info(\(table))").map { try $0.string("name") }
                let holds = columns.map { "instr(CAST(\($0) AS TEXT), '\(text)') > 0" }.joined(separator: " OR ")
                return try db.firstRow("SELECT 1 FROM \(table) WHERE \(holds)") != nil
            }
        }
    }
}
