import ChatAPI
import ChatProtocol
import JSON
import Testing

@testable import ChatCore

/// Tests of chat protocol versions that rise after a connection was made.
@Suite(.socketTimeLimit) struct AgreedVersionTests {
    /// Lowers the agreed versions to the versions of connections that an earlier program made.
    private func lowerAgreedVersions(_ core: Core) async throws {
        try await core.controller.store.write { tx in try tx.db.execute("UPDATE connections SET chat_version = 16") }
    }

    private func readAgreedVersions(_ core: Core) async throws -> [Int64] {
        try await core.controller.store.read { db in
            try db.query("SELECT chat_version FROM connections WHERE conn_status = 'ready' ORDER BY connection_id").map
            { try $0.int64("chat_version") }
        }
    }

    @Test
    func `A message from a contact with a newer version raises the agreed version of the connection`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await lowerAgreedVersions(bob)
        try await alice.run("/_send @1 text hello")
        try await waitForText("hello", bob)
        #expect(try await readAgreedVersions(bob) == [Int64(ChatVersionRange.supported.maximum)])
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A group message raises the agreed version only of the connection to its sender`() async throws {
        let trio = try await Trio()
        try await lowerAgreedVersions(trio.bob)
        try await trio.alice.sendToGroup("hello all", to: 1)
        try await trio.bob.waitForGroupText("hello all")
        #expect(try await Set(readAgreedVersions(trio.bob)) == [16, Int64(ChatVersionRange.supported.maximum)])
        await trio.close()
    }
}
