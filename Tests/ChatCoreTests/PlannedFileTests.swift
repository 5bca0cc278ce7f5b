import ChatAPI
import JSON
import TestSupport
import Testing
import XFTPTestSupport

@testable import ChatCore
@testable import ChatStore

extension PlannedWorld {
    /// Uploads a file for a message of alice.
    func uploadFile(
        _ name: String,
        _ contents: [UInt8],
        encrypts: Bool = true,
        user: Int64 = 1
    ) async throws -> CryptoFile {
        let files = controller.chatFiles
        let upload = try await files.beginUpload(
            user: user,
            name: name,
            encrypts: encrypts,
            length: Int64(contents.count),
            isResumable: false
        )
        try upload.write(contents)
        return try await files.finishUpload(upload, digest: nil).source
    }

    static func makeFileMessage(_ text: String, _ file: CryptoFile) -> ComposedMessage {
        ComposedMessage(fileSource: file, msgContent: .file(text: text), mentions: [:])
    }

    /// Schedules files to the first contact, each in a message of its own.
    func scheduleFiles(
        _ files: [CryptoFile],
        in seconds: Int64? = 100,
        by other: PlannedCaller? = nil
    ) async throws -> PlannedMessage {
        let request = PlannedRequest(
            .scheduled,
            to: .chats([ChatRef(chatType: .direct, chatId: 1)]),
            PlannedContent(messages: files.map { Self.makeFileMessage("file", $0) }),
            at: seconds.map { now.adding(seconds: $0) }
        )
        return try await controller.planMessages(request, by: other ?? caller) { _ in nil }
    }

    /// The names of the uploads that planned messages hold, or that no message has.
    func uploadNames(held: Bool) async throws -> [String] {
        try await controller.store.read { db in
            try db.query("SELECT file_path FROM uploads WHERE (planned_id IS NOT NULL) = ? ORDER BY file_path", held)
                .map { try $0.string("file_path") }
        }
    }

    /// Removes the files that nothing needs.
    func removeUnusedFiles() async throws { try await controller.findWorker(FileWorker.self).removeLeftoverFiles() }

    /// Makes all uploads older than their lifetime.
    func makeUploadsExpired() async throws {
        try await controller.store.write { try $0.db.execute("UPDATE uploads SET created_at = 0") }
    }

    /// Runs `body` while a statement of the database fails, and opens the core again, as after a crash at that moment.
    func failStatement(_ place: String, _ body: () async throws -> Void) async throws {
        let database = controller.store.database
        try await database.write { try $0.execute("CREATE TRIGGER cut \(place) BEGIN SELECT RAISE(ABORT, 'cut'); END") }
        try await body()
        try await database.write { try $0.execute("DROP TRIGGER cut") }
        try await restart()
    }
}

@Suite("Files of messages that are sent later", .socketTimeLimit)
struct PlannedFileTests {
    private func refusalReason(_ body: () async throws -> some Any) async -> String {
        do {
            _ = try await body()
            return "accepted"
        } catch let refused as PlannedRefusal {
            switch refused.error {
            case .error(.accessDenied): return "accessDenied"
            case .error(.quotaExceeded(let resource, _, _)): return resource
            default: return (try? JSONEncoder().encodeValue(refused.error))?["errorType"]?["type"]?.stringValue ?? ""
            }
        } catch {
            return "\(error)"
        }
    }

    @Test
    func `The file of a scheduled message is kept longer than other uploads, and arrives unchanged`() async throws {
        let server = try await FileServer()
        try await PlannedWorld.withWorld(files: server) { world in
            let contents = sampleBytes(300_000)
            let file = try await world.uploadFile("data.bin", contents)
            let other = try await world.uploadFile("other.bin", sampleBytes(10))
            let made = try await world.scheduleFiles([file])
            try await world.makeUploadsExpired()
            try await world.removeUnusedFiles()
            #expect(world.alice.fileNames == [file.filePath])
            #expect(world.alice.readStoredFile(other.filePath) == nil)
            try await world.restart(after: 100)
            try await world.sendDueMessages()
            try await waitForText("file", world.bob)
            #expect(try await world.findScheduled(made.id)?.receiver?.state == .sent)
            #expect(try await world.uploadNames(held: true) + world.uploadNames(held: false) == [])
            try await world.bob.run("/freceive 1 approved_relays=off")
            let complete = try await world.bob.waitForFile("rcvFileComplete")
            #expect(try world.bob.decryptedContent(of: world.bob.fileInAnswer(complete)) == contents)
            try await world.removeUnusedFiles()
            #expect(world.alice.fileNames == [file.filePath])
        }
    }

    @Test
    func `Each chat of a broadcast gets its own copy of the file, also after an earlier message is deleted`()
        async throws
    {
        try await PlannedWorld.withWorld { world in
            try await world.bob.createUser("bob2")
            try await connectUsers(world.alice, 1, to: world.bob, 2)
            let file = try await world.uploadFile("data.bin", sampleBytes(1_000))
            let request = PlannedRequest(
                .broadcast,
                to: .allContacts,
                PlannedContent(messages: [PlannedWorld.makeFileMessage("file", file)]),
                rate: 1
            )
            let made = try await world.controller.planMessages(request, by: world.caller) { _ in nil }
            try await world.sendDueMessages()
            #expect(try await world.uploadNames(held: true) == [file.filePath])
            let first = try #require(
                try await world.controller.listBroadcastReceivers(
                    of: made.id,
                    .sent,
                    for: world.caller,
                    PlannedListPart(limit: 9)
                )
            )
            let item = try #require(first.first?.itemIds.first)
            try await world.alice.run("/_delete item @\(first[0].chat.chatId) \(item) internal")
            try await world.removeUnusedFiles()
            #expect(world.alice.fileNames == [file.filePath])
            world.advanceClock(by: 1)
            try await world.sendDueMessages()
            let done = try await world.controller.findPlannedMessage(made.id, .broadcast, for: world.caller)
            #expect(done?.receiverCounts == [.sent: 2])
            #expect(try await world.uploadNames(held: true) + world.uploadNames(held: false) == [])
            try await world.removeUnusedFiles()
            #expect(world.alice.fileNames == [file.filePath])
        }
    }

    @Test
    func `A scheduled message with an upload that is missing, in use or of another user is refused without any change`()
        async throws
    {
        try await PlannedWorld.withWorld { world in
            let (one, two) = (
                try await world.uploadFile("one", sampleBytes(10)), try await world.uploadFile("two", sampleBytes(10))
            )
            try await world.alice.createUser("other")
            let foreign = try await world.uploadFile("foreign", sampleBytes(10), user: 2)
            let plain = try await world.uploadFile("plain", sampleBytes(10), encrypts: false)
            let first = try await world.scheduleFiles([one])
            let gone = CryptoFile(filePath: "gone")
            let path = CryptoFile(filePath: "\(world.alice.filesFolder)/two", cryptoArgs: two.cryptoArgs)
            for file in [gone, foreign, one, path] {
                #expect(
                    await refusalReason { try await world.scheduleFiles([two, file]) } == "fileNotFound",
                    "\(file.filePath)"
                )
            }
            #expect(await refusalReason { try await world.scheduleFiles([two, two]) } == "commandError")
            let bound = PlannedCaller(
                userId: 1,
                keyId: "bound",
                rights: CommandRights(scopes: [.write], chats: [.contact(1)], paths: .ownFolders)
            )
            let guessed = CryptoFile(filePath: two.filePath, cryptoArgs: one.cryptoArgs)
            for file in [guessed, plain] {
                #expect(await refusalReason { try await world.scheduleFiles([file], by: bound) } == "accessDenied")
            }
            #expect(try await world.uploadNames(held: true) == [one.filePath])
            #expect(try await world.storedTexts().count == 1)
            _ = try await world.scheduleFiles([two], by: bound)
            #expect(try await world.findScheduled(first.id) == first)
        }
    }

    @Test
    func `Messages with files above the limit of the key or store are refused until a scheduled message is cancelled`()
        async throws
    {
        try await PlannedWorld.withWorld { world in
            let first = try await world.scheduleFiles([world.uploadFile("one", sampleBytes(10))])
            let next = try await world.uploadFile("two", sampleBytes(10))
            let limited = PlannedCaller(
                userId: 1,
                keyId: world.caller.keyId,
                rights: CommandRights(scopes: [.read, .write], paths: .ownFolders)
            )
            func size(_ bytes: Int64) async throws {
                try await world.controller.store.write { tx in
                    try tx.db.execute("UPDATE uploads SET planned_size = ? WHERE planned_id IS NOT NULL", [bytes])
                }
            }
            try await size(limited.fileLimits.keyLimits.bytes)
            #expect(await refusalReason { try await world.scheduleFiles([next], by: limited) } == "plannedFileBytes")
            try await size(limited.fileLimits.storeLimits.bytes)
            #expect(await refusalReason { try await world.scheduleFiles([next]) } == "plannedFileBytes")
            #expect(try await world.uploadNames(held: false) == [next.filePath])
            _ = try await world.controller.cancelPlannedMessages(first.id, .scheduled, by: world.caller, deletes: true)
            _ = try await world.scheduleFiles([next], by: limited)
        }
    }

    @Test
    func `A scheduled message is refused without effect if the key or store already has its maximum number of files`()
        async throws
    {
        let standard = PlannedFileLimits()
        #expect(standard.storeLimits == (1_000, 10 << 30))
        #expect(standard.keyLimits == (250, 2 << 30))
        try await PlannedWorld.withWorld { world in
            var limited = PlannedCaller(
                userId: 1,
                keyId: "limited",
                rights: CommandRights(scopes: [.read, .write], paths: .ownFolders)
            )
            limited.fileLimits = PlannedFileLimits(storeLimits: (4, 1_000), keyLimits: (2, 100))
            var admin = world.caller
            admin.fileLimits = limited.fileLimits
            var files: [CryptoFile] = []
            for number in 0..<6 { files.append(try await world.uploadFile("\(number)", sampleBytes(10))) }
            #expect(
                await refusalReason { try await world.scheduleFiles(Array(files[0..<3]), by: limited) }
                    == "plannedFiles"
            )
            #expect(try await world.uploadNames(held: true) == [])
            #expect(try await world.storedTexts() == [])
            let first = try await world.scheduleFiles(Array(files[0..<2]), by: limited)
            #expect(await refusalReason { try await world.scheduleFiles([files[2]], by: limited) } == "plannedFiles")
            // The share of a key does not limit administrators, but the limit of the store does.
            #expect(
                await refusalReason { try await world.scheduleFiles(Array(files[2..<5]), by: admin) } == "plannedFiles"
            )
            _ = try await world.scheduleFiles(Array(files[2..<4]), by: admin)
            #expect(await refusalReason { try await world.scheduleFiles([files[4]], by: admin) } == "plannedFiles")
            #expect(try await world.uploadNames(held: false) == [files[4], files[5]].map(\.filePath))
            // The limits count the new file of a changed message, but not the file that it replaces.
            let changed = try await world.controller.changePlannedMessage(first.id, by: limited) { _ in
                true
            } _: { [file = files[4]] content, _ in
                content.messages[1] = PlannedWorld.makeFileMessage("file", file)
            }
            guard case .found = changed else { return #expect(Bool(false), "\(changed)") }
            _ = try await world.controller.cancelPlannedMessages(first.id, .scheduled, by: limited, deletes: true)
            _ = try await world.scheduleFiles([files[5]], by: limited)
        }
    }

    @Test
    func `A broadcast with a file waits while the store has no room, and then each chat gets the file once`()
        async throws
    {
        try await PlannedWorld.withWorld { world in
            try await world.bob.createUser("bob2")
            try await connectUsers(world.alice, 1, to: world.bob, 2)
            let file = try await world.uploadFile("data.bin", sampleBytes(1_000), encrypts: false)
            let request = PlannedRequest(
                .broadcast,
                to: .allContacts,
                PlannedContent(messages: [PlannedWorld.makeFileMessage("file", file)]),
                rate: 100
            )
            let quota = world.controller.store.quota
            // The upload fits into the limit of the store. The copy for the first of the two chats does not.
            quota.setLimits(StoreLimits([.fileBytes: 1_500]))
            let made = try await world.controller.planMessages(request, by: world.caller) { _ in nil }
            try await world.sendDueMessages()
            let waiting = try await world.controller.findPlannedMessage(made.id, .broadcast, for: world.caller)
            #expect(waiting?.receiverCounts == [.waiting: 2])
            #expect(try await world.uploadNames(held: true) == [file.filePath])
            world.advanceClock(by: 61)
            try await world.sendDueMessages()
            #expect(try await world.receivedTexts() == [])
            quota.setLimits(StoreLimits([.fileBytes: 2_000]))
            world.advanceClock(by: 61)
            try await world.sendDueMessages()
            world.advanceClock(by: 1)
            try await world.sendDueMessages()
            let done = try await world.controller.findPlannedMessage(made.id, .broadcast, for: world.caller)
            #expect(done?.receiverCounts == [.sent: 2])
            #expect(try await world.uploadNames(held: true) + world.uploadNames(held: false) == [])
            try await waitUntil("both chats have the message") { try await world.receivedTexts() == ["file", "file"] }
        }
    }

    @Test
    func `The file of a scheduled message is deleted if the message is cancelled or refused, or the store is a copy`()
        async throws
    {
        try await PlannedWorld.withWorld { world in
            let deleted = try await world.scheduleFiles([world.uploadFile("deleted", sampleBytes(10))])
            _ = try await world.controller.cancelPlannedMessages(
                deleted.id,
                .scheduled,
                by: world.caller,
                deletes: true
            )
            try await world.removeUnusedFiles()
            #expect(world.alice.fileNames == [])
            let cancelled = try await world.scheduleFiles([world.uploadFile("cancelled", sampleBytes(10))])
            _ = try await world.controller.cancelPlannedMessages(cancelled.id, .scheduled, by: world.caller)
            try await world.removeUnusedFiles()
            #expect(world.alice.fileNames == [])
            let refused = try await world.scheduleFiles([world.uploadFile("refused", sampleBytes(10))], in: 10)
            world.controller.setPlannedRightsLookup { _ in .ended }
            world.advanceClock(by: 10)
            try await world.sendDueMessages()
            #expect(try await world.findScheduled(refused.id)?.receiver?.state == .failed)
            try await world.removeUnusedFiles()
            #expect(world.alice.fileNames == [])
            _ = try await world.scheduleFiles([world.uploadFile("copied", sampleBytes(10))])
            try await world.controller.store.write { try ChatStore.makeIndependentCopy($0.db) }
            try await world.removeUnusedFiles()
            #expect(world.alice.fileNames == [])
            _ = try await world.scheduleFiles([world.uploadFile("last", sampleBytes(10))])
            try await world.alice.run("/_delete @1 full notify=off")
            try await world.removeUnusedFiles()
            #expect(world.alice.fileNames == [])
        }
    }

    @Test
    func `A changed scheduled message keeps the files that it still contains, and the file that it drops is deleted`()
        async throws
    {
        try await PlannedWorld.withWorld { world in
            let (old, kept) = (
                try await world.uploadFile("old", sampleBytes(10)), try await world.uploadFile("kept", sampleBytes(10))
            )
            let new = try await world.uploadFile("new", sampleBytes(10))
            let made = try await world.scheduleFiles([old, kept])
            _ = try await world.controller.changePlannedMessage(made.id, by: world.caller) { _ in
                true
            } _: { content, _ in
                content.messages = [
                    PlannedWorld.makeFileMessage("file", kept), PlannedWorld.makeFileMessage("file", new),
                ]
            }
            #expect(try await world.uploadNames(held: true) == [kept.filePath, new.filePath])
            try await world.removeUnusedFiles()
            #expect(world.alice.fileNames == [kept.filePath, new.filePath])
        }
    }

    @Test(arguments: ["BEFORE INSERT ON planned_receivers", "BEFORE UPDATE OF planned_id ON uploads"])
    func `If storing a scheduled message with an upload fails, a repeated request can use the same upload`(
        place: String
    ) async throws {
        try await PlannedWorld.withWorld { world in
            let file = try await world.uploadFile("data.bin", sampleBytes(10))
            try await world.failStatement(place) {
                let refused = await refusalReason { try await world.scheduleFiles([file]) }
                #expect(refused != "accepted")
            }
            #expect(try await world.uploadNames(held: false) == [file.filePath])
            #expect(try await world.storedTexts() == [])
            _ = try await world.scheduleFiles([file])
            #expect(try await world.uploadNames(held: true) == [file.filePath])
        }
    }

    @Test(arguments: [
        "BEFORE INSERT ON files", "BEFORE DELETE ON uploads",
        "BEFORE UPDATE ON planned_receivers WHEN NEW.state = 'sent'",
        "BEFORE UPDATE OF content ON planned_messages WHEN NEW.content IS NULL",
    ])
    func `After a crash while a scheduled file is being sent, the file is kept and sent once`(
        place: String
    ) async throws {
        try await PlannedWorld.withWorld { world in
            let file = try await world.uploadFile("data.bin", sampleBytes(10))
            let made = try await world.scheduleFiles([file], in: 10)
            try await world.failStatement(place) {
                world.advanceClock(by: 10)
                try? await world.sendDueMessages()
                let held = try await world.uploadNames(held: true)
                #expect(held == [file.filePath])
            }
            try await world.makeUploadsExpired()
            world.advanceClock(by: 100)
            try await world.sendDueMessages()
            #expect(try await world.findScheduled(made.id)?.receiver?.itemIds.count == 1)
            let files = try await world.controller.store.read { db in
                try db.query("SELECT file_path FROM files").map { try $0.stringOrNil("file_path") }
            }
            #expect(files == [file.filePath])
            try await world.removeUnusedFiles()
            #expect(world.alice.fileNames == [file.filePath])
            #expect(try await world.uploadNames(held: true) + world.uploadNames(held: false) == [])
        }
    }

    @Test
    func `After a crash while a scheduled message is being cancelled, the next cancellation deletes message and file`()
        async throws
    {
        try await PlannedWorld.withWorld { world in
            let file = try await world.uploadFile("data.bin", sampleBytes(10))
            let made = try await world.scheduleFiles([file])
            try await world.failStatement("BEFORE INSERT ON retired_files") {
                _ = try? await world.controller.cancelPlannedMessages(
                    made.id,
                    .scheduled,
                    by: world.caller,
                    deletes: true
                )
            }
            #expect(try await world.uploadNames(held: true) == [file.filePath])
            #expect(world.alice.fileNames == [file.filePath])
            _ = try await world.controller.cancelPlannedMessages(made.id, .scheduled, by: world.caller, deletes: true)
            try await world.removeUnusedFiles()
            #expect(world.alice.fileNames == [])
        }
    }
}
