import JSON
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore

@Suite("Audience of events without a user", .socketTimeLimit)
struct EventAudienceTests {
    @Test
    func `An event about deleted connections is addressed to the user who had the connections`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        try await bob.createUser("carol")
        try await bob.run("/_delete @1 full notify=off", as: 1)
        try await bob.wait(for: "agentConnsDeleted")
        let entries = try await bob.storedEntries(["agentRcvQueuesDeleted", "agentConnsDeleted"])
        #expect(Set(entries.map(\.audience)) == [.user(1)])
        #expect(entries.allSatisfy { $0.userId == nil })
        #expect(try entries.allSatisfy { try JSONValue(parsing: $0.eventJSON)["user"] == nil })
        // Rows of reported deletions are removed.
        #expect(try await bob.controller.store.read { try $0.firstRow("SELECT 1 FROM deleted_connections") == nil })
        // The rows are deleted with the user.
        try await bob.run("/_delete user 1 del_smp=off")
        #expect(try await bob.storedEntries(["agentRcvQueuesDeleted", "agentConnsDeleted"]).isEmpty)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `The event about the deletion of an address is addressed to the user of the address`() async throws {
        let alice = try await World().core("alice")
        try await alice.createUser("alice")
        try await alice.run("/_address 1")
        try await alice.run("/_delete_address 1")
        try await alice.wait(for: "agentConnsDeleted")
        #expect(try await alice.storedEntries(["agentConnsDeleted"]).map(\.audience) == [.user(1)])
        await alice.controller.close()
    }

    @Test
    func `Events of remote hosts are for keys without a profile, and events without personal data are for all keys`()
        async throws
    {
        let alice = try await World().core("alice", emitsHostSessionEvents: true)
        try await alice.createUser("alice")
        try await alice.run("/_address 1")
        try await alice.wait(for: "hostConnected")
        try await alice.run("/_app suspend 0")
        try await alice.wait(for: "chatSuspended")
        #expect(try await Set(alice.storedEntries(["hostConnected"]).map(\.audience)) == [.keysWithoutUser])
        #expect(try await alice.storedEntries(["chatSuspended"]).map(\.audience) == [.everybody])
        await alice.controller.close()
    }
}

extension Core {
    /// Returns the journal entries of these types from the database.
    fileprivate func storedEntries(_ types: Set<String>) async throws -> [JournalEntry] {
        let journal = try await EventJournal.open(on: controller.store.database, retention: JournalRetention())
        return try await journal.readEntries(after: 0, limit: 10_000).filter {
            try types.contains(JSONValue(parsing: $0.eventJSON)["type"]?.stringValue ?? "")
        }
    }
}
