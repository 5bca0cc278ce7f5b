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
            guard case .lost(let lost) = error, lost == path else { throw error }
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        let back = try await world.core("alice", started: false)
        #expect(try await back.run("/u")["type"] == "activeUser")
        await back.controller.close()
    }

    @Test("where databases have to be there, none are made, unless they were deleted by a command whose process ended before it made new ones")
    func bothLost() async throws {
        let world = try await World()
        let alice = try await world.core("alice", started: false)
        try await alice.createUser("alice")
        var configuration = alice.controller.configuration
        configuration.makesDatabases = false
        let prefix = configuration.databasePrefix
        func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: configuration.dataDirectory).filter { $0.hasPrefix("simplex_v1") } }
        await alice.controller.close()
        let replacement = StoreReplacement(prefix: prefix)
        try replacement.begin()
        try replacement.commit(.removed, folders: LocalFolders(dataDirectory: configuration.dataDirectory).paths)
        try replacement.finish()
        #expect(try names() == ["simplex_v1_empty"])
        let emptied = try await ChatController.open(configuration, group: World.group)
        await emptied.close()
        #expect(try names().sorted().filter { !$0.contains("-") } == ["simplex_v1_agent.db", "simplex_v1_chat.db"])
        for name in try names() { try FileManager.default.removeItem(atPath: configuration.dataDirectory + "/" + name) }
        do {
            _ = try await ChatController.open(configuration, group: World.group)
            Issue.record("it opens")
        } catch {
            guard case .lost = error else { throw error }
        }
        #expect(try names() == [])
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
