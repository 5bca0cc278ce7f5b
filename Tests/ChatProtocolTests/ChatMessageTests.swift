import ChatAPI
import JSON
import Testing
import TestSupport

@testable import ChatProtocol

@Suite struct ChatMessageTests {
    /// Tags of the events whose parameters are parsed. Other events are kept as received, so an error in their
    /// parameters is not reported, although simplex-chat reports it.
    static let parsedTags: Set<String> = [
        "x.msg.new", "x.msg.update", "x.msg.del", "x.msg.react", "x.msg.file.descr", "x.file.cancel", "x.info",
        "x.contact", "x.direct.del",
        "x.info.probe", "x.info.probe.check", "x.info.probe.ok", "x.ok",
    ]

    @Test
    func `Every chat message of the vectors is read as in simplex-chat, and encoded again to the same bytes`() throws {
        let cases = try #require(Fixture.readVectors("chat-messages")["messages"]?.arrayValue)
        #expect(cases.count > 100)
        for item in cases {
            let name = item["name"]?.stringValue ?? ""
            let input = try #require(item["input"]?.stringValue)
            let parsed = MessageBody.parse(Array(input.utf8))
            try compareMessages(parsed, item["parsed"]?.arrayValue ?? [], name, input)
        }
    }

    @Test
    func `Parsing a batch of chat messages returns a message or an error for each element, in order`() throws {
        for item in try #require(Fixture.readVectors("chat-messages")["batches"]?.arrayValue) {
            let input = try #require(item["input"]?.stringValue)
            try compareMessages(
                MessageBody.parse(Array(input.utf8)),
                item["parsed"]?.arrayValue ?? [],
                item["name"]?.stringValue ?? "",
                input
            )
        }
    }

    @Test
    func `Each element of a binary batch returns a message or an error at the position of the element`() throws {
        let message =
            #"{"v":"1-18","msgId":"CQgHBg==","event":"x.msg.new","params":{"content":{"type":"text","text":"a"}}}"#
        let parts = [message, #"{"v":"1-18","event":"x.direct.del","params":{}}"#, "/GsignedBody", ">forwarded", ""].map
        { Array($0.utf8) }
        let body =
            [UInt8(ascii: "="), UInt8(parts.count)]
            + parts.flatMap { [UInt8($0.count >> 8), UInt8($0.count & 0xFF)] + $0 }
        let parsed = MessageBody.parse(body)
        #expect(parsed.count == parts.count)
        #expect(Array(parsed.prefix(2)) == parts.prefix(2).flatMap { MessageBody.parse($0) })
        #expect(parsed.suffix(3) == [.failure(.invalidBinary), .failure(.invalidBinary), .failure(.empty)])
        for cut in [1, 2, 3, 40, body.count - 1] {
            #expect(MessageBody.parse(Array(body.prefix(cut))) == [.failure(.invalidBinary)])
        }
        #expect(MessageBody.parse(body + [0]) == [.failure(.invalidBinary)])
    }

    @Test
    func `Compressed bodies of chat messages are read`() throws {
        for item in try #require(Fixture.readVectors("chat-messages")["compressed"]?.arrayValue) {
            let body = try #require(item["hex"]?.stringValue.flatMap { [UInt8](hex: $0) })
            try compareMessages(
                MessageBody.parse(body),
                item["parsed"]?.arrayValue ?? [],
                item["name"]?.stringValue ?? "",
                ""
            )
        }
    }

    @Test
    func `Chunks of inline files are read from message bodies`() throws {
        for item in try #require(Fixture.readVectors("chat-messages")["binary"]?.arrayValue) {
            let body = try #require(item["hex"]?.stringValue.flatMap { [UInt8](hex: $0) })
            guard case .success(.chunk(let chunk)) = MessageBody.parse(body).first else {
                Issue.record("no chunk")
                continue
            }
            #expect(chunk.messageID.bytes.hex == item["msgId"]?.stringValue)
            #expect(chunk.chunkNumber.map(Int64.init) == item["chunkNo"]?.integerValue)
            #expect(chunk.bytes.hex == item["chunk"]?.stringValue ?? "")
        }
    }

    @Test
    func `The largest chat message that fits is encoded, and one more byte causes an error`() throws {
        for item in try #require(Fixture.readVectors("chat-messages")["sizes"]?.arrayValue) {
            let length = Int(try #require(item["textLength"]?.integerValue))
            let content: JSONValue = ["type": "text", "text": .string(String(repeating: "x", count: length))]
            let message = ChatMessage(
                versions: ChatVersionRange(minimum: 1, maximum: 16),
                sharedID: nil,
                event: .messageNew(MessageContainer(content: content))
            )
            let expected = Int(try #require(item["encodedLength"]?.integerValue))
            #expect(message.json.encodeText().count == expected)
            if item["fits"] == true {
                #expect(try message.encoded().count == expected)
            } else {
                #expect(throws: ChatProtocolError.largeMessage(length: expected)) { try message.encoded() }
            }
        }
    }

    @Test
    func `A randomly changed chat message does not crash the parser`() {
        let text =
            #"[{"v":"1-16","msgId":"CQgHBg==","event":"x.msg.new","params":{"content":{"type":"text","text":"hi"},"quote":{"msgRef":{"sent":true,"sentAt":"2026-02-03T04:05:06Z"},"content":{"type":"text","text":"a"}},"ttl":5,"live":true}}]"#
        for body in makeMutations(of: Array(text.utf8), count: 500) { _ = MessageBody.parse(body) }
        let compressed =
            [UInt8](
                hex:
                    "580131005328b52ffd20b555020052040f17a0b51903043f252764bd9bb662f73f00432e6280aa3804adb58df1de953b9e28b0b3d56298e1e998c3a06f402a21d2216b7c35557e0b2528e36a16030002970615ac1fadd203"
            ) ?? []
        for body in makeMutations(of: compressed, count: 500) { _ = MessageBody.parse(body) }
        for body in makeMutations(of: [UInt8](hex: "460004010203040168656c6c6f") ?? [], count: 100) {
            _ = MessageBody.parse(body)
        }
    }

    /// Replaces the profile of a message with its parsed form, since profiles are kept as received and parsed later.
    private static func withParsedProfile(_ message: ChatMessage) throws -> ChatMessage {
        func read(_ profile: JSONValue) throws -> JSONValue {
            try JSONEncoder().encodeValue(JSONDecoder().decode(Profile.self, from: profile))
        }
        var message = message
        switch message.event {
        case .info(let profile): message.event = .info(profile: try read(profile))
        case .contact(var request):
            request.profile = try read(request.profile)
            message.event = .contact(request)
        default: break
        }
        return message
    }

    private func compareMessages(
        _ parsed: [Result<MessageBody, ChatProtocolError>],
        _ expected: [JSONValue],
        _ name: String,
        _ input: String
    ) throws {
        #expect(parsed.count == expected.count, "\(name)")
        for (result, expected) in zip(parsed, expected) {
            guard expected["error"] == nil, let event = expected["event"]?.stringValue else {
                if case .success(.message(let message)) = result, Self.parsedTags.contains(message.event.tag) {
                    Issue.record(
                        "\(name): read, but the original reports \(expected["error"]?.stringValue ?? "an error")"
                    )
                }
                continue
            }
            guard case .success(.message(let message)) = result else {
                Issue.record("\(name): \(result)")
                continue
            }
            #expect(message.event.tag == event, "\(name)")
            #expect(message.versions.text == expected["version"]?.stringValue, "\(name)")
            #expect(message.sharedID?.bytes.hex == expected["msgId"]?.stringValue, "\(name)")
            #expect(message.event.hasNotification == expected["hasNotification"]?.boolValue, "\(name)")
            #expect(message.event.hasDeliveryReceipt == expected["hasDeliveryReceipt"]?.boolValue, "\(name)")
            if case .messageReact(let reaction) = message.event {
                #expect(reaction.isKnown == expected["reactionKnown"]?.boolValue, "\(name)")
            }
            guard Self.parsedTags.contains(event) else { continue }
            let again = try Self.withParsedProfile(message).json
            #expect(again.text == expected["encoded"]?.stringValue, "\(name)")
        }
    }
}
