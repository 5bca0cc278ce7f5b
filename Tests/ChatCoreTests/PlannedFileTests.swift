import ChatAPI
import JSON
import TestSupport
import Testing
import XFTPTestSupport

@testable import ChatCore
@testable import ChatStore

extension PlannedWorld {
    /// Uploads a file for a message of alice.
    func upload(_ name: String, _ contents: [UInt8], encrypts: Bool = true, user: Int64 = 1) async throws -> CryptoFile
    {
        let files = controller.chatFiles
        let upload = try await files.beginUpload(
            user: user,
            name: name,
            encrypts: encrypts,
            length: Int64(contents.count),
            isResumable: false
        )
        try upload.write(contents)
        return try await files.finish(upload, digest: nil).source
    }

    static func message(_ text: String, _ file: CryptoFile) -> ComposedMessage {
        ComposedMessage(fileSource: file, msgContent: .file(text: text), mentions: [:])
    }

    /// Schedules files to the first contact, each in a message of its own.
    func schedule(
        _ files: [CryptoFile],
        in seconds: Int64? = 100,
        by other: PlannedCaller? = nil
    ) async throws -> PlannedMessage {
        let request = PlannedRequest(
            .scheduled,
            to: .chats([ChatRef(chatType: .direct, chatId: 1)]),
            PlannedContent(messages: files.map { Self.message("file", $0) }),
            at: seconds.map { now.adding(seconds: $0) }
        )
        return try await controller.planMessages(request, by: other ?? caller) { _ in nil }
    }

    /// The names of the uploads that planned messages hold, or that no message has.
    func uploads(held: Bool) async throws -> [String] {
        try await controller.store.read { db in
            try db.query("SELECT file_path FROM uploads WHERE (planned_id IS NOT NULL) = ? ORDER BY file_path", held)
                .map { try $0.string("file_path") }
        }
    }

    /// Removes the files that nothing needs.
    func clear() async throws { try await controller.worker(FileWorker.self).removeRemains() }

    /// Makes all uploads older than their lifetime.
    func age() async throws {
        try await controller.store.write { try $0.db.execute("UPDATE uploads SET created_at = 0") }
    }

    /// Runs `body` while a statement of the database fails, and opens the core again, as after a crash at that moment.
    func cut(_ place: String, _ body: () async throws -> Void) async throws {
        let database = controller.store.database
        try await database.write { try $0.execute("CREATE TRIGGER cut \(place) BEGIN SELECT RAISE(ABORT, 'cut'); END") }
        try await body()
        try await database.write { try $0.execute("DROP TRIGGER cut") }
        try await restart()
    }
}

@Suite("Files of messages that are sent later", .socketTimeLimit)
struct PlannedFileTests {
    private func refusal(_ body: () async throws -> some Any) async -> String {
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
        try await PlannedWorld.run(files: server) { world in
            let contents = sample(300_000)
            let file = try await world.upload("data.bin", contents)
            let other = try await world.upload("other.bin", sample(10))
            let made = try await world.schedule([file])
            try await world.age()
            try await world.clear()
            #expect(world.alice.fileNames == [file.filePath])
            #expect(world.alice.stored(other.filePath) == nil)
            try await world.restart(after: 100)
            try await world.settle()
            try await waitForText("file", world.bob)
            #expect(try await world.scheduled(made.id)?.receiver?.state == .sent)
            #expect(try await world.uploads(held: true) + world.uploads(held: false) == [])
            try await world.bob.run("/freceive 1 approved_relays=off")
            let complete = try await world.bob.waitForFile("rcvFileComplete")
            #expect(try world.bob.content(of: world.bob.fileOf(complete)) == contents)
            try await world.clear()
            #expect(world.alice.fileNames == [file.filePath])
        }
    }

    @Test
    func `Each chat of a broadcast gets its own copy of the file, also after an earlier message is deleted`()
        async throws
    {
        try await PlannedWorld.run { world in
            try await world.bob.createUser("bob2")
            try await connect(world.alice, 1, to: world.bob, 2)
            let file = try await world.upload("data.bin", sample(1_000))
            let request = PlannedRequest(
                .broadcast,
                to: .allContacts,
                PlannedContent(messages: [PlannedWorld.message("file", file)]),
                rate: 1
            )
            let made = try await world.controller.planMessages(request, by: world.caller) { _ in nil }
            try await world.settle()
            #expect(try await world.uploads(held: true) == [file.filePath])
            let first = try #require(
                try await world.controller.listPlannedReceivers(
                    of: made.id,
                    .sent,
                    for: world.caller,
                    PlannedPart(limit: 9)
                )
            )
            let item = try #require(first.first?.itemIds.first)
            try await world.alice.run("/_delete item @\(first[0].chat.chatId) \(item) internal")
            try await world.clear()
            #expect(world.alice.fileNames == [file.filePath])
            world.advance(by: 1)
            try await world.settle()
            let done = try await world.controller.findPlannedMessage(made.id, .broadcast, for: world.caller)
            #expect(done?.receiverCounts == [.sent: 2])
            #expect(try await world.uploads(held: true) + world.uploads(held: false) == [])
            try await world.clear()
            #expect(world.alice.fileNames == [file.filePath])
        }
    }

    @Test
    func `A scheduled message with an upload that is missing, in use or of another user is refused without any change`()
        async throws
    {
        try await PlannedWorld.run { world in
            let (one, two) = (try await world.upload("one", sample(10)), try await world.upload("two", sample(10)))
            try await world.alice.createUser("other")
            let foreign = try await world.upload("foreign", sample(10), user: 2)
            let plain = try await world.upload("plain", sample(10), encrypts: false)
            let first = try await world.schedule([one])
            let gone = CryptoFile(filePath: "gone")
            let path = CryptoFile(filePath: "\(world.alice.filesFolder)/two", cryptoArgs: two.cryptoArgs)
            for file in [gone, foreign, one, path] {
                #expect(await refusal { try await world.schedule([two, file]) } == "fileNotFound", "\(file.filePath)")
            }
            #expect(await refusal { try await world.schedule([two, two]) } == "commandError")
            let bound = PlannedCaller(
                userId: 1,
                keyId: "bound",
                rights: CommandRights(scopes: [.write], chats: [.contact(1)], paths: .ownFolders)
            )
            let guessed = CryptoFile(filePath: two.filePath, cryptoArgs: one.cryptoArgs)
            for file in [guessed, plain] {
                #expect(await refusal { try await world.schedule([file], by: bound) } == "accessDenied")
            }
            #expect(try await world.uploads(held: true) == [one.filePath])
            #expect(try await world.stored().count == 1)
            _ = try await world.schedule([two], by: bound)
            #expect(try await world.scheduled(first.id) == first)
        }
    }

    @Test
    func `Files above the limit of the key or store are refused until another scheduled message is cancelled`()
        async throws
    {
        try await PlannedWorld.run { world in
            let first = try await world.schedule([world.upload("one", sample(10))])
            let next = try await world.upload("two", sample(10))
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
            try await size(limited.fileLimits.key.bytes)
            #expect(await refusal { try await world.schedule([next], by: limited) } == "plannedFileBytes")
            try await size(limited.fileLimits.store.bytes)
            #expect(await refusal { try await world.schedule([next]) } == "plannedFileBytes")
            #expect(try await world.uploads(held: false) == [next.filePath])
            _ = try await world.controller.cancelPlanned(first.id, .scheduled, by: world.caller, deletes: true)
            _ = try await world.schedule([next], by: limited)
        }
    }

    @Test
    func `A file above the maximum number of files of the key or store is refused, and the message has no effect`()
        async throws
    {
        let standard = PlannedFileLimits()
        #expect(standard.store == (1_000, 10 << 30))
        #expect(standard.key == (250, 2 << 30))
        try await PlannedWorld.run { world in
            var limited = PlannedCaller(
                userId: 1,
                keyId: "limited",
                rights: CommandRights(scopes: [.read, .write], paths: .ownFolders)
            )
            limited.fileLimits = PlannedFileLimits(store: (4, 1_000), key: (2, 100))
            var admin = world.caller
            admin.fileLimits = limited.fileLimits
            var files: [CryptoFile] = []
            for number in 0..<6 { files.append(try await world.upload("\(number)", sample(10))) }
            #expect(await refusal { try await world.schedule(Array(files[0..<3]), by: limited) } == "plannedFiles")
            #expect(try await world.uploads(held: true) == [])
            #expect(try await world.stored() == [])
            let first = try await world.schedule(Array(files[0..<2]), by: limited)
            #expect(await refusal { try await world.schedule([files[2]], by: limited) } == "plannedFiles")
            // The share of a key does not limit administrators, but the limit of the store does.
            #expect(await refusal { try await world.schedule(Array(files[2..<5]), by: admin) } == "plannedFiles")
            _ = try await world.schedule(Array(files[2..<4]), by: admin)
            #expect(await refusal { try await world.schedule([files[4]], by: admin) } == "plannedFiles")
            #expect(try await world.uploads(held: false) == [files[4], files[5]].map(\.filePath))
            // The limits count the new file of a changed message, but not the file that it replaces.
            let changed = try await world.controller.changePlanned(first.id, by: limited) { _ in
                true
            } _: { [file = files[4]] content, _ in
                content.messages[1] = PlannedWorld.message("file", file)
            }
            guard case .found = changed else { return #expect(Bool(false), "\(changed)") }
            _ = try await world.controller.cancelPlanned(first.id, .scheduled, by: limited, deletes: true)
            _ = try await world.schedule([files[5]], by: limited)
        }
    }

    @Test
    func `A broadcast with a file waits while the store has no room, and then each chat gets the file once`()
        async throws
    {
        try await PlannedWorld.run { world in
            try await world.bob.createUser("bob2")
            try await connect(world.alice, 1, to: world.bob, 2)
            let file = try await world.upload("data.bin", sample(1_000), encrypts: false)
            let request = PlannedRequest(
                .broadcast,
                to: .allContacts,
                PlannedContent(messages: [PlannedWorld.message("file", file)]),
                rate: 100
            )
            let made = try await world.controller.planMessages(request, by: world.caller) { _ in nil }
            let quota = world.controller.store.quota
            // The upload fits into the limit of the store. The copy for the first of the two chats does not.
            quota.setLimits(StoreLimits([.fileBytes: 1_500]))
            try await world.settle()
            let waiting = try await world.controller.findPlannedMessage(made.id, .broadcast, for: world.caller)
            #expect(waiting?.receiverCounts == [.waiting: 2])
            #expect(try await world.uploads(held: true) == [file.filePath])
            world.advance(by: 61)
            try await world.settle()
            #expect(try await world.received() == [])
            quota.setLimits(StoreLimits([.fileBytes: 2_000]))
            world.advance(by: 61)
            try await world.settle()
            world.advance(by: 1)
            try await world.settle()
            let done = try await world.controller.findPlannedMessage(made.id, .broadcast, for: world.caller)
            #expect(done?.receiverCounts == [.sent: 2])
            #expect(try await world.uploads(held: true) + world.uploads(held: false) == [])
            try await eventually("both chats have the message") { try await world.received() == ["file", "file"] }
        }
    }

    @Test
    func `The file of a message that is cancelled, refused, or in a copy of the store is deleted`() async throws {
        try await PlannedWorld.run { world in
            let deleted = try await world.schedule([world.upload("deleted", sample(10))])
            _ = try await world.controller.cancelPlanned(deleted.id, .scheduled, by: world.caller, deletes: true)
            try await world.clear()
            #expect(world.alice.fileNames == [])
            let cancelled = try await world.schedule([world.upload("cancelled", sample(10))])
            _ = try await world.controller.cancelPlanned(cancelled.id, .scheduled, by: world.caller)
            try await world.clear()
            #expect(world.alice.fileNames == [])
            let refused = try await world.schedule([world.upload("refused", sample(10))], in: 10)
            world.controller.setPlannedRights { _ in .ended }
            world.advance(by: 10)
            try await world.settle()
            #expect(try await world.scheduled(refused.id)?.receiver?.state == .failed)
            try await world.clear()
            #expect(world.alice.fileNames == [])
            _ = try await world.schedule([world.upload("copied", sample(10))])
            try await world.controller.store.write { try ChatStore.becomeCopy($0.db) }
            try await world.clear()
            #expect(world.alice.fileNames == [])
            _ = try await world.schedule([world.upload("last", sample(10))])
            try await world.alice.run("/_delete @1 full notify=off")
            try await world.clear()
            #expect(world.alice.fileNames == [])
        }
    }

    @Test
    func `A changed scheduled message keeps the files that it still contains, and its removed file is deleted`()
        async throws
    {
        try await PlannedWorld.run { world in
            let (old, kept) = (try await world.upload("old", sample(10)), try await world.upload("kept", sample(10)))
            let new = try await world.upload("new", sample(10))
            let made = try await world.schedule([old, kept])
            _ = try await world.controller.changePlanned(made.id, by: world.caller) { _ in
                true
            } _: { content, _ in
                content.messages = [PlannedWorld.message("file", kept), PlannedWorld.message("file", new)]
            }
            #expect(try await world.uploads(held: true) == [kept.filePath, new.filePath])
            try await world.clear()
            #expect(world.alice.fileNames == [kept.filePath, new.filePath])
        }
    }

    @Test(arguments: ["BEFORE INSERT ON planned_receivers", "BEFORE UPDATE OF planned_id ON uploads"])
    func `After a crash while a file is scheduled, the repeated request can use the same upload`(
        place: String
    ) async throws {
        try await PlannedWorld.run { world in
            let file = try await world.upload("data.bin", sample(10))
            try await world.cut(place) {
                let refused = await refusal { try await world.schedule([file]) }
                #expect(refused != "accepted")
            }
            #expect(try await world.uploads(held: false) == [file.filePath])
            #expect(try await world.stored() == [])
            _ = try await world.schedule([file])
            #expect(try await world.uploads(held: true) == [file.filePath])
        }
    }

    @Test(arguments: [
        "BEFORE INSERT ON files", "BEFORE DELETE ON uploads",
        "BEFORE UPDATE ON planned_receivers WHEN NEW.state = 'sent'",
        "BEFORE UPDATE OF content ON planned_messages WHEN NEW.content IS NULL",
    ])
    func `After a crash while a scheduled file is sent, the file is kept and sent once`(place: String) async throws {
        try await PlannedWorld.run { world in
            let file = try await world.upload("data.bin", sample(10))
            let made = try await world.schedule([file], in: 10)
            try await world.cut(place) {
                world.advance(by: 10)
                try? await world.settle()
                let held = try await world.uploads(held: true)
                #expect(held == [file.filePath])
            }
            try await world.age()
            world.advance(by: 100)
            try await world.settle()
            #expect(try await world.scheduled(made.id)?.receiver?.itemIds.count == 1)
            let files = try await world.controller.store.read { db in
                try db.query("SELECT file_path FROM files").map { try $0.stringOrNil("file_path") }
            }
            #expect(files == [file.filePath])
            try await world.clear()
            #expect(world.alice.fileNames == [file.filePath])
            #expect(try await world.uploads(held: true) + world.uploads(held: false) == [])
        }
    }

    @Test
    func `After a crash while a message is cancelled, the next cancellation deletes the message and its file`()
        async throws
    {
        try await PlannedWorld.run { world in
            let file = try await world.upload("data.bin", sample(10))
            let made = try await world.schedule([file])
            try await world.cut("BEFORE INSERT ON retired_files") {
                _ = try? await world.controller.cancelPlanned(made.id, .scheduled, by: world.caller, deletes: true)
            }
            #expect(try await world.uploads(held: true) == [file.filePath])
            #expect(world.alice.fileNames == [file.filePath])
            _ = try await world.controller.cancelPlanned(made.id, .scheduled, by: world.caller, deletes: true)
            try await world.clear()
            #expect(world.alice.fileNames == [])
        }
    }
}
