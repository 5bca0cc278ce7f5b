import Foundation
import Testing

@testable import ChatCore

@Suite(.socketTimeLimit) struct LostDatabaseTests {
    @Test(arguments: ["chat", "agent"])
    func `A store does not open if one of its databases is missing or empty`(which: String) async throws {
        let world = try await World()
        let alice = try await world.core("alice", started: false)
        try await alice.createUser("alice")
        let prefix = alice.controller.services.configuration.databasePrefix
        await alice.controller.close()
        let path = "\(prefix)_\(which).db"
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        do {
            _ = try await world.core("alice", started: false)
            Issue.record("the store opens")
        } catch let error as ChatOpenError {
            guard case .databaseLost(let lost) = error, lost == path else { throw error }
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        do {
            _ = try await world.core("alice", started: false)
            Issue.record("the store opens")
        } catch let error as ChatOpenError {
            guard case .databaseLost = error else { throw error }
        }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        let back = try await world.core("alice", started: false)
        #expect(try await back.run("/u")["type"] == "activeUser")
        await back.controller.close()
    }

    /// Makes the state after a deleting command whose process ended when a full disk prevented new databases.
    private func makeEmptiedStore(_ configuration: ChatConfiguration) throws {
        let replacement = StoreReplacement(prefix: configuration.databasePrefix)
        try replacement.createFolder()
        try replacement.markStoreEmpty()
        try replacement.commit(.removed, folders: LocalFolders(dataDirectory: configuration.dataDirectory).paths)
        try replacement.finish()
    }

    @Test(
        arguments: [
            (true, .createIfEmptied, true), (true, .refuse, false), (false, .createIfEmptied, false),
            (false, .refuse, false),
        ] as [(Bool, ChatConfiguration.MissingDatabasePolicy, Bool)],
        ["removed", "chat of no bytes", "both of no bytes"]
    )
    func `Missing databases are created only if a command deleted them and the configuration permits the creation`(
        how: (isDeleted: Bool, missing: ChatConfiguration.MissingDatabasePolicy, opens: Bool),
        left: String
    ) async throws {
        let world = try await World()
        let alice = try await world.core("alice", started: false)
        try await alice.createUser("alice")
        var configuration = alice.controller.services.configuration
        configuration.missingDatabasePolicy = how.missing
        let data = configuration.dataDirectory
        await alice.controller.close()
        if how.isDeleted { try makeEmptiedStore(configuration) }
        for name in ["simplex_v1_chat.db", "simplex_v1_agent.db"] {
            try? FileManager.default.removeItem(atPath: data + "/" + name)
            if left.hasPrefix("both") || left.hasPrefix("chat") && name.contains("chat") {
                _ = FileManager.default.createFile(atPath: data + "/" + name, contents: nil)
            }
        }
        do {
            let core = try await ChatController.open(configuration, group: World.eventLoopGroup)
            await core.close()
            #expect(how.opens && !FileManager.default.fileExists(atPath: data + "/simplex_v1_empty"))
        } catch {
            guard case .databaseLost = error, !how.opens else { throw error }
        }
    }

    @Test
    func `If the first start ends before both databases exist, the next start creates the missing database`()
        async throws
    {
        let world = try await World()
        let alice = try await world.core("alice", started: false)
        let prefix = alice.controller.services.configuration.databasePrefix
        await alice.controller.close()
        try FileManager.default.removeItem(atPath: prefix + "_agent.db")
        let again = try await world.core("alice", started: false)
        try await again.createUser("alice")
        await again.controller.close()
    }
}
