import JSON
import TestSupport
import Testing

@testable import ChatCore

@Suite("Whose events are that name no user", .overSockets)
struct EventAudienceTests {
    @Test("connections that the agent has deleted are of the user whose they were, and the event is as it was")
    func deletedConnections() async throws {
        let (alice, bob) = try await World().pair()
        try await bob.createUser("carol")
        try await bob.run("/_delete @1 full notify=off", as: 1)
        try await bob.wait(for: "agentConnsDeleted")
        let entries = try await bob.entries(["agentRcvQueuesDeleted", "agentConnsDeleted"])
        #expect(Set(entries.map(\.audience)) == [.user(1)])
        #expect(entries.allSatisfy { $0.userId == nil })
        #expect(try entries.allSatisfy { try JSONValue(parsing: $0.event)["user"] == nil })
        // What the agent has reported to the end is not remembered.
        #expect(try await bob.controller.store.read { try $0.first("SELECT 1 FROM deleted_connections") == nil })
        // They go with the user.
        try await bob.run("/_delete user 1 del_smp=off")
        #expect(try await bob.entries(["agentRcvQueuesDeleted", "agentConnsDeleted"]).isEmpty)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test("an address that is deleted is its user's")
    func deletedAddress() async throws {
        let alice = try await World().core("alice")
        try await alice.createUser("alice")
        try await alice.run("/_address 1")
        try await alice.run("/_delete_address 1")
        try await alice.wait(for: "agentConnsDeleted")
        #expect(try await alice.entries(["agentConnsDeleted"]).map(\.audience) == [.user(1)])
        await alice.controller.close()
    }

    @Test("hosts are of nobody who is known, and what says nothing of anybody is for all")
    func hosts() async throws {
        let alice = try await World().core("alice", emitsHosts: true)
        try await alice.createUser("alice")
        try await alice.run("/_address 1")
        try await alice.wait(for: "hostConnected")
        try await alice.run("/_app suspend 0")
        try await alice.wait(for: "chatSuspended")
        #expect(try await Set(alice.entries(["hostConnected"]).map(\.audience)) == [.unbound])
        #expect(try await alice.entries(["chatSuspended"]).map(\.audience) == [.everybody])
        await alice.controller.close()
    }
}

extension Core {
    /// The entries of these types, from the disk.
    fileprivate func entries(_ types: Set<String>) async throws -> [JournalEntry] {
        let journal = try await EventJournal.open(on: controller.store.database, retention: JournalRetention())
        return try await journal.entries(after: 0, limit: 10_000).filter { try types.contains(JSONValue(parsing: $0.event)["type"]?.stringValue ?? "") }
    }
}
