import ChatAPI
import ChatProtocol
import ChatStore
import Foundation
import JSON
import SimpleXCrypto
import Testing

@testable import ChatCore

@Suite(.socketTimeLimit) struct NoteFilesTests {
    private func createNote(
        _ name: String,
        _ type: String = "file",
        text: String = "",
        crypto: CryptoFileArgs? = nil
    ) -> String {
        let arguments =
            crypto.map { #","cryptoArgs":{"fileKey":"\#($0.fileKey)","fileNonce":"\#($0.fileNonce)"}"# } ?? ""
        let image = type == "image" ? #","image":"data:image/png;base64,AA""# : ""
        return
            #"/_create *1 json [{"msgContent":{"type":"\#(type)","text":"\#(text)"\#(image)},"mentions":{},"fileSource":{"filePath":"\#(name)"\#(arguments)}}]"#
    }

    private func fileInAnswer(_ answer: JSONValue) -> JSONValue? { answer["chatItems"]?[0]?["chatItem"]?["file"] }

    @Test
    func `Each list of items shows the unencrypted size of a note's file, also if the file is encrypted`()
        async throws
    {
        let alice = try await World.makeAlice()
        let arguments = CryptoFileArguments()
        try alice.writeFile("secret", FileCipher.sealContents(sampleBytes(1000), arguments))
        let answer = try await alice.run(createNote("secret", crypto: arguments.apiArguments))
        let file = try #require(fileInAnswer(answer), "\(answer)")
        #expect(
            file["fileSize"] == 1000 && file["fileProtocol"] == "local" && file["fileStatus"]?["type"] == "sndStored"
                && file["fileName"] == "secret"
        )
        #expect(try alice.decryptedContent(of: file) == sampleBytes(1000))
        #expect(try await alice.run("/_get chat *1 count=1")["chat"]?["chatItems"]?[0]?["file"] == file)
        #expect(try await alice.run("/_get chats 1 pcc=off")["chats"]?[0]?["chatItems"]?[0]?["file"] == file)
        #expect(try await alice.run("/_get items count=1")["chatItems"]?[0]?["chatItem"]?["file"] == file)
        await alice.controller.close()
    }

    @Test
    func `A note is refused if its file is missing, empty, too large, a symbolic link or wrongly encrypted`()
        async throws
    {
        let alice = try await World.makeAlice()
        try alice.writeFile("empty", [])
        try alice.writeFile("short", [1, 2, 3])
        try alice.writeFile("large", [])
        #expect(truncate("\(alice.filesFolder)/large", off_t(FileLimits.maxFileBytes) + 1) == 0)
        try FileManager.default.createSymbolicLink(
            atPath: "\(alice.filesFolder)/link",
            withDestinationPath: "/etc/hostname"
        )
        for name in ["none", "link", ".", "../simplex_v1_chat.db"] {
            let isThere = name.hasSuffix(".db")
            #expect(
                try await alice.run(createNote(name))["errorType"]?["type"] == (isThere ? nil : "fileNotFound"),
                "\(name)"
            )
        }
        for name in ["empty", "large"] {
            #expect(try await alice.run(createNote(name))["errorType"]?["type"] == "fileSize", "\(name)")
        }
        #expect(
            try await alice.run(createNote("short", crypto: CryptoFileArguments().apiArguments))["errorType"]?["type"]
                == "fileSize"
        )
        // Only an administrator can use the folder of the database.
        let command = try ChatCommand(parsing: createNote("../simplex_v1_chat.db"))
        let result = await alice.controller.send(
            command,
            as: nil,
            with: CommandRights(scopes: [.read, .write], paths: .ownFolders)
        )
        guard case .error(.error(.commandError)) = result else { return #expect(Bool(false), "\(result)") }
        await alice.controller.close()
    }

    @Test
    func `A file is deleted from the disk when its last note is deleted or cleared, or its user is deleted`()
        async throws
    {
        let alice = try await World.makeAlice()
        for name in ["a", "b", "c", "d"] { try alice.writeFile(name, sampleBytes(10)) }
        var items: [Int64] = []
        for name in ["a", "a", "b", "c"] {
            items.append(
                try #require(
                    try await alice.run(createNote(name))["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?
                        .integerValue
                )
            )
        }
        func gone(_ command: String) async throws -> [String] {
            try await alice.run(command)
            try await alice.controller.findWorker(FileWorker.self).removeLeftoverFiles()
            return alice.fileNames
        }
        #expect(try await gone("/_delete item *1 \(items[0]) internal") == ["a", "b", "c", "d"])
        #expect(try await gone("/_delete item *1 \(items[1]) internal") == ["b", "c", "d"])
        #expect(try await gone("/_clear chat *1") == ["d"])
        try await alice.run(createNote("d"))
        try await alice.createUser("other")
        #expect(try await gone("/_delete user 1 del_smp=on") == [])
        await alice.controller.close()
    }

    @Test
    func `The sizes of files are summed for each chat, and the files of a chat can be deleted without its messages`()
        async throws
    {
        let alice = try await World.makeAlice()
        try await alice.run(#"/_group 1 incognito=off {"displayName":"team","fullName":""}"#)
        let names = ["a", "b", "c", "d"]
        for (index, name) in names.enumerated() {
            try alice.writeFile(name, sampleBytes(10 << index))
            try await alice.run(createNote(name))
        }
        // Two of the files are in a group: in the group itself, and in a support chat.
        try await alice.controller.store.write { tx in
            for (name, kind) in [("b", ChatKey.Kind.group), ("c", .support)] {
                try tx.db.execute(
                    "UPDATE chat_items SET chat_type = ?, chat_id = 1, support_group_id = ? WHERE chat_item_id = (SELECT chat_item_id FROM files WHERE file_name = ?)",
                    [kind.rawValue, kind == .support ? 1 : nil, name]
                )
            }
        }
        let files = alice.controller.chatFiles
        let (notes, group) = (ChatRef(chatType: .local, chatId: 1), ChatRef(chatType: .group, chatId: 1))
        let uses = try await files.readFileUseByChat(user: 1)
        #expect(
            Set(uses.map { "\($0.chat.chatType.rawValue) \($0.fileCount) \($0.bytes)" }) == [
                "local 2 90", "group 2 60",
            ]
        )
        for use in uses { #expect(try await files.readFileUse(of: use.chat, user: 1) == use) }
        #expect(try await files.deleteAllContents(of: group, user: 1) == 2)
        try await alice.controller.findWorker(FileWorker.self).removeLeftoverFiles()
        #expect(alice.fileNames == ["a", "d"])
        #expect(try await files.readFileUseByChat(user: 1) == uses.filter { $0.chat == notes })
        #expect(
            try await files.readFileUse(of: group, user: 1)
                == ChatFiles.ChatFileUse(chat: group, fileCount: 0, bytes: 0)
        )
        #expect(try await files.deleteAllContents(of: group, user: 1) == 0)
        #expect(try await alice.run("/_get chat #1 count=10")["chat"]?["chatItems"]?.arrayValue?.last?["file"] != nil)
        for (chat, user) in [(ChatRef(chatType: .local, chatId: 2), 1), (notes, 2)] as [(ChatRef, Int64)] {
            await #expect(throws: ChatFiles.Refusal.self) { try await files.readFileUse(of: chat, user: user) }
            await #expect(throws: ChatFiles.Refusal.self) { try await files.deleteAllContents(of: chat, user: user) }
        }
        await alice.controller.close()
    }

    @Test
    func `The deletion of files causes an event for each item with a deleted file`() async throws {
        let alice = try await World.makeAlice()
        for name in ["a", "b"] {
            try alice.writeFile(name, sampleBytes(10))
            try await alice.run(createNote(name))
        }
        #expect(try await alice.controller.chatFiles.deleteAllContents() == 2)
        let items = try await alice.wait(for: "chatItemUpdated", user: 1, count: 2).map { $0["chatItem"]?["chatItem"] }
        #expect(items.map { $0?["file"]?["fileName"] } == ["a", "b"])
        #expect(items.allSatisfy { $0?["file"]?["fileSource"] == nil })
        await alice.controller.close()
    }

    @Test
    func `A user can send neither a file of another user nor a file that another user is about to send`() async throws {
        let alice = try await World.makeAlice()
        for name in ["a", "b", "c"] { try alice.writeFile(name, sampleBytes(10)) }
        try await alice.run(createNote("a"))
        try await alice.controller.store.write { tx in try Uploads.add("b", user: 1, tx) }
        try await alice.createUser("bob")
        for name in ["a", "b"] {
            #expect(try await alice.run(createNote(name), as: 2)["errorType"]?["type"] == "fileNotFound")
        }
        #expect(fileInAnswer(try await alice.run(createNote("c"), as: 2)) != nil)
        #expect(fileInAnswer(try await alice.run(createNote("b"), as: 1)) != nil)
        await alice.controller.close()
    }

    @Test
    func `Forwarding copies each existing file, encrypted and with a name for its kind, and omits a missing file`()
        async throws
    {
        let alice = try await World.makeAlice()
        try alice.writeFile("picture.png", sampleBytes(3_000_000))
        try alice.writeFile("words.txt", sampleBytes(5))
        let picture = try #require(
            try await alice.run(createNote("picture.png", "image"))["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?
                .integerValue
        )
        let words = try #require(
            try await alice.run(createNote("words.txt", text: "read"))["chatItems"]?[0]?["chatItem"]?["meta"]?[
                "itemId"
            ]?
            .integerValue
        )
        let answer = try await alice.run("/_forward *1 *1 \(picture),\(words)")
        let copies = try #require(answer["chatItems"]?.arrayValue, "\(answer)").map { $0["chatItem"]?["file"] }
        let name = try #require(copies.first??["fileName"]?.stringValue)
        #expect(name.hasPrefix("IMG_20") && name.hasSuffix(".png") && name.count == 23)
        #expect(copies.last??["fileName"] == "words_1.txt")
        #expect(copies.first??["fileSource"]?["cryptoArgs"] != nil)
        #expect(try alice.decryptedContent(of: copies[0]) == sampleBytes(3_000_000))
        #expect(try alice.decryptedContent(of: copies[1]) == sampleBytes(5))
        #expect(alice.readStoredFile(name) != sampleBytes(3_000_000))
        // The file of a message in preparation is not removed.
        try await alice.controller.findWorker(FileWorker.self).removeLeftoverFiles()
        #expect(alice.fileNames.count == 4)

        try FileManager.default.removeItem(atPath: "\(alice.filesFolder)/words.txt")
        let plan = try await alice.run("/_forward plan *1 \(picture),\(words)")
        #expect(plan["forwardConfirmation"] == ["type": "filesMissing", "filesCount": 1], "\(plan)")
        #expect(plan["chatItemIds"]?.arrayValue?.count == 2)
        let bare = try await alice.run("/_forward *1 *1 \(words)")["chatItems"]?[0]?["chatItem"]
        #expect(bare?["file"] == nil && bare?["content"]?["msgContent"] == ["type": "text", "text": "read"])
        await alice.controller.close()
    }

    @Test
    func `Uploaded files that no message uses are deleted after a day`() async throws {
        let alice = try await World.makeAlice()
        for name in ["old", "new"] { try alice.writeFile(name, sampleBytes(10)) }
        try await alice.controller.store.write { tx in
            for name in ["old", "new"] { try Uploads.add(name, user: 1, tx) }
            try tx.db.execute("UPDATE uploads SET created_at = 0 WHERE file_path = 'old'")
        }
        try await alice.controller.findWorker(FileWorker.self).removeLeftoverFiles()
        #expect(alice.fileNames == ["new"])
        await alice.controller.close()
    }
}
