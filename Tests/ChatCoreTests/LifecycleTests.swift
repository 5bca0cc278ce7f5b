import ChatAPI
import Foundation
import JSON
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore

@Suite(.socketTimeLimit) struct LifecycleTests {
    @Test
    func `A stopped chat refuses commands that need a started chat`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        #expect(try await alice.run("/_start main=on snd_files=on") == ["type": "chatRunning"])
        #expect(try await alice.run("/_stop") == ["type": "chatStopped"])
        #expect(try await alice.run("/_check running") == ["type": "chatStopped"])
        let notStarted: JSONValue = ["type": "error", "errorType": ["type": "chatNotStarted"]]
        for command in [
            "/_send @1 text while stopped", "/_get chat @1 count=1", "/_user 1", "/_delete user 1 del_smp=on",
            "/_set alias @1 x", "/_app activate restore=on",
            #"/_create tag {"text":"x"}"#,
        ] { #expect(try await alice.run(command) == notStarted, "\(command)") }
        for command in [
            "/u", "/users", "/_get chats 1 pcc=on", "/_get tags 1", "/_ttl 1", "/_get app settings", "/_show_address 1",
        ] {
            #expect(try await alice.run(command) != notStarted, "\(command)")
        }
        #expect(try await alice.run("/_stop") == ["type": "chatStopped"])
        try await bob.run("/_send @1 text to a stopped chat")
        #expect(try await alice.run("/_start main=on snd_files=off") == ["type": "chatStarted"])
        try await waitForText("to a stopped chat", alice)
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `A message that arrives after a command has started the chat is not attributed to this command`() async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.run("/_stop")
        let (changes, seen) = AsyncStream.makeStream(of: ChatChange.self)
        alice.controller.onChange { seen.yield($0) }
        try await alice.run("/_start main=on")
        try await bob.run("/_send @1 text from the network")
        try await waitForText("from the network", alice)
        await alice.controller.close()
        await bob.controller.close()
        seen.finish()
        var (commands, received): ([CommandName], Int) = ([], 0)
        for await change in changes {
            commands += [change.command?.name].compactMap(\.self)
            received += change.events.count { if case .newChatItems = $0 { true } else { false } }
        }
        #expect(commands == [.startChat] && received == 1)
    }

    @Test
    func `Only the first start of a store emits the event about differences between its two databases`() async throws {
        let world = try await World()
        for _ in 1...2 {
            let core = try await world.core("comparison")
            let same: JSONValue = ["missingIds": [], "extraIds": []]
            #expect(
                try await core.events().map(\.event) == [["type": "connectionsDiff", "userIds": same, "connIds": same]]
            )
            await core.controller.close()
        }
    }

    @Test
    func `A suspended chat sends and receives waiting messages after its activation`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        #expect(try await alice.run("/_app suspend 1000") == ["type": "cmdOk"])
        try await alice.wait(for: "chatSuspended")
        #expect(try await alice.run("/_check running") == ["type": "chatRunning"])
        #expect(try await alice.run("/_app suspend 0") == ["type": "cmdOk"])
        try await bob.run("/_send @1 text while suspended")
        #expect(try await alice.run("/_send @1 text written while suspended")["type"] == "newChatItems")
        #expect(try await alice.run("/_app activate restore=on") == ["type": "cmdOk"])
        #expect(try await alice.run("/_app activate restore=on") == ["type": "cmdOk"])
        try await waitForText("while suspended", alice)
        try await waitForText("written while suspended", bob)
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `An activation or a stop before the time of a planned suspension cancels the suspension`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.run("/_app suspend 3000000000")
        try await alice.run("/_app activate restore=on")
        try await bob.run("/_send @1 text still there")
        try await waitForText("still there", alice)
        try await alice.run("/_app suspend 3000000000")
        #expect(try await alice.run("/_stop") == ["type": "chatStopped"])
        #expect(try await alice.run("/_start main=on") == ["type": "chatStarted"])
        #expect(try await alice.events().allSatisfy { $0.event["type"] != "chatSuspended" })
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `Commands that set the folders for files create the folders, and refuse unusable paths`() async throws {
        let core = try await World().core("folders")
        let base = FileManager.default.temporaryDirectory.appending(path: "folders-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: base) }
        let paths =
            #"{"appFilesFolder":"\#(base)/a/files","appTempFolder":"\#(base)/a/temp","appAssetsFolder":"\#(base)/a/assets"}"#
        #expect(try await core.run("/set file paths \(paths)") == ["type": "cmdOk"])
        #expect(try await core.run("/_temp_folder \(base)/b") == ["type": "cmdOk"])
        #expect(try await core.run("/_files_folder \(base)/c") == ["type": "cmdOk"])
        for folder in ["a/files", "a/temp", "a/assets", "b", "c"] {
            #expect(FileManager.default.fileExists(atPath: base + "/" + folder))
        }
        #expect(core.controller.services.folders.paths.filesFolder == base + "/c")
        #expect(core.controller.services.folders.paths.temporaryFolder == base + "/b")
        #expect(try await core.run("/_files_folder here").errorType == "commandError")
        #expect(try await core.run("/_files_folder /proc/self/nothing/here").errorType == "exception")
        #expect(try await core.run("/_files_folder /dev/null").errorType == "exception")
        #expect(core.controller.services.folders.paths.filesFolder == base + "/c")
        #expect(core.controller.requestedFileEncryption == nil && core.controller.services.folders.paths.encryptsFiles)
        #expect(try await core.run("/_files_encrypt off") == ["type": "cmdOk"])
        #expect(core.controller.requestedFileEncryption == false)
        #expect(!core.controller.services.folders.paths.encryptsFiles)
        await core.controller.close()
    }
}
