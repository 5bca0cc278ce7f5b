import ChatAPI
import JSON
import Testing

@testable import ChatCore

/// Uploads of API keys that see only a part of the store.
@Suite("Uploads of keys for some chats", .socketTimeLimit) struct BoundUploadTests {
    private let keyRights = CommandRights(
        scopes: [.read, .write],
        userId: 1,
        chats: [.notes(1), .contact(1)],
        paths: .ownFolders
    )

    private func uploadFile(
        _ core: Core,
        _ name: String,
        _ contents: [UInt8] = sampleBytes(100),
        encrypts: Bool = true
    ) async throws -> CryptoFile {
        let files = core.controller.chatFiles
        let upload = try await files.beginUpload(
            user: 1,
            name: name,
            encrypts: encrypts,
            length: nil,
            isResumable: false
        )
        try upload.write(contents)
        return try await files.finishUpload(upload, digest: nil, hidesNames: true).source
    }

    /// Sends each file in a message of its own, and returns the answer or the error.
    private func sendFiles(
        _ files: [CryptoFile],
        _ core: Core,
        toNotes: Bool = true,
        with rights: CommandRights? = nil
    ) async throws -> JSONValue {
        let messages = files.map { ComposedMessage(fileSource: $0, msgContent: .file(text: "file"), mentions: [:]) }
        let command: MessageCommand =
            toNotes
            ? .createChatItems(noteFolderId: 1, composedMessages: messages)
            : .sendMessages(
                chat: ChatRef(chatType: .direct, chatId: 1),
                sendAsGroup: false,
                live: false,
                ttl: nil,
                sign: false,
                composedMessages: messages
            )
        switch await core.controller.send(.messages(command), as: 1, with: rights ?? self.keyRights) {
        case .result(let answer): return try JSONEncoder().encodeValue(answer)
        case .error(let error): return try JSONEncoder().encodeValue(error)
        }
    }

    private func uploadPaths(_ core: Core) async throws -> [String] {
        try await core.controller.store.read { db in
            try db.query("SELECT file_path FROM uploads ORDER BY file_path").map { try $0.string("file_path") }
        }
    }

    private func countNotes(_ core: Core) async throws -> Int {
        try await core.run("/_get chat *1 count=100")["chat"]?["chatItems"]?.arrayValue?.count ?? 0
    }

    @Test
    func `If a key limited to some chats uses one upload in two messages of a request, the whole request is refused`()
        async throws
    {
        let alice = try await World.makeAlice()
        let (file, other) = (try await uploadFile(alice, "a"), try await uploadFile(alice, "b"))
        let refused = try await sendFiles([file, other, file], alice)
        #expect(refused.text.contains("each in one message"), "\(refused)")
        #expect(try await countNotes(alice) == 0)
        #expect(try await uploadPaths(alice) == [file.filePath, other.filePath].sorted())
        let sent = try await sendFiles([file, other], alice)
        #expect(sent["chatItems"]?.arrayValue?.count == 2, "\(sent)")
        #expect(try await sendFiles([file], alice).text.contains("each in one message"))
        #expect(try await countNotes(alice) == 2)
        await alice.controller.close()
    }

    @Test
    func `A key that is limited to some chats can send an upload only once, also in parallel requests`() async throws {
        let alice = try await World.makeAlice()
        for round in 0..<10 {
            let file = try await uploadFile(alice, "\(round)")
            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<4 { group.addTask { try await sendFiles([file], alice) } }
                return try await group.reduce(into: [JSONValue]()) { $0.append($1) }
            }
            #expect(answers.count { $0["type"] == "newChatItems" } == 1, "\(answers)")
            #expect(answers.count { $0.text.contains("each in one message") } == 3, "\(answers)")
        }
        #expect(try await countNotes(alice) == 10)
        await alice.controller.close()
    }

    @Test
    func `If another message uses an upload after the first check of a command, the command's transaction is refused`()
        async throws
    {
        let alice = try await World.makeAlice()
        let file = try await uploadFile(alice, "a")
        let paths = alice.controller.services.folders.paths
        try await alice.controller.store.write { tx in
            let user = try #require(try UserRecord.find(1, in: tx.db))
            let folder = try NoteFolderRecord.get(1, user: user, in: tx.db)
            let message = ComposedMessage(fileSource: file, msgContent: .file(text: "file"), mentions: [:])
            func send(mustBeUnused: Bool) throws {
                let item = try OutgoingItem(message, paths, mustBeUnused: mustBeUnused)
                _ = try RunningCommand.sendItems([item], in: folder, live: false, ttl: nil, user, tx)
            }
            try send(mustBeUnused: true)
            #expect(throws: ChatFailure.self) { try send(mustBeUnused: true) }
            // A key that is not limited to some chats can send the same file again.
            try send(mustBeUnused: false)
        }
        #expect(try await countNotes(alice) == 2)
        await alice.controller.close()
    }

    @Test
    func `An upload by a key limited to some chats gets an unguessable path, and recipients see the original name`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        try alice.writeFile("plan.txt", [1])
        let file = try await uploadFile(alice, "plan.txt")
        let other = try await uploadFile(alice, "free.txt")
        for (path, stem) in [(file.filePath, "plan_"), (other.filePath, "free_")] {
            #expect(path.hasPrefix(stem) && path.hasSuffix(".txt") && path.utf8.count == 21, "\(path)")
        }
        let sent = try await sendFiles([file], alice, toNotes: false)
        let item = sent["chatItems"]?[0]?["chatItem"]
        #expect(item?["file"]?["fileName"] == "plan.txt", "\(sent)")
        #expect(item?["file"]?["fileSource"]?["filePath"]?.stringValue == file.filePath)
        try await waitForText("file", bob)
        func received() async throws -> JSONValue? {
            try await bob.run("/_get chat @1 count=1")["chat"]?["chatItems"]?[0]?["file"]?["fileName"]
        }
        #expect(try await received() == "plan.txt")
        // A key that is not limited to some chats can send the file again.
        let again = try await sendFiles([file], alice, toNotes: false, with: .all)
        #expect(again["chatItems"]?[0]?["chatItem"]?["file"]?["fileName"] == "plan.txt", "\(again)")
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `The recipient of a scheduled message sees the original name of the uploaded file`() async throws {
        try await PlannedWorld.withWorld { world in
            let file = try await uploadFile(world.alice, "plan.txt")
            _ = try await world.scheduleFiles([file], in: 10)
            world.advanceClock(by: 10)
            try await world.sendDueMessages()
            try await waitForText("file", world.bob)
            let chat = try await world.bob.run("/_get chat @1 count=1")["chat"]
            #expect(chat?["chatItems"]?[0]?["file"]?["fileName"] == "plan.txt", "\(String(describing: chat))")
        }
    }

    @Test
    func `Only the key that began a resumable upload, or a key of the whole profile, can continue the upload`()
        async throws
    {
        let alice = try await World.makeAlice()
        let files = alice.controller.chatFiles
        let begun = try await files.beginUpload(
            user: 1,
            key: "one",
            name: "a",
            encrypts: true,
            length: nil,
            isResumable: true
        )
        try begun.write([1, 2, 3])
        try await files.pauseUpload(begun)
        await #expect(throws: ChatFiles.Refusal.self) { try await files.resumeUpload(begun.id, user: 1, key: "two") }
        for key in ["one", nil] {
            let upload = try await files.resumeUpload(begun.id, user: 1, key: key)
            #expect(upload.offset == 3)
            try await files.pauseUpload(upload)
        }
        await alice.controller.close()
    }
}
