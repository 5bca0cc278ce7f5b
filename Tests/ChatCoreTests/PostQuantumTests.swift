import ChatProtocol
import JSON
import SimpleXCrypto
import TestSupport
import Testing

@testable import ChatCore

@Suite(.socketTimeLimit) struct PostQuantumTests {
    private func sendText(_ text: String, _ core: Core) async throws -> JSONValue {
        try await core.run(#"/_send @1 json [{"msgContent":{"type":"text","text":"\#(text)"},"mentions":{}}]"#)
    }

    @Test
    func `Long messages are sent compressed, and arrive unchanged`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let text = String(repeating: "long ", count: 3_000)
        #expect(try await sendText(text, alice)["type"] == "newChatItems")
        try await bob.wait(for: "newChatItems", count: 4)
        #expect(try await bob.run("/_get chat @1 count=1").itemTexts == [text])
        try await alice.wait(for: "chatItemsStatusesUpdated")
        let random = Base64URL.encode(RandomBytes.make(count: 11_300))
        #expect(try await sendText(random, alice)["type"] == "newChatItems")
        try await bob.wait(for: "newChatItems", count: 5)
        #expect(try await bob.run("/_get chat @1 count=1").itemTexts == [random])
        for core in [alice, bob] {
            #expect(try await !core.events().contains { $0.event["type"] == "contactPQEnabled" })
            await core.controller.close()
        }
    }

    @Test(arguments: [13_380, 13_381, 15_602])
    func `A message body is compressed only if it is too long to be sent, and is decompressed without change`(
        length: Int
    ) throws {
        let body =
            Array(#"{"event":"x.ok","params":{}}"#.utf8) + [UInt8](repeating: UInt8(ascii: " "), count: length - 28)
        let fitting = try CompressedBody.compressIfNeeded(body, limit: ChatMessageLimits.compressedMessageBytes)
        #expect((fitting == body) == (length <= 13_380))
        #expect(MessageBody.parse(fitting) == MessageBody.parse(body))
    }
}
