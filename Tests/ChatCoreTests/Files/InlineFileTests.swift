import ChatAPI
import ChatProtocol
import JSON
import SimpleXCrypto
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore

/// Small files inside messages, as the first apps sent them.
@Suite(.socketTimeLimit) struct InlineFileTests {
    /// Encodes an offer of a file or voice message with the given inline mode.
    private func offerParams(_ size: Int, _ mode: String, type: String = "file") -> String {
        let content = type == "voice" ? #"{"type":"voice","text":"","duration":3}"# : #"{"type":"\#(type)","text":"x"}"#
        return #"{"content":\#(content),"file":{"fileName":"small.bin","fileSize":\#(size),"fileInline":"\#(mode)"}}"#
    }

    @Test(arguments: [1, 10_000, 10_001, 50_000])
    func `A requested inline file is complete after its last chunk is received`(size: Int) async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let (id, content) = (SharedMessageID.random(), sampleBytes(size))
        try await alice.sendRaw("x.msg.new", offerParams(size, "offer"), sharedID: id)
        try await exchangeText(alice, bob, "offered")
        try await bob.expectSmallChunks()
        let accepted = try await bob.run("/freceive 1 encrypt=on")
        #expect(bob.fileInAnswer(accepted)?["fileStatus"] == ["type": "rcvAccepted"], "\(accepted)")
        // The request to the sender contains the id of the sender's message.
        let asked = try await alice.waitForFileRequest()
        #expect(asked.event.params["msgId"] == .string(id.text) && asked.event.params["fileName"] == "small.bin")
        try await alice.sendChunks(of: content, id)
        let complete = try await bob.waitForFile("rcvFileComplete")
        #expect(try bob.decryptedContent(of: bob.fileInAnswer(complete)) == content)
        #expect(try await bob.fileEventTypes() == ["rcvFileStart", "rcvFileComplete"])
        #expect(bob.readStoredFile("small.bin") != content)
        #expect(try await bob.countKeptChunks() == 0)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `An inline file is received without a request only if it is a voice message`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let (voice, file, content) = (SharedMessageID.random(), SharedMessageID.random(), sampleBytes(20_000))
        try await alice.sendRaw("x.msg.new", offerParams(content.count, "sent", type: "voice"), sharedID: voice)
        try await exchangeText(alice, bob, "offered")
        try await bob.expectSmallChunks()
        try await alice.sendChunks(of: content, voice)
        let complete = try await bob.waitForFile("rcvFileComplete")
        #expect(try bob.decryptedContent(of: bob.fileInAnswer(complete)) == content)
        try await alice.sendRaw("x.msg.new", offerParams(content.count, "sent"), sharedID: file)
        try await alice.sendChunks(of: content, file)
        try await exchangeText(alice, bob, "sent")
        let errors = try await bob.wait(for: "chatError")
        #expect(errors[0]["chatError"]?["errorType"]?["type"] == "inlineFileProhibited")
        #expect(try await bob.run("/freceive 2").errorType == "fileAlreadyReceiving")
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A voice message that exceeds the limit of file bytes can be received when the store has room`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let (voice, given, content) = (SharedMessageID.random(), SharedMessageID.random(), sampleBytes(20_000))
        bob.controller.store.quota.setLimits(StoreLimits([.fileBytes: 1_000]))
        for id in [voice, given] {
            try await alice.sendRaw("x.msg.new", offerParams(content.count, "sent", type: "voice"), sharedID: id)
        }
        try await exchangeText(alice, bob, "offered")
        try await bob.expectSmallChunks()
        try await waitUntil("the files were refused because there is no room") {
            try await bob.controller.store.read { try $0.query("SELECT 1 FROM files WHERE task <> 0").isEmpty }
        }
        for id in [voice, given] { try await alice.sendChunks(of: content, id) }
        try await exchangeText(alice, bob, "sent")
        #expect(try await (bob.countKeptChunks(), bob.fileNames) == (4, []))
        #expect(try await bob.events().contains { $0.event["type"] == "chatError" } == false)
        #expect(try await bob.run("/freceive 1").errorType != "fileAlreadyReceiving")
        bob.controller.store.quota.setLimits(StoreLimits())
        #expect(try await bob.run("/freceive 1")["type"] == "rcvFileAccepted")
        let complete = try await bob.waitForFile("rcvFileComplete")
        #expect(try bob.decryptedContent(of: bob.fileInAnswer(complete)) == content)
        #expect(try await bob.run("/fcancel 2")["type"] == "rcvFileCancelled")
        #expect(try await bob.run("/freceive 2").errorType == "fileCancelled")
        #expect(try await bob.countKeptChunks() == 0)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `If a file is cancelled while it is being written, no part of the file stays on the disk`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.sendRaw("x.msg.new", offerParams(10, "offer"))
        try await exchangeText(alice, bob, "offered")
        try await bob.run("/freceive 1")
        let written = try await bob.controller.store.write { tx in
            var file = try #require(try FileRecord.find(1, in: tx.db))
            file.task = .assemble
            return file
        }
        let name = try #require(written.path).text
        for isDeleted in [false, true] {
            if isDeleted {
                try await bob.controller.store.write { tx in try tx.db.execute("DELETE FROM files") }
            } else {
                try await bob.run("/fcancel 1")
            }
            try bob.writeFile(name, sampleBytes(10))
            try await bob.controller.store.write { [paths = bob.controller.services.folders.paths] tx in
                try FileWorker.recordAssembledFile(written, paths, try #require(try UserRecord.find(1, in: tx.db)), tx)
            }
            #expect(bob.fileNames == [])
        }
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `An inline file of more than fifteen chunks cannot be requested`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        for chunks in [8, 15, 16] { try await alice.sendRaw("x.msg.new", offerParams(chunks * 15_780, "offer")) }
        try await exchangeText(alice, bob, "offered")
        #expect(try await bob.run("/freceive 1 inline=off").errorType == "exception")
        #expect(try await bob.run("/freceive 1")["type"] == "rcvFileAccepted")
        #expect(try await bob.run("/freceive 2").errorType == "exception")
        #expect(try await bob.run("/freceive 2 inline=on")["type"] == "rcvFileAccepted")
        #expect(try await bob.run("/freceive 3 inline=on").errorType == "exception")
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A repeated chunk of a file is ignored, and a chunk of wrong size or number cancels the file`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let content = sampleBytes(40_000)
        let (twice, short, skipped) = (SharedMessageID.random(), SharedMessageID.random(), SharedMessageID.random())
        for id in [twice, short, skipped] {
            try await alice.sendRaw("x.msg.new", offerParams(content.count, "offer"), sharedID: id)
        }
        try await exchangeText(alice, bob, "offered")
        try await bob.expectSmallChunks()
        for file in 1...3 { try await bob.run("/freceive \(file)") }
        let first = Array(content.prefix(10_000))
        try await alice.sendChunk(twice, 1, first)
        try await alice.sendChunk(twice, 1, first)
        try await alice.sendChunk(short, 1, Array(first.dropLast()))
        try await alice.sendChunk(skipped, 1, first)
        try await alice.sendChunk(skipped, 3, first)
        try await alice.sendChunk(SharedMessageID.random(), 1, first)
        for number in 2...4 {
            try await alice.sendChunk(twice, UInt8(number), Array(content[(number - 1) * 10_000..<number * 10_000]))
        }
        let complete = try await bob.waitForFile("rcvFileComplete")
        #expect(try bob.decryptedContent(of: bob.fileInAnswer(complete)) == content)
        let errors = try await bob.wait(for: "chatError", count: 2).map { $0["chatError"]?["errorType"] }
        #expect(
            errors.compactMap { $0?["message"]?.stringValue } == [
                "the chunk has another size", "the chunk is not the next one",
            ],
            "\(errors)"
        )
        let statuses = try await bob.run("/_get chat @1 count=10")["chat"]?["chatItems"]?.arrayValue?.compactMap {
            $0["file"]?["fileStatus"]?["type"]?.stringValue
        }
        #expect(statuses == ["rcvComplete", "rcvCancelled", "rcvCancelled"])
        #expect(try await bob.unhandledMessages().count == 1)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A receiver can request an inline file again after cancelling it`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let (taken, given, content) = (SharedMessageID.random(), SharedMessageID.random(), sampleBytes(20_000))
        for id in [taken, given] {
            try await alice.sendRaw("x.msg.new", offerParams(content.count, "offer"), sharedID: id)
        }
        try await exchangeText(alice, bob, "offered")
        try await bob.expectSmallChunks()
        for file in 1...2 { try await bob.run("/freceive \(file)") }
        for id in [taken, given] { try await alice.sendChunk(id, 1, Array(content.prefix(10_000))) }
        try await exchangeText(alice, bob, "begun")
        try await alice.sendChunk(taken, nil, [])
        try await bob.waitForFile("rcvFileSndCancelled")
        #expect(try await bob.run("/fcancel 2")["type"] == "rcvFileCancelled")
        #expect(try await bob.countKeptChunks() == 0)
        try await alice.sendChunk(given, 2, Array(content[10_000...]))
        try await exchangeText(alice, bob, "late")
        #expect(try await bob.run("/freceive 2")["type"] == "rcvFileAccepted")
        try await alice.sendChunks(of: content, given)
        let complete = try await bob.waitForFile("rcvFileComplete", 2)
        #expect(try bob.decryptedContent(of: bob.fileInAnswer(complete)) == content)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `An inline file in a group is requested only from its sender`() async throws {
        let trio = try await Trio()
        let (alice, bob, carol) = (trio.alice, trio.bob, trio.carol)
        let (id, content) = (SharedMessageID.random(), sampleBytes(20_000))
        try await alice.controller.store.write { [offer = offerParams(content.count, "offer")] tx in
            let user = try #require(try UserRecord.find(1, in: tx.db)),
                params = try #require(JSONValue(parsing: offer).objectValue)
            let group = try GroupRecord.get(1, user: user, in: tx.db)
            try tx.enqueue(
                ChatMessage(sharedID: id, event: .other(tag: "x.msg.new", params: params)),
                to: group.findRecipients(user, in: tx.db)
            )
        }
        try await bob.waitForGroupText("x")
        try await carol.waitForGroupText("x")
        for core in [bob, carol] { try await core.expectSmallChunks() }
        try await bob.run("/freceive 1")
        _ = try await alice.waitForFileRequest()
        try await alice.sendChunks(of: content, id, inGroup: true)
        let complete = try await bob.waitForFile("rcvFileComplete")
        #expect(try bob.decryptedContent(of: bob.fileInAnswer(complete)) == content)
        try await carol.wait(for: "chatError")
        #expect(carol.fileNames == [])
        #expect(try await carol.keptChatMessages().allSatisfy { $0.event.tag != "x.file.acpt.inv" })
        await trio.close()
    }
}

extension Core {
    /// Reduces the expected size of chunks to 10,000 bytes. The first versions of the original send chunks of 15,780
    /// bytes. Such a chunk is too large for a message of this program, and of later versions of the original.
    fileprivate func expectSmallChunks() async throws {
        try await controller.store.write { tx in try tx.db.execute("UPDATE files SET chunk_size = 10000") }
    }

    fileprivate func countKeptChunks() async throws -> Int {
        try await controller.store.read { try $0.query("SELECT 1 FROM inline_chunks").count }
    }

    /// Returns the messages that were received but not understood.
    fileprivate func keptChatMessages() async throws -> [ChatMessage] {
        try await unhandledMessages().flatMap { MessageBody.parse($0.body) }.compactMap { element in
            if case .success(.message(let message)) = element { message } else { nil }
        }
    }

    /// Waits until the peer requests a file inside messages.
    fileprivate func waitForFileRequest() async throws -> ChatMessage {
        try await waitUntil("a file is asked for") {
            try await keptChatMessages().contains { $0.event.tag == "x.file.acpt.inv" }
        }
        return try #require(await keptChatMessages().first { $0.event.tag == "x.file.acpt.inv" })
    }

    fileprivate func sendChunks(of content: [UInt8], _ id: SharedMessageID, inGroup: Bool = false) async throws {
        for (index, start) in stride(from: 0, to: content.count, by: 10_000).enumerated() {
            try await sendChunk(
                id,
                UInt8(index + 1),
                Array(content[start..<min(content.count, start + 10_000)]),
                inGroup: inGroup
            )
        }
    }

    /// Sends a chunk to the first contact, or to the first group.
    fileprivate func sendChunk(
        _ id: SharedMessageID,
        _ number: UInt8?,
        _ bytes: [UInt8],
        inGroup: Bool = false
    ) async throws {
        let body = InlineFileChunk(messageID: id, chunkNumber: number, bytes: bytes).element
        try await controller.store.write { tx in
            let user = try #require(try UserRecord.find(1, in: tx.db))
            let connections =
                try inGroup
                ? GroupRecord.get(1, user: user, in: tx.db).findRecipients(user, in: tx.db).connections
                : [ContactRecord.get(1, user: user, in: tx.db).connection].compactMap { $0 }
            let bodyId = try MessageBodies.store(body, deliveries: connections.count, in: tx.db)
            for connection in connections {
                try tx.enqueueBody(body, bodyId, notifiesReceiver: false, item: nil, to: connection)
            }
        }
    }
}
