import Foundation
import JSON
import ObjectStorage
import TestSupport
import Testing

@testable import ChatCore

/// Files of chats, and whole stores, with files in object storage.
@Suite("Files of chats in object storage", .socketTimeLimit, .serialized) struct ObjectTransferTests {
    @Test
    func `After a transfer, both sides move the file to object storage, and the receiver can forward the file`()
        async throws
    {
        let (world, sent, received) = (try await FileWorld(), MemoryObjects(), MemoryObjects())
        func core(_ name: String, _ objects: MemoryObjects) async throws -> Core {
            let core = try await world.world.core(name, servers: [world.world.relay.address, world.server.server]) {
                $0.objectSettings = objects.makeSettings()
            }
            try await core.createUser(name)
            return core
        }
        let (alice, bob) = (try await core("alice", sent), try await core("bob", received))
        try await connectUsers(alice, 1, to: bob, 1)
        let content = sampleBytes(300_000)
        try alice.writeFile("data.bin", content)
        try await alice.sendFile("data.bin", text: "data")
        alice.controller.objectWorker.startFileSearch()
        try await waitForText("data", bob)
        // The sender still serves the file to the recipient, so the file is not moved before the end of the transfer.
        try await bob.run("/freceive 1 approved_relays=off")
        try await bob.waitForFile("rcvFileComplete")
        try await alice.waitForFile("sndFileCompleteXFTP")
        try await alice.waitUntilMoved(sent)
        try await bob.waitUntilMoved(received)
        #expect(try await bob.readFileBytes(1) == content)
        try await bob.waitUntilMoved(received)
        let item = try #require(try await bob.run("/_get chat @1 count=1").itemIds.first)
        #expect(try await bob.run("/_forward @1 @1 \(item)")["type"] == "newChatItems")
        try await alice.waitForFile("rcvFileDescrReady", 2)
        try await alice.run("/freceive 2 approved_relays=off")
        try await alice.waitForFile("rcvFileComplete", 2)
        #expect(try await alice.readFileBytes(2) == content)
        // The same file is sent again from the storage.
        try await alice.waitUntilMoved(sent, 2)
        #expect(try await alice.sendFile("data.bin", text: "again")["type"] == "newChatItems")
        try await alice.waitForFile("sndFileCompleteXFTP", 3)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `An export contains files from object storage and lists unavailable files; an import replaces the objects`()
        async throws
    {
        let (world, objects) = (try await World(), MemoryObjects())
        let alice = try await world.core("alice", key: World.databaseKey(of: "both")) {
            $0.objectSettings = objects.makeSettings()
        }
        try await alice.createUser("alice")
        for name in ["a", "b"] {
            try alice.writeFile(name, sampleBytes(5_000))
            try await alice.createNote(name)
        }
        try await alice.waitUntilMoved(objects, 2)
        let archive = world.directory.appending(path: "archive.zip").path
        objects.setFault(.unavailable)
        try await alice.run("/_stop")
        let lacking = try await alice.run(#"/_db export {"archivePath":"\#(archive)1"}"#)
        #expect(
            lacking["archiveErrors"]?.arrayValue?.count == 2 && lacking.text.contains("object storage"),
            "\(lacking)"
        )
        objects.setFault(nil)
        try await waitUntil("the storage is asked again") { (try? await alice.readFileBytes(1)) != nil }
        let whole = try await alice.run(#"/_db export {"archivePath":"\#(archive)"}"#)
        #expect(whole["archiveErrors"] == [], "\(whole)")
        await alice.controller.close()

        let other = MemoryObjects()
        let bob = try await world.core("bob", key: World.databaseKey(of: "both")) {
            $0.objectSettings = other.makeSettings("bob")
        }
        try await bob.createUser("bob")
        try bob.writeFile("own", sampleBytes(100))
        try await bob.createNote("own")
        try await bob.waitUntilMoved(other)
        try await bob.run("/_stop")
        let imported = try await bob.run(#"/_db import {"archivePath":"\#(archive)"}"#)
        #expect(imported["type"] == "archiveImported" && imported["archiveErrors"] == [], "\(imported)")
        await bob.controller.close()
        let again = try await world.core("bob", key: World.databaseKey(of: "both")) {
            $0.objectSettings = other.makeSettings("bob")
        }
        for file in 1...2 { #expect(try await again.readFileBytes(Int64(file)) == sampleBytes(5_000)) }
        try await waitUntil("the objects of the replaced store are deleted, and the new store has its own objects") {
            again.controller.objectWorker.startFileSearch()
            return other.keys.count == 2 && again.fileNames.isEmpty
        }
        #expect(objects.keys.count == 2)
        await again.controller.close()
    }

    @Test
    func `If a store closes right after its databases were deleted, the next start deletes the objects of its files`()
        async throws
    {
        let (world, objects) = (try await World(), MemoryObjects())
        let alice = try await world.core("alice") { $0.objectSettings = objects.makeSettings() }
        try await alice.createUser("alice")
        try alice.writeFile("a", sampleBytes(5_000))
        try await alice.createNote("a")
        try await alice.waitUntilMoved(objects)
        try await alice.run("/_stop")
        #expect(try await alice.run("/_db delete")["type"] == "cmdOk")
        await alice.controller.close()
        #expect(objects.keys.count == 1)
        let again = try await world.core("alice") { $0.objectSettings = objects.makeSettings() }
        try await waitUntil("the object is deleted") { objects.keys.isEmpty }
        await again.controller.close()
    }

    @Test
    func `A change of the database key does not change the objects in the object storage`() async throws {
        let (world, objects) = (try await World(), MemoryObjects())
        let alice = try await world.core("alice", key: .passphrase("old")) {
            $0.objectSettings = objects.makeSettings()
        }
        try await alice.createUser("alice")
        try alice.writeFile("a", sampleBytes(5_000))
        let file = try await alice.createNote("a").file
        try await alice.waitUntilMoved(objects)
        try await alice.run("/_stop")
        let changed = try await alice.run(#"/_db encryption {"currentKey":"old","newKey":"another"}"#)
        #expect(changed["type"] == "cmdOk", "\(changed)")
        await alice.controller.close()
        let again = try await world.core("alice", key: .passphrase("another")) {
            $0.objectSettings = objects.makeSettings()
        }
        #expect(try await again.readFileBytes(file) == sampleBytes(5_000))
        #expect(objects.keys.count == 1)
        await again.controller.close()
    }
}
