import ChatAPI
import Foundation
import JSON
import TestSupport
import Testing
import XFTPTestSupport

@testable import ChatCore

/// A relay, a file server, and cores that use both.
struct FileWorld {
    let world: World
    let server: FileServer

    init(_ configuration: FileServer.Configuration = .init()) async throws {
        world = try await World()
        server = try await FileServer(configuration)
    }

    func makeCore(_ name: String) async throws -> Core {
        let core = try await world.core(name, servers: [world.relay.address, server.server])
        try await core.createUser(name)
        return core
    }

    func makeConnectedCores() async throws -> (alice: Core, bob: Core) {
        let (alice, bob) = (try await makeCore("alice"), try await makeCore("bob"))
        try await connectUsers(alice, 1, to: bob, 1)
        return (alice, bob)
    }
}

extension Core {
    /// Sends a file. `chat` has the form of commands.
    @discardableResult
    func sendFile(_ name: String, text: String = "", to chat: String = "@1") async throws -> JSONValue {
        try await run(
            #"/_send \#(chat) json [{"msgContent":{"type":"file","text":"\#(text)"},"mentions":{},"fileSource":{"filePath":"\#(name)"}}]"#
        )
    }

    /// Waits until an event reports this status of the file.
    @discardableResult
    func waitForFile(_ event: String, _ fileId: Int64 = 1, within seconds: Int = 60) async throws -> JSONValue {
        for count in 1... {
            let told = try await wait(for: event, count: count, within: seconds)
            if let found = told.last(where: {
                ($0["chatItem"] ?? $0["chatItem_"])?["chatItem"]?["file"]?["fileId"] == .integer(fileId)
            }) {
                return found
            }
        }
        return .null
    }

    func fileInAnswer(_ answer: JSONValue) -> JSONValue? {
        answer["chatItems"]?[0]?["chatItem"]?["file"]
            ?? (answer["chatItem"] ?? answer["chatItem_"])?["chatItem"]?["file"]
    }

    /// Returns the types of the events about files, in order.
    func fileEventTypes() async throws -> [String] {
        try await events().compactMap { $0.event["type"]?.stringValue }.filter {
            $0.hasPrefix("rcvFile") || $0.hasPrefix("sndFile") || $0.contains("Standalone")
        }
    }
}

@Suite(.socketTimeLimit, .serialized) struct FileTransferTests {
    private func close(_ cores: Core...) async { for core in cores { await core.controller.close() } }

    @Test
    func `The recipient of a file with only one chunk gets no progress event`() async throws {
        let world = try await FileWorld()
        let (alice, bob) = try await world.makeConnectedCores()
        let content = sampleBytes(200_000)
        try alice.writeFile("image.jpg", content)
        _ = try await alice.sendFile("image.jpg", text: "image")
        try await waitForText("image", bob)
        _ = try await bob.run("/freceive 1 approved_relays=off")
        let complete = try await bob.waitForFile("rcvFileComplete")
        #expect(try bob.decryptedContent(of: bob.fileInAnswer(complete)) == content)
        try await alice.waitForFile("sndFileCompleteXFTP")
        #expect(world.server.chunkCount == 1)
        #expect(try await alice.fileEventTypes() == ["sndFileProgressXFTP", "sndFileCompleteXFTP"])
        #expect(try await bob.fileEventTypes() == ["rcvFileDescrReady", "rcvFileStart", "rcvFileComplete"])
        await close(alice, bob)
    }

    @Test
    func `A file arrives unchanged, and the events of its transfer come in order`() async throws {
        let world = try await FileWorld()
        let (alice, bob) = try await world.makeConnectedCores()
        let content = sampleBytes(700_000)
        try alice.writeFile("data.bin", content)
        let sent = try await alice.sendFile("data.bin", text: "data")
        #expect(
            alice.fileInAnswer(sent)?["fileStatus"] == ["type": "sndStored"]
                && alice.fileInAnswer(sent)?["fileProtocol"] == "xftp",
            "\(sent)"
        )
        try await waitForText("data", bob)
        let accepted = try await bob.run("/freceive 1 approved_relays=off")
        #expect(
            accepted["type"] == "rcvFileAccepted" && bob.fileInAnswer(accepted)?["fileSize"] == 700_000,
            "\(accepted)"
        )
        let complete = try await bob.waitForFile("rcvFileComplete")
        #expect(bob.readStoredFile("data.bin") != content)
        #expect(
            try await bob.run("/_get chat @1 count=1")["chat"]?["chatItems"]?[0]?["file"]?["fileStatus"] == [
                "type": "rcvComplete"
            ]
        )
        let told = try await alice.waitForFile("sndFileCompleteXFTP")
        #expect(
            told["fileTransferMeta"]?["xftpSndFile"]?["privateSndFileDescr"]?.stringValue?.contains("party: sender")
                == true
        )
        #expect(alice.fileInAnswer(told)?["fileStatus"] == ["type": "sndComplete"])
        let received = try bob.decryptedContent(of: bob.fileInAnswer(complete))
        #expect(received == content)
        let servers = try await alice.run("/get servers summary 1")["serversSummary"]?["currentUserXFTP"]
        let counted = servers?["xftpTotals"]?["stats"]
        let (chunks, size) = (
            JSONValue.integer(Int64(world.server.chunkCount)), try #require(counted?["_uploadsSize"]?.integerValue)
        )
        #expect(
            counted?["_uploads"] == chunks && counted?["_uploadAttempts"] == chunks && counted?["_uploadErrs"] == 0
                && (684...1024).contains(size),
            "\(servers?.text ?? "")"
        )
        let used =
            (servers?["currentlyUsedXFTPServers"]?.arrayValue ?? [])
            + (servers?["previouslyUsedXFTPServers"]?.arrayValue ?? [])
        #expect(used.count == 1 && used[0]["known"] == true && used[0]["stats"] == counted)
        let fetched = try await bob.run("/get servers summary 1")["serversSummary"]?["allUsersXFTP"]?["xftpTotals"]?[
            "stats"
        ]
        #expect(
            fetched?["_downloads"] == chunks && fetched?["_downloadsSize"] == .integer(size)
                && fetched?["_downloadErrs"] == 0 && fetched?["_uploads"] == 0
        )
        let steps = try await bob.fileEventTypes()
        #expect(
            steps.filter { $0 != "rcvFileProgressXFTP" } == ["rcvFileDescrReady", "rcvFileStart", "rcvFileComplete"],
            "\(steps)"
        )
        #expect(steps.contains("rcvFileProgressXFTP"))
        #expect(try await bob.run("/freceive 1").errorType == "fileAlreadyReceiving")
        #expect(try await bob.run("/fcancel 1").errorType == "fileCancel")
        #expect(try await bob.run("/freceive 9").errorType == "userNotFoundByFileId")
        #expect(try await bob.run("/fcancel 9").errorType == "fileNotFound")
        #expect(try await alice.run("/freceive 1").errorType == "rcvFileNotFound")
        await close(alice, bob)
    }

    @Test
    func `If the sender cancels a file, the servers delete the file, and the recipient sees the file as cancelled`()
        async throws
    {
        let world = try await FileWorld()
        let (alice, bob) = try await world.makeConnectedCores()
        try alice.writeFile("a.bin", sampleBytes(300_000))
        try await alice.sendFile("a.bin", text: "one")
        try await alice.waitForFile("sndFileCompleteXFTP")
        try await bob.waitForFile("rcvFileDescrReady")
        let chunks = world.server.chunkCount
        #expect(chunks > 0)
        let cancelled = try await alice.run("/fcancel 1")
        #expect(
            cancelled["type"] == "sndFileCancelled"
                && alice.fileInAnswer(cancelled)?["fileStatus"] == ["type": "sndCancelled"],
            "\(cancelled)"
        )
        #expect(cancelled["sndFileTransfers"]?[0]?["recipientDisplayName"] == "bob")
        let told = try await bob.waitForFile("rcvFileSndCancelled")
        #expect(bob.fileInAnswer(told)?["fileStatus"] == ["type": "rcvCancelled"])
        #expect(try await bob.run("/freceive 1").errorType == "fileCancelled")
        #expect(try await alice.run("/fcancel 1").errorType == "fileCancel")
        try await alice.controller.findWorker(FileWorker.self).removeLeftoverFiles()
        try await waitUntil("the chunks are deleted") { world.server.chunkCount == 0 }
        try await waitUntil("the deletions are counted") {
            try await alice.run("/get servers summary 1")["serversSummary"]?["currentUserXFTP"]?["xftpTotals"]?[
                "stats"
            ]?["_deletions"] == .integer(Int64(chunks))
        }
        await close(alice, bob)
    }

    @Test
    func `A sent file is not deleted from the servers if the agent reports the end of its upload twice`() async throws {
        let world = try await FileWorld()
        let (alice, bob) = try await world.makeConnectedCores()
        var chunks = 0
        for (number, name) in ["a.bin", "b.bin", "c.bin"].enumerated() {
            try alice.writeFile(name, sampleBytes(5_000_000))
            try await alice.sendFile(name, text: name)
            if number == 1 {
                // The chat has already stored the end of the file, and emits no event.
                try await alice.controller.store.write { tx in try tx.db.execute("UPDATE files SET agent_done = 1") }
                try await waitUntil("the file is on the servers") { world.server.chunkCount == 2 * chunks }
            } else {
                try await alice.waitForFile("sndFileCompleteXFTP", Int64(number + 1))
            }
            if number == 0 { chunks = world.server.chunkCount }
        }
        #expect(chunks > 0 && world.server.chunkCount == 3 * chunks)
        await close(alice, bob)
    }

    @Test
    func `A recipient can receive a file again after cancelling it`() async throws {
        let world = try await FileWorld()
        let (alice, bob) = try await world.makeConnectedCores()
        try alice.writeFile("a.txt", sampleBytes(1000))
        try await alice.sendFile("a.txt", text: "one")
        try await waitForText("one", bob)
        try await bob.run("/freceive 1 encrypt=off")
        let cancelled = try await bob.run("/fcancel 1")
        #expect(
            cancelled["type"] == "rcvFileCancelled"
                && bob.fileInAnswer(cancelled)?["fileStatus"] == ["type": "rcvInvitation"],
            "\(cancelled)"
        )
        try await bob.waitForFile("rcvFileDescrReady")
        try await bob.run("/freceive 1 encrypt=off")
        try await bob.waitForFile("rcvFileComplete")
        #expect(bob.readStoredFile("a.txt") == sampleBytes(1000))

        try await alice.sendFile("a.txt", text: "two")
        try await bob.waitForFile("rcvFileDescrReady", 2)
        #expect(try await bob.run("/_set_file_to_receive 2 approved_relays=off encrypt=off")["type"] == "cmdOk")
        await bob.controller.stop()
        try await bob.controller.start()
        try await bob.waitForFile("rcvFileAccepted", 2)
        try await bob.waitForFile("rcvFileComplete", 2)
        #expect(bob.readStoredFile("a_1.txt") == sampleBytes(1000))
        await close(alice, bob)
    }

    @Test
    func `A file without a message is downloaded through its link`() async throws {
        let world = try await FileWorld()
        let (alice, bob) = (try await world.makeCore("alice"), try await world.makeCore("bob"))
        try alice.writeFile("large.bin", sampleBytes(700_000))
        try alice.writeFile("small.bin", sampleBytes(10))
        for (name, count) in [("small.bin", 1), ("large.bin", 2)] {
            let created = try await alice.run("/_upload 1 \(name)")
            #expect(created["type"] == "sndStandaloneFileCreated", "\(created)")
            let complete = try #require(try await alice.wait(for: "sndStandaloneFileComplete", count: count).last)
            #expect(complete["fileTransferMeta"]?["fileName"] == .string(name))
            let fileId = try #require(complete["fileTransferMeta"]?["fileId"])
            let status = try await alice.run("/fstatus \(fileId.text)")
            #expect(
                status["type"] == "fileTransferStatus" && status["data"]?[0]?["localDisplayName"] == "alice",
                "\(status)"
            )
            #expect(
                status["data"]?[1]?[0]?["fileTransferMeta"]?["fileId"] == fileId && status["data"]?[1]?[1] == [0],
                "\(status)"
            )
            let link = try #require(complete["rcvURIs"]?[0]?.stringValue)
            let target = "\(bob.filesFolder)/got-\(name)"
            #expect(try await bob.run("/_download info \(link)") == ["type": "standaloneFileInfo"])
            let started = try await bob.run("/_download 1 \(link) \(target)")
            #expect(started["type"] == "rcvStandaloneFileCreated", "\(started)")
            let told = try #require(try await bob.wait(for: "rcvStandaloneFileComplete", count: count).last)
            #expect(told["targetPath"] == .string(target))
            let received = try #require(started["rcvFileTransfer"]?["fileId"])
            #expect(try await bob.run("/fs \(received.text)")["data"]?[1]?[0]?["type"] == "rcv")
            #expect(bob.readStoredFile("got-\(name)") == alice.readStoredFile(name))
        }
        #expect(try await alice.events().contains { $0.event["type"] == "sndFileRedirectStartXFTP" })
        #expect(try await bob.run("/fstatus 99").errorType == "fileNotFound")
        #expect(try await bob.run("/_download 1 simplex:/file#/?desc=x got").errorType == "commandError")
        await close(alice, bob)
    }

    @Test
    func `A file sent to a group reaches all members, also members who join after the sending`() async throws {
        let world = try await FileWorld()
        let (alice, bob) = try await world.makeConnectedCores()
        let carol = try await world.makeCore("carol")
        try await connectUsers(alice, 1, to: carol, 1)
        try await alice.createGroup(
            #"{"displayName":"team","fullName":"","groupPreferences":{"history":{"enable":"on"}}}"#
        )
        func join(_ core: Core, _ contact: Int64) async throws {
            try await alice.run("/_add #1 \(contact) member")
            try await core.wait(for: "receivedGroupInvitation")
            try await core.run("/_join #1")
            try await core.wait(for: "userJoinedGroup")
        }
        try await join(bob, 1)
        try alice.writeFile("plan.txt", sampleBytes(5000))
        let sent = try await alice.sendFile("plan.txt", text: "plan", to: "#1")
        #expect(sent["type"] == "newChatItems", "\(sent)")
        let complete = try await alice.waitForFile("sndFileCompleteXFTP")
        #expect(alice.fileInAnswer(complete)?["fileStatus"] == ["type": "sndComplete"])
        try await bob.waitForFile("rcvFileDescrReady")
        try await bob.run("/freceive 1 encrypt=off")
        try await bob.waitForFile("rcvFileComplete")
        #expect(bob.readStoredFile("plan.txt") == sampleBytes(5000))

        try await join(carol, 2)
        try await carol.waitForFile("rcvFileDescrReady")
        try await carol.run("/freceive 1 encrypt=off")
        try await carol.waitForFile("rcvFileComplete")
        #expect(carol.readStoredFile("plan.txt") == sampleBytes(5000))

        let prohibited =
            #"/_group_profile #1 {"displayName":"team","fullName":"","groupPreferences":{"history":{"enable":"on"},"files":{"enable":"off"}}}"#
        #expect(try await alice.run(prohibited)["type"] == "groupUpdated")
        #expect(
            try await alice.sendFile("plan.txt", text: "again", to: "#1")["errorType"]?["message"]
                == "feature not allowed Files and media"
        )
        await close(alice, bob, carol)
    }

    @Test
    func `Deleting a message for both sides cancels the transfer of the message's file`() async throws {
        let world = try await FileWorld()
        let (alice, bob) = try await world.makeConnectedCores()
        try alice.writeFile("a.txt", sampleBytes(1000))
        let sent = try await alice.sendFile("a.txt", text: "one")
        let item = try #require(sent.firstItemId)
        try await waitForText("one", bob)
        #expect(try await alice.run("/_delete item @1 \(item) broadcast")["type"] == "chatItemsDeleted")
        try await bob.wait(for: "chatItemsDeleted")
        #expect(try await bob.run("/freceive 1").errorType == "fileCancelled")
        try await alice.run("/_delete item @1 \(item) internal")
        try await alice.controller.findWorker(FileWorker.self).removeLeftoverFiles()
        #expect(alice.fileNames == [])
        await close(alice, bob)
    }

    @Test
    func `File servers outside of the recipient's configuration are contacted only with the recipient's approval`()
        async throws
    {
        let world = try await FileWorld()
        let alice = try await world.makeCore("alice")
        let other = try await FileServer()
        let bob = try await world.world.core("bob", servers: [world.world.relay.address, other.server])
        try await bob.createUser("bob")
        try await connectUsers(alice, 1, to: bob, 1)
        try alice.writeFile("a.txt", sampleBytes(1000))
        for text in ["one", "two"] { try await alice.sendFile("a.txt", text: text) }
        try await waitForText("two", bob)
        try await bob.run("/freceive 2")
        // The description arrives after the file was accepted.
        for id in [1, 2] as [Int64] { try await bob.waitForFile("rcvFileDescrReady", id) }
        let refused = try await bob.run("/freceive 1")
        #expect(
            refused["errorType"]?["type"] == "fileNotApproved" && refused["errorType"]?["fileId"] == 1,
            "\(refused)"
        )
        #expect(refused["errorType"]?["unknownServers"]?[0]?.stringValue?.hasPrefix("xftp://") == true)
        let reset = try await bob.waitForFile("chatItemUpdated", 2)
        #expect(bob.fileInAnswer(reset)?["fileStatus"] == ["type": "rcvInvitation"])
        try await bob.wait(for: "chatError")
        for id in [1, 2] as [Int64] {
            #expect(try await bob.run("/freceive \(id) approved_relays=on encrypt=off")["type"] == "rcvFileAccepted")
            try await bob.waitForFile("rcvFileComplete", id)
        }
        #expect(bob.fileNames == ["a.txt", "a_1.txt"])
        await close(alice, bob)
    }

    @Test
    func `If the settings permit receiving without a request, only small pictures are received without a request`()
        async throws
    {
        let world = try await FileWorld()
        let (alice, bob) = try await world.makeConnectedCores()
        try alice.writeFile("a.png", sampleBytes(1000))
        try alice.writeFile("large.png", sampleBytes(522_241))
        func send(_ name: String, _ content: String) async throws {
            try await alice.run(
                #"/_send @1 json [{"msgContent":\#(content),"mentions":{},"fileSource":{"filePath":"\#(name)"}}]"#
            )
        }
        let image = #"{"type":"image","text":"","image":"data:image/png;base64,AA"}"#
        try await send("a.png", image)
        try await bob.waitForFile("rcvFileDescrReady", 1)
        #expect(try await bob.run(#"/_save app settings {"privacyAcceptImages":true}"#)["type"] == "cmdOk")
        try await send("large.png", image)
        try await bob.waitForFile("rcvFileDescrReady", 2)
        try await send("a.png", image)
        let accepted = try await bob.waitForFile("rcvFileAccepted", 3)
        #expect(bob.fileInAnswer(accepted)?["fileStatus"] == ["type": "rcvAccepted"])
        let complete = try await bob.waitForFile("rcvFileComplete", 3)
        let received = try bob.decryptedContent(of: bob.fileInAnswer(complete))
        #expect(received == sampleBytes(1000))
        for id in [1, 2] {
            #expect(
                try await bob.run("/_get chat @1 count=3")["chat"]?["chatItems"]?[id - 1]?["file"]?["fileStatus"] == [
                    "type": "rcvInvitation"
                ]
            )
        }
        await close(alice, bob)
    }

    @Test
    func `Console commands send and forward files and pictures`() async throws {
        let world = try await FileWorld()
        let (alice, bob) = try await world.makeConnectedCores()
        try alice.writeFile("a.png", sampleBytes(1000))
        try alice.writeFile("a.txt", sampleBytes(10))
        try alice.writeFile("large.png", sampleBytes(522_241))
        #expect(alice.fileInAnswer(try await alice.run("/f @bob a.txt"))?["fileName"] == "a.txt")
        let image = try await alice.run("/img @bob a.png")
        #expect(image["chatItems"]?[0]?["chatItem"]?["content"]?["msgContent"]?["type"] == "image", "\(image)")
        #expect(alice.fileInAnswer(try await alice.run("/ff @bob 2"))?["fileName"] == "a.png")
        #expect(alice.fileInAnswer(try await alice.run("/f * a.txt"))?["fileProtocol"] == "local")
        #expect(try await alice.run("/img @bob a.txt").errorType == "fileImageType")
        #expect(try await alice.run("/img @bob large.png").errorType == "fileImageSize")
        #expect(try await alice.run("/ff @bob 99").errorType == "fileNotFound")
        try await bob.waitForFile("rcvFileDescrReady", 3)
        #expect(try await bob.run("/ff @alice 3").errorType == "fileNotReceived")
        #expect(try await bob.run("/fr 3")["type"] == "rcvFileAccepted")
        try await bob.waitForFile("rcvFileComplete", 3)
        #expect(bob.fileInAnswer(try await bob.run("/imgf @alice 3"))?["fileName"] == "a.png")
        await close(alice, bob)
    }

    @Test
    func `An interrupted file transfer is completed once after the next start`() async throws {
        let world = try await FileWorld()
        let (alice, bob) = try await world.makeConnectedCores()
        try alice.writeFile("a.bin", sampleBytes(3_000_000))
        try await alice.sendFile("a.bin", text: "one")
        await alice.controller.stop()
        try await alice.controller.start()
        try await bob.waitForFile("rcvFileDescrReady")
        try await bob.run("/freceive 1 encrypt=off")
        await bob.controller.stop()
        try await bob.controller.start()
        try await bob.waitForFile("rcvFileComplete")
        #expect(bob.readStoredFile("a.bin") == sampleBytes(3_000_000))
        try await alice.waitForFile("sndFileCompleteXFTP")
        let (sent, received) = (try await alice.fileEventTypes(), try await bob.fileEventTypes())
        #expect(sent.count { $0 == "sndFileCompleteXFTP" } == 1 && received.count { $0 == "rcvFileComplete" } == 1)
        #expect(bob.fileNames == ["a.bin"])
        await close(alice, bob)
    }
}
