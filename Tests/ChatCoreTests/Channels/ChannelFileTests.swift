import ChatAPI
import ChatProtocol
import JSON
import SimpleXCrypto
import Testing
import XFTPTestSupport

@testable import Agent
@testable import ChatCore

@Suite("Files of channels", .socketTimeLimit)
struct ChannelFileTests {
    @Test
    func `If a subscriber sends a file to several relays, other subscribers get the file once`() async throws {
        let files = try await FileWorld()
        let channel = try await ChannelNetwork(relays: 2, in: files.world)
        let (bob, carol) = (try await files.makeCore("bob"), try await files.makeCore("carol"))
        for core in [bob, carol] { try await channel.joinChannel(core, relays: 2) }
        try await channel.waitForRecords("both at both relays") {
            $0.subscribersByRelay[0]?.count == 2 && $0.subscribersByRelay[1]?.count == 2
        }
        // The owner gives the subscriber the right to write.
        let request = try #require(channel.relayRecords.withLock { $0.joinRequests.first?.params })
        let (id, key) = (
            try #require(request["newMemberId"]?.stringValue), try #require(request["newMemberKey"]?.stringValue)
        )
        let role = try channel.signedElement(
            "x.grp.mem.role",
            #"{"memberId":"\#(id)","memberKey":"\#(key)","role":"member","rosterVersion":0}"#
        )
        try await channel.sendFromRelay([role, channel.postElement("go on")])
        for core in [bob, carol] { try await core.waitForItem("go on") }
        let content = sampleBytes(200_000)
        try bob.writeFile("post.bin", content)
        let sent = try await bob.sendFile("post.bin", text: "for the channel", to: "#1")
        #expect(sent["type"] == "newChatItems", "\(sent)")
        try await bob.waitForFile("sndFileCompleteXFTP")
        @Sendable func messages(
            _ seen: ChannelNetwork.RelayRecords,
            at relay: Int
        ) -> [(event: String, json: JSONValue)] {
            var found: [(String, JSONValue)] = []
            for received in seen.receivedMessages where received.relay == relay {
                for element in MessageElements.parseAll(of: received.body) {
                    guard let json = element.json, let event = json["event"]?.stringValue, event.hasPrefix("x.msg")
                    else { continue }
                    found.append((event, json))
                }
            }
            return found
        }
        try await channel.waitForRecords("the description at both relays") { seen in
            [0, 1].allSatisfy { relay in messages(seen, at: relay).contains { $0.event == "x.msg.file.descr" } }
        }
        let passedOn = channel.relayRecords.withLock { seen in [0, 1].map { messages(seen, at: $0).map(\.json) } }
        #expect(passedOn[0].map(\.text) == passedOn[1].map(\.text))
        #expect(passedOn[0].allSatisfy { $0["v"] == "1-19" && $0["msgId"] != nil })
        let author = try #require(MemberID(parsing: id))
        for relay in [1, 0] {
            let elements = passedOn[relay].map {
                ForwardedMessage.encodeElement(by: author, named: "bob", at: .now, $0.encodeText())
            }
            try await channel.sendFromRelay(elements + [channel.postElement("relay \(relay) is done")], from: relay)
            try await carol.waitForItem("relay \(relay) is done")
        }
        #expect(try await carol.events().count { $0.event["type"] == "rcvFileDescrReady" } == 1)
        #expect(try await carol.run("/_get chat #1 count=100").itemTexts.count { $0 == "for the channel" } == 1)
        try await carol.run("/freceive 1 approved_relays=on")
        let done = try await carol.waitForFile("rcvFileComplete")
        #expect(try carol.decryptedContent(of: carol.fileInAnswer(done)) == content)
        for core in [bob, carol] { await core.controller.close() }
        await channel.close()
    }

    @Test
    func `The description of a file in a channel is complete only if all of its parts come from one relay`()
        async throws
    {
        let stage = try await ChannelStage()
        let id = SharedMessageID.random()
        let file =
            #"{"fileName":"a.bin","fileSize":1000,"fileDescr":{"fileDescrText":"","fileDescrPartNo":0,"fileDescrComplete":false}}"#
        let post = stage.messageJSON(
            "x.msg.new",
            #"{"asGroup":true,"content":{"type":"file","text":"post"},"file":\#(file)}"#,
            id: id
        )
        for relay in [0, 1] { try await stage.sendElements(stage.forwardedElement(post, by: nil), from: relay) }
        func part(_ text: String, _ number: Int, _ isLast: Bool, id messageID: SharedMessageID? = .random()) -> [UInt8]
        {
            let params =
                #"{"msgId":"\#(id.text)","fileDescr":{"fileDescrText":"\#(text)","fileDescrPartNo":\#(number),"fileDescrComplete":\#(isLast)}}"#
            let name = messageID.map { #""msgId":"\#($0.text)","# } ?? ""
            return stage.forwardedElement(
                Array(#"{"v":"1-19",\#(name)"event":"x.msg.file.descr","params":\#(params)}"#.utf8),
                by: nil
            )
        }
        try await stage.sendElements(part("first ", 1, false), from: 0)
        try await stage.sendElements(part("other ", 1, false), from: 1)
        // Relay 0 sends part 7 after part 1, which completes nothing. Relay 1 sends its correct last part.
        try await stage.sendElements(part("gap", 7, true), from: 0)
        #expect(try await countReadyDescriptions(stage) == 0)
        try await stage.sendElements(part("words", 2, true, id: nil), from: 1)
        #expect(try await countReadyDescriptions(stage) == 1)
        let text = try await stage.core.controller.store.read { db in
            try db.firstRow("SELECT descr_text FROM file_descriptions")?.string("descr_text")
        }
        #expect(text == "other words")
        // The description of the file is complete already, so a late part causes no error and has no effect.
        let errors = try await stage.core.events().count { $0.event["type"] == "chatError" }
        try await stage.sendElements(part("rest", 2, true), from: 0)
        try await stage.sendElements(part("again", 1, true), from: 1)
        #expect(try await countReadyDescriptions(stage) == 1)
        #expect(try await stage.core.events().count { $0.event["type"] == "chatError" } == errors)
        let left = try await stage.core.controller.store.read { db in
            try db.query("SELECT 1 FROM channel_descriptions").count
        }
        #expect(left == 0)
        await stage.core.controller.close()
    }

    private func countReadyDescriptions(_ stage: ChannelStage) async throws -> Int {
        try await stage.core.events().count { $0.event["type"] == "rcvFileDescrReady" }
    }
}
