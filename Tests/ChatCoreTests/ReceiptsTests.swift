import ChatAPI
import JSON
import Testing
import TestSupport

@testable import ChatCore

@Suite struct ReceiptsTests {
    @Test("A message is shown as received when the contact's program has it, unless the contact has receipts off")
    func receipts() async throws {
        let (alice, bob) = try await World().pair()

        try await alice.run("/_send @1 text with receipt")
        try await alice.waitForStatus("sndRcvd", of: ["with receipt"])

        try await bob.run("/_set receipts contacts 1 off")
        try await alice.run("/_send @1 text without")
        try await alice.waitForStatus("sndSent", of: ["without"])
        try await waitForText("without", bob)
        try await bob.run("/_set receipts contacts 1 on")
        try await alice.run("/_send @1 text with again")
        try await alice.waitForStatus("sndRcvd", of: ["with again"])

        let chat = try await alice.run("/_get chat @1 count=3")
        let statuses = chat["chat"]?["chatItems"]?.arrayValue?.compactMap { $0["meta"]?["itemStatus"]?["type"]?.stringValue }
        #expect(statuses == ["sndRcvd", "sndSent", "sndRcvd"])
        let received = chat["chat"]?["chatItems"]?[0]?["meta"]?["itemStatus"]
        #expect(received == ["type": "sndRcvd", "msgRcptStatus": "ok", "sndProgress": "complete"])
        await alice.controller.close()
        await bob.controller.close()
    }
}
