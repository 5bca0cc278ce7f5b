import ChatAPI
import ChatProtocol
import JSON
import SimpleXCrypto
import Testing

@testable import ChatCore
@testable import ChatStore

/// Senders of files that violate the protocol.
@Suite(.socketTimeLimit) struct HostileFileTests {
    private func offerParams(
        _ name: String,
        size: String = "1000",
        descr: String = #"{"fileDescrText":"","fileDescrPartNo":0,"fileDescrComplete":false}"#
    ) -> String {
        #"{"content":{"type":"file","text":"x"},"file":{"fileName":"\#(name)","fileSize":\#(size),"fileDescr":\#(descr)}}"#
    }

    private func descriptionPart(_ id: SharedMessageID, _ text: String, _ number: Int, complete: Bool) -> String {
        #"{"msgId":"\#(id.text)","fileDescr":{"fileDescrText":"\#(text)","fileDescrPartNo":\#(number),"fileDescrComplete":\#(complete)}}"#
    }

    @Test
    func `Malformed file offers are refused, and unsafe file names are replaced by safe names`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        for size in ["0", "-1", "1.5", "\"1\""] { try await alice.sendRaw("x.msg.new", offerParams("a", size: size)) }
        try await alice.sendRaw(
            "x.msg.new",
            offerParams("a", descr: #"{"fileDescrText":"","fileDescrPartNo":1,"fileDescrComplete":false}"#)
        )
        try await alice.sendRaw("x.msg.new", offerParams("a", descr: #"{"fileDescrText":1}"#))
        try await exchangeText(alice, bob, "refused")
        #expect(
            try await bob.run("/_get chat @1 count=10")["chat"]?["chatItems"]?.arrayValue?.contains {
                $0["file"] != nil
            } == false
        )
        for name in ["../../etc/passwd", "a\\u0001b", "..", String(repeating: "n", count: 10_000)] {
            try await alice.sendRaw("x.msg.new", offerParams(name))
        }
        try await alice.sendRaw("x.msg.new", offerParams("large", size: "9223372036854775807"))
        try await exchangeText(alice, bob, "harmless")
        let files =
            try await bob.run("/_get chat @1 count=10")["chat"]?["chatItems"]?.arrayValue?.compactMap { $0["file"] }
            ?? []
        #expect(
            files.compactMap { $0["fileName"]?.stringValue } == [
                "passwd", "a_b", "_", String(repeating: "n", count: 240), "large",
            ]
        )
        // No file can have this size.
        let large = try #require(files.last?["fileId"]?.integerValue)
        #expect(try await bob.run("/freceive \(large)")["errorType"]?["type"] == "fileSize")
        // Each file is received under its safe name, directly in the folder for files.
        for file in files.dropLast() {
            let id = try #require(file["fileId"]?.integerValue)
            let accepted = try await bob.run("/freceive \(id)")
            #expect(
                accepted["chatItem"]?["chatItem"]?["file"]?["fileSource"]?["filePath"] == file["fileName"],
                "\(accepted)"
            )
        }
        #expect(bob.fileNames == [])
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `Parts of a file description are used only in order, and the complete description is reported once`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        let id = SharedMessageID.random()
        try await alice.sendRaw("x.msg.new", offerParams("a"), sharedID: id)
        try await alice.sendRaw("x.msg.file.descr", descriptionPart(id, "two", 2, complete: true))
        try await alice.sendRaw("x.msg.file.descr", descriptionPart(id, "one,", 1, complete: false))
        try await alice.sendRaw("x.msg.file.descr", descriptionPart(id, "one,", 1, complete: false))
        try await alice.sendRaw("x.msg.file.descr", descriptionPart(id, "three", 3, complete: true))
        try await alice.sendRaw("x.msg.file.descr", descriptionPart(id, "two", 2, complete: true))
        try await alice.sendRaw("x.msg.file.descr", descriptionPart(id, "more", 3, complete: true))
        try await alice.sendRaw(
            "x.msg.file.descr",
            descriptionPart(SharedMessageID.random(), "none", 1, complete: true)
        )
        try await alice.sendRaw("x.msg.file.descr", #"{"msgId":"\#(id.text)","fileDescr":{"fileDescrText":3}}"#)
        try await exchangeText(alice, bob, "told")
        let ready = try await bob.wait(for: "rcvFileDescrReady")
        #expect(
            ready.count == 1 && ready[0]["rcvFileDescr"]?["fileDescrText"] == "one,two"
                && ready[0]["rcvFileDescr"]?["fileDescrPartNo"] == 2
        )
        let refused = try await bob.run("/freceive 1")
        #expect(refused.errorType == "invalidFileDescription", "\(refused)")
        #expect(
            try await bob.run("/_get chat @1 count=2")["chat"]?["chatItems"]?[0]?["file"]?["fileStatus"] == [
                "type": "rcvInvitation"
            ]
        )
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A received file description cannot become larger than the description of the largest permitted file`()
        async throws
    {
        let alice = try await World().core("alice", started: false)
        try await alice.createUser("alice")
        try await alice.controller.store.write { tx in
            let json = try JSONValue(
                parsing:
                    #"{"fileName":"a","fileSize":5,"fileDescr":{"fileDescrText":"","fileDescrPartNo":0,"fileDescrComplete":false}}"#
            )
            let many = try ReceivedFiles.storeOffer(json, by: nil, user: 1, tx)
            for number in 1...1024 {
                _ = try ReceivedFiles.addPart(
                    FileDescr(fileDescrText: "x", fileDescrPartNo: number, fileDescrComplete: false),
                    to: many,
                    tx
                )
            }
            #expect(throws: ChatFailure.self) {
                _ = try ReceivedFiles.addPart(
                    FileDescr(fileDescrText: "x", fileDescrPartNo: 1025, fileDescrComplete: true),
                    to: many,
                    tx
                )
            }
            let long = try ReceivedFiles.storeOffer(json, by: nil, user: 1, tx)
            let part = String(repeating: "x", count: 1 << 19)
            for number in 1...2 {
                _ = try ReceivedFiles.addPart(
                    FileDescr(fileDescrText: part, fileDescrPartNo: number, fileDescrComplete: false),
                    to: long,
                    tx
                )
            }
            #expect(throws: ChatFailure.self) {
                _ = try ReceivedFiles.addPart(
                    FileDescr(fileDescrText: "x", fileDescrPartNo: 3, fileDescrComplete: true),
                    to: long,
                    tx
                )
            }
        }
        await alice.controller.close()
    }

    @Test
    func `Only the sender of a file can send its description or cancel the file`() async throws {
        let trio = try await Trio()
        let (alice, bob, carol) = (trio.alice, trio.bob, trio.carol)
        let id = SharedMessageID.random()
        func sendToGroup(
            _ core: Core,
            _ tag: String,
            _ params: String,
            id: SharedMessageID? = SharedMessageID.random()
        ) async throws {
            let object = try #require(JSONValue(parsing: params).objectValue)
            try await core.controller.store.write { tx in
                let user = try #require(try UserRecord.find(1, in: tx.db))
                let group = try GroupRecord.get(1, user: user, in: tx.db)
                try tx.enqueue(
                    ChatMessage(sharedID: id, event: .other(tag: tag, params: object)),
                    to: group.findRecipients(user, in: tx.db)
                )
            }
        }
        try await sendToGroup(alice, "x.msg.new", offerParams("a"), id: id)
        try await carol.waitForGroupText("x")
        try await bob.waitForGroupText("x")
        try await sendToGroup(carol, "x.msg.file.descr", descriptionPart(id, "other", 1, complete: true))
        try await sendToGroup(carol, "x.file.cancel", #"{"msgId":"\#(id.text)"}"#)
        try await carol.sendToGroup("done", to: 1)
        try await bob.waitForGroupText("done")
        let errors = try await bob.wait(for: "messageError", count: 2)
        #expect(
            errors.compactMap { $0["errorMessage"]?.stringValue } == [
                "x.msg.file.descr: the file is not of this sender", "x.file.cancel: the file is not of this sender",
            ]
        )
        let told = try await bob.fileEventTypes()
        #expect(told == [])
        // Other members cannot cancel the user's own file either.
        try await sendToGroup(alice, "x.file.cancel", #"{"msgId":"\#(id.text)"}"#)
        try await bob.waitForFile("rcvFileSndCancelled")
        await trio.close()
    }
}
