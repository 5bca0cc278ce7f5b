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
    func note(_ name: String, _ crypto: CryptoFileArgs? = nil) async throws -> (file: Int64, item: Int64) {
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
    func bytes(_ file: Int64) async throws -> [UInt8] {
        let contents = try await controller.chatFiles.openContents(of: file, user: 1)
        return try contents.read(at: 0, count: Int(contents.size))
    }

    /// Starts the moving of unused files, and waits until it is done.
    func waitUntilMoved(_ objects: MemoryObjects, _ count: Int = 1) async throws {
        controller.objectWorker.searchNow()
        try await eventually("the files are in the storage, and nowhere else") {
            objects.keys.count == count && fileNames.isEmpty && controller.objectWorker.waitingCount == 0
        }
    }
}

/// Files that are in object storage. `ObjectStorageTests` tests the storage itself.
@Suite("Files in object storage", .socketTimeLimit) struct ObjectFileTests {
    private let objects = MemoryObjects()

    private func alice(
        _ world: World,
        onStep: @escaping @Sendable (ObjectSettings.Step) async throws -> Void = { _ in }
    ) async throws -> Core {
        let core = try await world.core("alice") { $0.objectSettings = objects.settings(onStep: onStep) }
        if try await core.run("/u")["type"] != "activeUser" { try await core.createUser("alice") }
        return core
    }

    @Test
    func `An unused file is stored encrypted under a random object name, and fetched for a reader`() async throws {
        let alice = try await alice(World())
        let (plain, secret, arguments) = (sample(100_000), sample(50_000, seed: 2), CryptoFileArguments())
        try alice.put("plain.txt", plain)
        try alice.put("secret.txt", FileCipher.seal(secret, arguments))
        let (one, two) = (
            try await alice.note("plain.txt").file, try await alice.note("secret.txt", arguments.apiArguments).file
        )
        try await alice.waitUntilMoved(objects, 2)
        for key in objects.keys {
            let content = try #require(objects.content(key))
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
            #expect(alice.fileNames == ["plain.txt", "secret.txt"] && objects.keys.count == 2)
        }
        let figures = try #require(try await alice.controller.readStoreFigures().objectFigures)
        #expect(figures == ObjectFigures(keptObjects: 2, bytes: 150_016, waitingFiles: 0, pendingDeletions: 0))
        // The storage already has the file: the local copy is only deleted.
        let keys = objects.keys
        try await alice.waitUntilMoved(objects, 2)
        #expect(objects.keys == keys)
        await alice.controller.close()
    }

    @Test(arguments: [ObjectSettings.Step.noted, .put, .recorded, .removed])
    func `A crash at any step neither loses a file nor forgets an object`(step: ObjectSettings.Step) async throws {
        struct Crash: Error {}
        let (world, content) = (try await World(), sample(30_000))
        let crashed = Mutex(false)
        let alice = try await alice(world) { reached in
            guard reached == step else { return }
            crashed.withLock { $0 = true }
            throw Crash()
        }
        try alice.put("a.txt", content)
        let file = try await alice.note("a.txt").file
        alice.controller.objectWorker.searchNow()
        try await eventually("the worker reaches the step") { crashed.withLock { $0 } }
        await alice.controller.close()
        #expect(objects.keys.count == (step == .noted ? 0 : 1))
        let again = try await self.alice(world)
        #expect(try await again.bytes(file) == content)
        try await again.waitUntilMoved(objects)
        try await eventually("no object waits for its deletion") {
            try await again.controller.readStoreFigures().objectFigures?.pendingDeletions == 0
        }
        #expect(try await again.bytes(file) == content)
        await again.controller.close()
    }

    @Test
    func `An object that the storage did not confirm is deleted, and its file is stored again as another object`()
        async throws
    {
        let alice = try await alice(World())
        let content = sample(30_000)
        try alice.put("a.txt", content)
        let file = try await alice.note("a.txt").file
        objects.set(.keepsAndIsAway)
        alice.controller.objectWorker.searchNow()
        try await eventually("the object is there") { objects.keys.count == 1 }
        let unknown = objects.keys
        #expect(alice.fileNames == ["a.txt"])
        objects.set(nil)
        try await eventually("the object has changed") {
            objects.keys.count == 1 && objects.keys != unknown && alice.fileNames.isEmpty
        }
        #expect(try await alice.bytes(file) == content)
        await alice.controller.close()
    }

    @Test
    func `While the storage is unavailable, readers get a time to retry, and forwarding fails immediately`()
        async throws
    {
        let alice = try await alice(World())
        try alice.put("a.txt", sample(1_000))
        let (file, item) = try await alice.note("a.txt")
        try await alice.waitUntilMoved(objects)
        objects.set(.away)
        for _ in 0..<20 {
            do {
                _ = try await alice.bytes(file)
                Issue.record("the file was read")
            } catch let refusal as ChatFiles.Refusal {
                guard case .temporarilyUnavailable(let seconds) = refusal.reason, seconds > 0 else { throw refusal }
            }
        }
        #expect(objects.gets < 5)
        let refused = try await alice.run("/_forward *1 *1 \(item)")
        #expect(refused.errorType == "exception" && refused.text.contains("object storage"), "\(refused)")
        // The plan shows that the file exists nevertheless.
        #expect(try await alice.run("/_forward plan *1 \(item)")["forwardConfirmation"] == nil)
        try alice.put("b.txt", sample(2_000))
        let other = try await alice.note("b.txt").file
        alice.controller.objectWorker.searchNow()
        #expect(try await alice.bytes(other) == sample(2_000))
        objects.set(nil)
        try await eventually("the file can be read") { (try? await alice.bytes(file)) == sample(1_000) }
        #expect(try await alice.run("/_forward *1 *1 \(item)")["type"] == "newChatItems")
        await alice.controller.close()
    }

    @Test
    func `An unavailable storage gets few requests, and repeated attempts leave only one object to delete`()
        async throws
    {
        let alice = try await World().core("alice") { $0.objectSettings = objects.settings(settling: .seconds(900)) }
        try await alice.createUser("alice")
        try alice.put("a.txt", sample(1_000))
        objects.set(.away)
        try await alice.note("a.txt")
        // Each iteration makes an attempt, or would make one without the pause.
        for number in 0..<200 {
            let worker = alice.controller.objectWorker
            if number.isMultiple(of: 50) { worker.searchNow() } else { worker.wake() }
            try await alice.controller.store.write { _ in }
        }
        try await eventually("the storage was asked") { objects.puts > 0 }
        #expect(objects.puts < 5)
        try await eventually("one object waits for its deletion") {
            try await alice.controller.readStoreFigures().objectFigures?.pendingDeletions == 1
        }
        objects.set(nil)
        try await alice.waitUntilMoved(objects)
        #expect(try await alice.controller.readStoreFigures().objectFigures?.pendingDeletions == 0)
        await alice.controller.close()
    }

    @Test
    func `An altered object is refused as damaged, a missing one as missing, and neither leaves a file on the disk`()
        async throws
    {
        let alice = try await alice(World())
        try alice.put("a.txt", sample(20_000))
        let file = try await alice.note("a.txt").file
        try await alice.waitUntilMoved(objects)
        let key = try #require(objects.keys.first)
        let sound = try #require(objects.content(key))
        var (altered, tag) = (sound, sound)
        altered[10_000] ^= 1
        tag[tag.count - 1] ^= 1
        for content in [
            altered, tag, [UInt8](repeating: 0, count: sound.count), Array(sound.dropLast()), sound + [0], nil,
        ] {
            objects.change { $0[key] = content }
            do {
                _ = try await alice.bytes(file)
                Issue.record("the file was read")
            } catch let refusal as ChatFiles.Refusal {
                guard refusal.reason == (content == nil ? .objectMissing : .damaged) else { throw refusal }
            }
            #expect(alice.fileNames.isEmpty)
        }
        objects.change { $0[key] = sound }
        #expect(try await alice.bytes(file) == sample(20_000))
        #expect(
            try #require(alice.controller.services.fileObjects.settings).service.metrics.contains(
                "sxgw_object_lost_total 6\n"
            )
        )
        await alice.controller.close()
    }

    @Test
    func `A file that is too large for the storage stays on the disk, and does not block other files`() async throws {
        let alice = try await alice(World())
        objects.set(.refusesLarge)
        // The file that was unused for the longest time is moved first.
        try alice.put("large.txt", sample(20_000))
        let large = try await alice.note("large.txt").file
        for name in ["a.txt", "b.txt"] {
            try alice.put(name, sample(1_000))
            try await alice.note(name)
        }
        alice.controller.objectWorker.searchNow()
        try await eventually("the other files are in the storage") {
            objects.keys.count == 2 && alice.fileNames == ["large.txt"]
        }
        #expect(try await alice.bytes(large) == sample(20_000))
        await alice.controller.close()
    }

    @Test
    func `Twenty concurrent readers cause one fetch of a file, which stays on the disk until the last reader ends`()
        async throws
    {
        let alice = try await alice(World())
        let content = sample(200_000)
        try alice.put("a.txt", content)
        let file = try await alice.note("a.txt").file
        try await alice.waitUntilMoved(objects)
        let reading = try await withThrowingTaskGroup(of: ChatFiles.Contents.self) { group in
            for _ in 0..<20 { group.addTask { try await alice.controller.chatFiles.openContents(of: file, user: 1) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(objects.gets == 1)
        try alice.put("b.txt", content)
        try await alice.note("b.txt")
        alice.controller.objectWorker.searchNow()
        try await eventually("the other file is moved") { objects.keys.count == 2 && alice.fileNames == ["a.txt"] }
        for one in reading { #expect(try one.read(at: 100_000, count: 1_000) == Array(content[100_000..<101_000])) }
        await alice.controller.close()
    }

    @Test
    func `Deleting a file deletes its object, also if the storage is unavailable at first`() async throws {
        let world = try await World()
        let alice = try await alice(world)
        var items: [Int64] = []
        for name in ["a", "b", "c"] {
            try alice.put(name, sample(5_000))
            items.append(try await alice.note(name).item)
        }
        try await alice.waitUntilMoved(objects, 3)
        #expect(try await alice.run("/_delete item *1 \(items[0]) internal")["type"] == "chatItemsDeleted")
        try await eventually("the object of the file is deleted") { objects.keys.count == 2 }
        objects.set(.away)
        #expect(try await alice.run("/_delete item *1 \(items[1]) internal")["type"] == "chatItemsDeleted")
        try await eventually("the object waits for its deletion") {
            try await alice.controller.readStoreFigures().objectFigures?.pendingDeletions == 1
        }
        await alice.controller.close()
        objects.set(nil)
        let again = try await self.alice(world)
        try await eventually("the object of the file is deleted") { objects.keys.count == 1 }
        try await again.createUser("other")
        #expect(try await again.run("/_delete user 1 del_smp=on")["type"] == "cmdOk")
        try await again.controller.worker(FileWorker.self).removeRemains()
        try await eventually("the objects of the deleted user are deleted") { objects.keys.isEmpty }
        await again.controller.close()
    }

    @Test
    func `Objects of the store from which this store was copied are read and never deleted`() async throws {
        let world = try await World()
        let alice = try await alice(world)
        try alice.put("a", sample(5_000))
        let (file, item) = try await alice.note("a")
        try await alice.waitUntilMoved(objects)
        await alice.controller.close()
        // Another node needs only the databases.
        try FileManager.default.removeItem(atPath: alice.filesFolder)
        try FileManager.default.moveItem(
            at: world.directory.appending(path: "alice"),
            to: world.directory.appending(path: "copy")
        )
        let copy = try await world.core("copy", key: World.key(of: "alice")) {
            $0.objectSettings = objects.settings("other")
        }
        #expect(try await copy.bytes(file) == sample(5_000))
        #expect(try await copy.run("/_delete item *1 \(item) internal")["type"] == "chatItemsDeleted")
        try await eventually("the copy no longer has the object") {
            try await copy.controller.readStoreFigures().objectFigures
                == ObjectFigures(keptObjects: 0, bytes: 0, waitingFiles: 0, pendingDeletions: 0)
        }
        #expect(objects.keys.count == 1)
        await copy.controller.close()
    }

    @Test
    func `Uploads without a message, files outside of the folders, and files in transfer stay on the disk`()
        async throws
    {
        let world = try await World()
        let alice = try await alice(world)
        try alice.put("free.txt", sample(1_000))
        try await alice.controller.store.write { tx in try Uploads.add("up.txt", user: 1, tx) }
        try alice.put("up.txt", sample(1_000))
        let outside = world.directory.appending(path: "outside.txt")
        try Data(sample(1_000)).write(to: outside)
        try await alice.note(outside.path)
        try alice.put("moves", sample(1_000))
        try await alice.note("moves")
        alice.controller.objectWorker.searchNow()
        try await eventually("only one file is moved") {
            objects.keys.count == 1 && alice.fileNames == ["free.txt", "up.txt"]
        }
        #expect(FileManager.default.fileExists(atPath: outside.path))
        await alice.controller.close()
    }

    @Test
    func `A rewritten file is stored again, and the old object is deleted`() async throws {
        let alice = try await alice(World())
        try alice.put("a", sample(5_000))
        let file = try await alice.note("a").file
        try await alice.waitUntilMoved(objects)
        let old = objects.keys
        try alice.put("a", sample(5_000, seed: 9))
        try await alice.waitUntilMoved(objects)
        #expect(objects.keys != old)
        #expect(try await alice.bytes(file) == sample(5_000, seed: 9))
        await alice.controller.close()
    }

    @Test
    func `A file in the storage is counted as a file of the store`() async throws {
        let alice = try await alice(World())
        try alice.put("a", sample(5_000))
        try await alice.note("a")
        let before = try await alice.controller.readStoreFigures().resourceUse
        try await alice.waitUntilMoved(objects)
        let after = try await alice.controller.readStoreFigures().resourceUse
        #expect(before[.fileBytes] == 5_000 && after[.fileBytes] == 5_000 && after[.files] == 1)
        alice.controller.setLimits(StoreLimits([.fileBytes: 5_500]))
        try alice.put("b", sample(1_000))
        let refused = try await alice.run(
            #"/_create *1 json [{"msgContent":{"type":"file","text":""},"mentions":{},"fileSource":{"filePath":"b"}}]"#
        )
        #expect(refused.text.contains("no room for more"), "\(refused)")
        await alice.controller.close()
    }

    @Test
    func `A store opens without its configured storage, and files in the storage are reported as unavailable`()
        async throws
    {
        let world = try await World()
        let alice = try await alice(world)
        try alice.put("a", sample(5_000))
        let file = try await alice.note("a").file
        try await alice.waitUntilMoved(objects)
        await alice.controller.close()
        let without = try await world.core("alice")
        do {
            _ = try await without.bytes(file)
            Issue.record("the file was read")
        } catch let refusal as ChatFiles.Refusal {
            guard case .temporarilyUnavailable = refusal.reason else { throw refusal }
        }
        await without.controller.close()
    }
}
