import ChatAPI
import Foundation
import JSON
import ObjectStorage
import SimpleXCrypto
import Synchronization
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore

extension Core {
    /// Creates a note with a file.
    /// - Returns: the id of the file, and the id of the note.
    @discardableResult
    func createNote(_ name: String, _ crypto: CryptoFileArgs? = nil) async throws -> (file: Int64, item: Int64) {
        let arguments =
            crypto.map { #","cryptoArgs":{"fileKey":"\#($0.fileKey)","fileNonce":"\#($0.fileNonce)"}"# } ?? ""
        let answer = try await run(
            #"/_create *1 json [{"msgContent":{"type":"file","text":""},"mentions":{},"fileSource":{"filePath":"\#(name)"\#(arguments)}}]"#
        )
        let item = answer["chatItems"]?[0]?["chatItem"]
        return (
            try #require(item?["file"]?["fileId"]?.integerValue, "\(answer)"),
            try #require(item?["meta"]?["itemId"]?.integerValue)
        )
    }

    /// Returns the bytes of a file as a reader gets them.
    func readFileBytes(_ file: Int64) async throws -> [UInt8] {
        let contents = try await controller.chatFiles.openContents(of: file, user: 1)
        return try contents.read(at: 0, count: Int(contents.size))
    }

    /// Starts the moving of unused files, and waits until it is done.
    func waitUntilMoved(_ objects: MemoryObjects, _ count: Int = 1) async throws {
        controller.objectWorker.startFileSearch()
        try await waitUntil("the files are in the storage, and nowhere else") {
            objects.keys.count == count && fileNames.isEmpty && controller.objectWorker.filesToMoveCount == 0
        }
    }
}

/// Files that are in object storage. `ObjectStorageTests` tests the storage itself.
@Suite("Files in object storage", .socketTimeLimit) struct ObjectFileTests {
    private let storage = MemoryObjects()

    private func makeAlice(
        _ world: World,
        onStep: @escaping @Sendable (ObjectSettings.Step) async throws -> Void = { _ in }
    ) async throws -> Core {
        let core = try await world.core("alice") { $0.objectSettings = storage.makeSettings(onStep: onStep) }
        if try await core.run("/u")["type"] != "activeUser" { try await core.createUser("alice") }
        return core
    }

    @Test
    func `A file that is not in use is moved to object storage, encrypted and under a random name, and can be read`()
        async throws
    {
        let alice = try await makeAlice(World())
        let (plain, secret, arguments) = (sampleBytes(100_000), sampleBytes(50_000, seed: 2), CryptoFileArguments())
        try alice.writeFile("plain.txt", plain)
        try alice.writeFile("secret.txt", FileCipher.sealContents(secret, arguments))
        let (one, two) = (
            try await alice.createNote("plain.txt").file,
            try await alice.createNote("secret.txt", arguments.apiArguments).file
        )
        try await alice.waitUntilMoved(storage, 2)
        for key in storage.keys {
            let content = try #require(storage.content(key))
            #expect(key.hasPrefix("store/") && !key.contains("plain") && !key.contains("secret"))
            #expect(content.count == 100_016 || content.count == 50_032)
            #expect(content.firstRange(of: plain[..<64]) == nil && content.firstRange(of: secret[..<64]) == nil)
        }
        do {
            // The files stay while a reader uses them.
            let readers = [
                try await alice.controller.chatFiles.openContents(of: one, user: 1),
                try await alice.controller.chatFiles.openContents(of: two, user: 1),
            ]
            defer { withExtendedLifetime(readers) {} }
            for (reader, bytes) in zip(readers, [plain, secret]) {
                #expect(try reader.read(at: 0, count: bytes.count) == bytes)
            }
            #expect(alice.fileNames == ["plain.txt", "secret.txt"] && storage.keys.count == 2)
        }
        let figures = try #require(try await alice.controller.readStoreFigures().objectFigures)
        #expect(
            figures
                == ObjectFigures(keptObjectCount: 2, fileBytes: 150_016, waitingFileCount: 0, incompleteObjectCount: 0)
        )
        // The storage already has the file, so the core only deletes the local copy.
        let keys = storage.keys
        try await alice.waitUntilMoved(storage, 2)
        #expect(storage.keys == keys)
        await alice.controller.close()
    }

    @Test(arguments: [ObjectSettings.Step.noted, .put, .recorded, .removed])
    func `After a crash at any step of moving a file to the object storage, neither the file nor its object is lost`(
        step: ObjectSettings.Step
    ) async throws {
        struct Crash: Error {}
        let (world, content) = (try await World(), sampleBytes(30_000))
        let crashed = Mutex(false)
        let alice = try await makeAlice(world) { reached in
            guard reached == step else { return }
            crashed.withLock { $0 = true }
            throw Crash()
        }
        try alice.writeFile("a.txt", content)
        let file = try await alice.createNote("a.txt").file
        alice.controller.objectWorker.startFileSearch()
        try await waitUntil("the worker reaches the step") { crashed.withLock { $0 } }
        await alice.controller.close()
        #expect(storage.keys.count == (step == .noted ? 0 : 1))
        let again = try await self.makeAlice(world)
        #expect(try await again.readFileBytes(file) == content)
        try await again.waitUntilMoved(storage)
        try await waitUntil("no object waits for its deletion") {
            try await again.controller.readStoreFigures().objectFigures?.incompleteObjectCount == 0
        }
        #expect(try await again.readFileBytes(file) == content)
        await again.controller.close()
    }

    @Test
    func `If the storage does not confirm an object, the object is deleted and the file is stored as a new object`()
        async throws
    {
        let alice = try await makeAlice(World())
        let content = sampleBytes(30_000)
        try alice.writeFile("a.txt", content)
        let file = try await alice.createNote("a.txt").file
        storage.setFault(.storesButIsUnavailable)
        alice.controller.objectWorker.startFileSearch()
        try await waitUntil("the object is there") { storage.keys.count == 1 }
        let unknown = storage.keys
        #expect(alice.fileNames == ["a.txt"])
        storage.setFault(nil)
        try await waitUntil("the object has changed") {
            storage.keys.count == 1 && storage.keys != unknown && alice.fileNames.isEmpty
        }
        #expect(try await alice.readFileBytes(file) == content)
        await alice.controller.close()
    }

    @Test
    func `While the object storage is unavailable, readers are told when to retry, and forwarding fails immediately`()
        async throws
    {
        let alice = try await makeAlice(World())
        try alice.writeFile("a.txt", sampleBytes(1_000))
        let (file, item) = try await alice.createNote("a.txt")
        try await alice.waitUntilMoved(storage)
        storage.setFault(.unavailable)
        for _ in 0..<20 {
            do {
                _ = try await alice.readFileBytes(file)
                Issue.record("the file was read")
            } catch let refusal as ChatFiles.Refusal {
                guard case .temporarilyUnavailable(let seconds) = refusal.reason, seconds > 0 else { throw refusal }
            }
        }
        #expect(storage.getCount < 5)
        let refused = try await alice.run("/_forward *1 *1 \(item)")
        #expect(refused.errorType == "exception" && refused.text.contains("object storage"), "\(refused)")
        // The plan shows that the file exists nevertheless.
        #expect(try await alice.run("/_forward plan *1 \(item)")["forwardConfirmation"] == nil)
        try alice.writeFile("b.txt", sampleBytes(2_000))
        let other = try await alice.createNote("b.txt").file
        alice.controller.objectWorker.startFileSearch()
        #expect(try await alice.readFileBytes(other) == sampleBytes(2_000))
        storage.setFault(nil)
        try await waitUntil("the file can be read") { (try? await alice.readFileBytes(file)) == sampleBytes(1_000) }
        #expect(try await alice.run("/_forward *1 *1 \(item)")["type"] == "newChatItems")
        await alice.controller.close()
    }

    @Test
    func `An unavailable object storage gets few requests, and repeated attempts leave only one object to delete`()
        async throws
    {
        let alice = try await World().core("alice") {
            $0.objectSettings = storage.makeSettings(settling: .seconds(900))
        }
        try await alice.createUser("alice")
        try alice.writeFile("a.txt", sampleBytes(1_000))
        storage.setFault(.unavailable)
        try await alice.createNote("a.txt")
        // Without the pause after a failure, each iteration would make an attempt.
        for number in 0..<200 {
            let worker = alice.controller.objectWorker
            if number.isMultiple(of: 50) { worker.startFileSearch() } else { worker.wake() }
            try await alice.controller.store.write { _ in }
        }
        try await waitUntil("the storage was asked") { storage.putCount > 0 }
        #expect(storage.putCount < 5)
        try await waitUntil("one object waits for its deletion") {
            try await alice.controller.readStoreFigures().objectFigures?.incompleteObjectCount == 1
        }
        storage.setFault(nil)
        try await alice.waitUntilMoved(storage)
        #expect(try await alice.controller.readStoreFigures().objectFigures?.incompleteObjectCount == 0)
        await alice.controller.close()
    }

    @Test
    func `If an object was altered or is missing, reading its file fails with the reason and leaves no file on disk`()
        async throws
    {
        let alice = try await makeAlice(World())
        try alice.writeFile("a.txt", sampleBytes(20_000))
        let file = try await alice.createNote("a.txt").file
        try await alice.waitUntilMoved(storage)
        let key = try #require(storage.keys.first)
        let sound = try #require(storage.content(key))
        var (altered, tag) = (sound, sound)
        altered[10_000] ^= 1
        tag[tag.count - 1] ^= 1
        for content in [
            altered, tag, [UInt8](repeating: 0, count: sound.count), Array(sound.dropLast()), sound + [0], nil,
        ] {
            storage.changeObjects { $0[key] = content }
            do {
                _ = try await alice.readFileBytes(file)
                Issue.record("the file was read")
            } catch let refusal as ChatFiles.Refusal {
                guard refusal.reason == (content == nil ? .objectMissing : .damaged) else { throw refusal }
            }
            #expect(alice.fileNames.isEmpty)
        }
        storage.changeObjects { $0[key] = sound }
        #expect(try await alice.readFileBytes(file) == sampleBytes(20_000))
        #expect(
            try #require(alice.controller.services.fileObjects.settings).service.metricsText.contains(
                "sxgw_object_lost_total 6\n"
            )
        )
        await alice.controller.close()
    }

    @Test
    func `A file that is too large for object storage stays on the disk, and does not delay the move of other files`()
        async throws
    {
        let alice = try await makeAlice(World())
        storage.setFault(.refusesLargeObjects)
        // The file that was unused for the longest time is moved first.
        try alice.writeFile("large.txt", sampleBytes(20_000))
        let large = try await alice.createNote("large.txt").file
        for name in ["a.txt", "b.txt"] {
            try alice.writeFile(name, sampleBytes(1_000))
            try await alice.createNote(name)
        }
        alice.controller.objectWorker.startFileSearch()
        try await waitUntil("the other files are in the storage") {
            storage.keys.count == 2 && alice.fileNames == ["large.txt"]
        }
        #expect(try await alice.readFileBytes(large) == sampleBytes(20_000))
        await alice.controller.close()
    }

    @Test
    func `Twenty concurrent readers cause one fetch of a file, which stays on the disk until the last reader ends`()
        async throws
    {
        let alice = try await makeAlice(World())
        let content = sampleBytes(200_000)
        try alice.writeFile("a.txt", content)
        let file = try await alice.createNote("a.txt").file
        try await alice.waitUntilMoved(storage)
        let reading = try await withThrowingTaskGroup(of: ChatFiles.Contents.self) { group in
            for _ in 0..<20 { group.addTask { try await alice.controller.chatFiles.openContents(of: file, user: 1) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(storage.getCount == 1)
        try alice.writeFile("b.txt", content)
        try await alice.createNote("b.txt")
        alice.controller.objectWorker.startFileSearch()
        try await waitUntil("the other file is moved") { storage.keys.count == 2 && alice.fileNames == ["a.txt"] }
        for one in reading { #expect(try one.read(at: 100_000, count: 1_000) == Array(content[100_000..<101_000])) }
        await alice.controller.close()
    }

    @Test
    func `Deleting a file deletes its object, also if the object storage is unavailable at first`() async throws {
        let world = try await World()
        let alice = try await makeAlice(world)
        var items: [Int64] = []
        for name in ["a", "b", "c"] {
            try alice.writeFile(name, sampleBytes(5_000))
            items.append(try await alice.createNote(name).item)
        }
        try await alice.waitUntilMoved(storage, 3)
        #expect(try await alice.run("/_delete item *1 \(items[0]) internal")["type"] == "chatItemsDeleted")
        try await waitUntil("the object of the file is deleted") { storage.keys.count == 2 }
        storage.setFault(.unavailable)
        #expect(try await alice.run("/_delete item *1 \(items[1]) internal")["type"] == "chatItemsDeleted")
        try await waitUntil("the object waits for its deletion") {
            try await alice.controller.readStoreFigures().objectFigures?.incompleteObjectCount == 1
        }
        await alice.controller.close()
        storage.setFault(nil)
        let again = try await self.makeAlice(world)
        try await waitUntil("the object of the file is deleted") { storage.keys.count == 1 }
        try await again.createUser("other")
        #expect(try await again.run("/_delete user 1 del_smp=on")["type"] == "cmdOk")
        try await again.controller.findWorker(FileWorker.self).removeLeftoverFiles()
        try await waitUntil("the objects of the deleted user are deleted") { storage.keys.isEmpty }
        await again.controller.close()
    }

    @Test
    func `A copied store reads the objects of the store that it was copied from, and never deletes these objects`()
        async throws
    {
        let world = try await World()
        let alice = try await makeAlice(world)
        try alice.writeFile("a", sampleBytes(5_000))
        let (file, item) = try await alice.createNote("a")
        try await alice.waitUntilMoved(storage)
        await alice.controller.close()
        // Another node needs only the databases.
        try FileManager.default.removeItem(atPath: alice.filesFolder)
        try FileManager.default.moveItem(
            at: world.directory.appending(path: "alice"),
            to: world.directory.appending(path: "copy")
        )
        let copy = try await world.core("copy", key: World.databaseKey(of: "alice")) {
            $0.objectSettings = storage.makeSettings("other")
        }
        #expect(try await copy.readFileBytes(file) == sampleBytes(5_000))
        #expect(try await copy.run("/_delete item *1 \(item) internal")["type"] == "chatItemsDeleted")
        try await waitUntil("the copy no longer has the object") {
            try await copy.controller.readStoreFigures().objectFigures
                == ObjectFigures(keptObjectCount: 0, fileBytes: 0, waitingFileCount: 0, incompleteObjectCount: 0)
        }
        #expect(storage.keys.count == 1)
        await copy.controller.close()
    }

    @Test
    func `Unsent uploads, files outside of the store's folders, and files in transfer stay on the disk`()
        async throws
    {
        let world = try await World()
        let alice = try await makeAlice(world)
        try alice.writeFile("free.txt", sampleBytes(1_000))
        try await alice.controller.store.write { tx in try Uploads.add("up.txt", user: 1, tx) }
        try alice.writeFile("up.txt", sampleBytes(1_000))
        let outside = world.directory.appending(path: "outside.txt")
        try Data(sampleBytes(1_000)).write(to: outside)
        try await alice.createNote(outside.path)
        try alice.writeFile("moves", sampleBytes(1_000))
        try await alice.createNote("moves")
        alice.controller.objectWorker.startFileSearch()
        try await waitUntil("only one file is moved") {
            storage.keys.count == 1 && alice.fileNames == ["free.txt", "up.txt"]
        }
        #expect(FileManager.default.fileExists(atPath: outside.path))
        await alice.controller.close()
    }

    @Test
    func `A file that is rewritten on the disk is stored as a new object, and its old object is deleted`() async throws
    {
        let alice = try await makeAlice(World())
        try alice.writeFile("a", sampleBytes(5_000))
        let file = try await alice.createNote("a").file
        try await alice.waitUntilMoved(storage)
        let old = storage.keys
        try alice.writeFile("a", sampleBytes(5_000, seed: 9))
        try await alice.waitUntilMoved(storage)
        #expect(storage.keys != old)
        #expect(try await alice.readFileBytes(file) == sampleBytes(5_000, seed: 9))
        await alice.controller.close()
    }

    @Test
    func `A file that was moved to the object storage is still counted as a file of the store`() async throws {
        let alice = try await makeAlice(World())
        try alice.writeFile("a", sampleBytes(5_000))
        try await alice.createNote("a")
        let before = try await alice.controller.readStoreFigures().resourceUse
        try await alice.waitUntilMoved(storage)
        let after = try await alice.controller.readStoreFigures().resourceUse
        #expect(before[.fileBytes] == 5_000 && after[.fileBytes] == 5_000 && after[.files] == 1)
        alice.controller.setLimits(StoreLimits([.fileBytes: 5_500]))
        try alice.writeFile("b", sampleBytes(1_000))
        let refused = try await alice.run(
            #"/_create *1 json [{"msgContent":{"type":"file","text":""},"mentions":{},"fileSource":{"filePath":"b"}}]"#
        )
        #expect(refused.text.contains("no room for more"), "\(refused)")
        await alice.controller.close()
    }

    @Test
    func `A store opens without its configured object storage, and reports the files in this storage as unavailable`()
        async throws
    {
        let world = try await World()
        let alice = try await makeAlice(world)
        try alice.writeFile("a", sampleBytes(5_000))
        let file = try await alice.createNote("a").file
        try await alice.waitUntilMoved(storage)
        await alice.controller.close()
        let without = try await world.core("alice")
        do {
            _ = try await without.readFileBytes(file)
            Issue.record("the file was read")
        } catch let refusal as ChatFiles.Refusal {
            guard case .temporarilyUnavailable = refusal.reason else { throw refusal }
        }
        await without.controller.close()
    }
}
