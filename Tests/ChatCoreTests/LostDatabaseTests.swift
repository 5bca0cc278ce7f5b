import Foundation
import Testing

@testable import ChatCore

@Suite(.overSockets) struct LostDatabaseTests {
    @Test("a store of whose two databases one is lost does not open, and none is made anew", arguments: ["chat", "agent"])
    func lost(which: String) async throws {
        let world = try await World()
        let alice = try await world.core("alice", started: false)
        try await alice.createUser("alice")
        let prefix = alice.controller.configuration.databasePrefix
        await alice.controller.close()
        let path = "\(prefix)_\(which).db"
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        do {
            _ = try await world.core("alice", started: false)
            Issue.record("it opens")
        } catch let error as ChatOpenError {
            guard case .other(let reason) = error else { throw error }
            #expect(reason.hasSuffix("and no \(path)"), "\(reason)")
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        let back = try await world.core("alice", started: false)
        #expect(try await back.run("/u")["type"] == "activeUser")
        await back.controller.close()
    }

    @Test("a first start that has ended before the second database was made goes on")
    func firstStart() async throws {
        let world = try await World()
        let alice = try await world.core("alice", started: false)
        let prefix = alice.controller.configuration.databasePrefix
        await alice.controller.close()
        try FileManager.default.removeItem(atPath: prefix + "_agent.db")
        let again = try await world.core("alice", started: false)
        try await again.createUser("alice")
        await again.controller.close()
    }
}
