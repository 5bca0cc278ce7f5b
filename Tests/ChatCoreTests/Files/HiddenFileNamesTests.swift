import ChatAPI
import ChatText
import JSON
import Testing

@testable import ChatCore

/// Names on the disk of received and forwarded files in a store whose clients see only parts of it.
@Suite(.socketTimeLimit) struct HiddenFileNamesTests {
    private func makeCore(_ name: String, in world: FileWorld) async throws -> Core {
        let core = try await world.world.core(name, servers: [world.world.relay.address, world.server.server]) {
            $0.hidesFileNames = true
        }
        try await core.createUser(name)
        return core
    }

    private func diskName(_ file: JSONValue?) throws -> String {
        try #require(file?["fileSource"]?["filePath"]?.stringValue, "\(String(describing: file))")
    }

    @Test
    func `A received file gets a random part in its name on the disk, even if no other file has the original name`()
        async throws
    {
        let world = try await FileWorld()
        let (alice, bob) = (try await world.makeCore("alice"), try await makeCore("bob", in: world))
        try await connectUsers(alice, 1, to: bob, 1)
        for name in ["a.txt", "free.txt"] { try alice.writeFile(name, sampleBytes(1000)) }
        try bob.writeFile("a.txt", [1])
        for name in ["a.txt", "free.txt"] { try await alice.sendFile(name, text: name) }
        try await waitForText("free.txt", bob)
        for (id, name) in [(1, "a.txt"), (2, "free.txt")] as [(Int64, String)] {
            try await bob.waitForFile("rcvFileDescrReady", id)
            let file = bob.fileInAnswer(try await bob.run("/freceive \(id) encrypt=off"))
            let path = try diskName(file)
            #expect(FileName.isRandomized(path, of: name), "\(path)")
            #expect(file?["fileName"] == .string(name))
            try await bob.waitForFile("rcvFileComplete", id)
            #expect(bob.readStoredFile(path) == sampleBytes(1000))
        }
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `The copy of a forwarded file has a random part in its name on the disk, and recipients see no random part`()
        async throws
    {
        let world = try await FileWorld()
        let alice = try await makeCore("alice", in: world)
        try alice.writeFile("words.txt", sampleBytes(5))
        let note =
            #"/_create *1 json [{"msgContent":{"type":"file","text":""},"mentions":{},"fileSource":{"filePath":"words.txt"}}]"#
        let item = try #require(try await alice.run(note).firstItemId)
        let answer = try await alice.run("/_forward *1 *1 \(item)")
        let copy = alice.fileInAnswer(answer)
        let path = try diskName(copy)
        #expect(copy?["fileName"] == "words.txt")
        #expect(FileName.isRandomized(path, of: "words.txt"), "\(path)")
        #expect(try alice.decryptedContent(of: copy) == sampleBytes(5))
        // The copy of the copy begins with the name that recipients see.
        let copied = try #require(answer.firstItemId)
        let again = alice.fileInAnswer(try await alice.run("/_forward *1 *1 \(copied)"))
        #expect(again?["fileName"] == "words.txt")
        #expect(FileName.isRandomized(try diskName(again), of: "words.txt"))
        await alice.controller.close()
    }

    @Test
    func `If a user sends a received file again, the recipient sees the file name without the random part`()
        async throws
    {
        let world = try await FileWorld()
        let (alice, bob) = (try await world.makeCore("alice"), try await makeCore("bob", in: world))
        try await connectUsers(alice, 1, to: bob, 1)
        try alice.writeFile("a.txt", sampleBytes(1000))
        try await alice.sendFile("a.txt", text: "one")
        try await waitForText("one", bob)
        try await bob.waitForFile("rcvFileDescrReady")
        let path = try diskName(bob.fileInAnswer(try await bob.run("/freceive 1 encrypt=off")))
        try await bob.waitForFile("rcvFileComplete")
        #expect(bob.fileInAnswer(try await bob.sendFile(path, text: "back"))?["fileName"] == "a.txt")
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A file name from a client with a key of one profile gets a random part, also if the name is already used`()
        async throws
    {
        let world = try await FileWorld()
        let (alice, bob) = try await world.makeConnectedCores()
        try alice.writeFile("a.txt", sampleBytes(1000))
        try bob.writeFile("used.txt", [1])
        for text in ["one", "two"] { try await alice.sendFile("a.txt", text: text) }
        try await waitForText("two", bob)
        for id in [1, 2] as [Int64] { try await bob.waitForFile("rcvFileDescrReady", id) }
        let rights = CommandRights(scopes: [.read, .write], userId: 1, paths: .ownFolders)
        for (id, name) in [(1, "used.txt"), (2, "free.txt")] as [(Int64, String)] {
            let command = try ChatCommand(parsing: "/freceive \(id) encrypt=off \(name)")
            guard case .result(let answer) = await bob.controller.send(command, as: 1, with: rights) else {
                Issue.record("\(name) was refused")
                continue
            }
            let path = try diskName(bob.fileInAnswer(try JSONEncoder().encodeValue(answer)))
            #expect(FileName.isRandomized(path, of: name), "\(path)")
        }
        for core in [alice, bob] { await core.controller.close() }
    }
}
