import SMP
import SimpleXCrypto
import SQLCipher
import TestSupport
import Testing

@testable import Agent

@Suite(.socketTimeLimit) struct ReceiptTests {
    @Test
    func `If the sender is stopped, a receipt is reported after the sender's next start`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address, acknowledges: false)
        let (aliceID, bobID) = try await connect(alice, bob)
        try await alice.send(["one", "two", "three"], on: aliceID)
        _ = try await bob.waitForTexts(3)
        _ = try await alice.waitForAll("sent", 3) { if case .sent = $0 { true } else { nil } }
        let sent = alice.events.compactMap { if case .sent(_, let id, _, _) = $0 { id } else { nil } }
        await alice.agent.close()
        let received = bob.events.compactMap {
            if case .message(_, let meta, _, _) = $0 { meta.recipientInfo.id } else { nil }
        }
        bob.agent.acknowledgeMessages(connection: bobID, messageIDs: received, receipts: [received[0], received[2]])
        let again = try await TestAgent(relay.address, folder: alice.folder, user: alice.user)
        let told = try await again.waitForFirst("receipts") {
            if case .receipts(aliceID, let receipts) = $0 { receipts } else { nil }
        }
        #expect(told.map(\.messageID) == [sent[0], sent[2]])
        #expect(told.map(\.isIntact) == [true, true])
        let awaited = try await again.agent.database.read {
            try $0.query("SELECT internal_id FROM awaited_receipts").map { try $0.int64("internal_id") }
        }
        #expect(awaited == [sent[1]])
    }

    @Test
    func `Sending a message that requests no receipt adds no row to the awaited receipts`() async throws {
        let pair = try await Pair()
        let message = OutgoingMessage(
            connection: pair.aliceID,
            notify: true,
            body: Array("one".utf8),
            externalID: "one",
            awaitsReceipt: false
        )
        _ = try await pair.alice.agent.sendMessages([message]).map { try $0.get() }
        _ = try await pair.bob.waitForTexts(1)
        func awaited() async throws -> Int64? {
            try await pair.alice.agent.database.read {
                try $0.firstRow("SELECT count(*) AS n FROM awaited_receipts")?.int64("n")
            }
        }
        #expect(try await awaited() == 0)
        try await pair.alice.send(["two"], on: pair.aliceID)
        _ = try await pair.bob.waitForTexts(2)
        #expect(try await awaited() == 1)
    }

    @Test
    func `A receipt with a wrong hash is reported once as wrong, and a receipt for an unsent message is ignored`()
        async throws
    {
        let pair = try await Pair()
        try await pair.alice.send(["one"], on: pair.aliceID)
        _ = try await pair.bob.waitForTexts(1)
        let number = try await pair.alice.agent.database.read {
            try $0.firstRow("SELECT snd_id FROM awaited_receipts")?.int64("snd_id") ?? 0
        }
        let receipts = [
            AMessageReceipt(sndMsgId: 999, msgHash: [], info: []),
            AMessageReceipt(sndMsgId: number, msgHash: [1], info: []),
            AMessageReceipt(sndMsgId: number, msgHash: [1], info: []),
        ]
        try await pair.bob.enqueue(.receipts(receipts), kind: .receipts, on: pair.bobID)
        try pair.bob.wakeOutbox(pair.bobID)
        let told = try await pair.alice.waitForFirst("receipts") {
            if case .receipts(_, let receipts) = $0 { receipts } else { nil }
        }
        #expect(told.map(\.isIntact) == [false])
    }

    @Test
    func `No message can be sent before the answer to the peer's confirmation is sent`() async throws {
        let relay = try await TestRelay(quota: 3), other = try await TestRelay()
        let direct = ProxyPolicy(mode: .neverProxied)
        let alice = try await TestAgent(relay.address, proxy: direct, givesReceipts: true),
            bob = try await TestAgent(other.address, proxy: direct)
        let (aliceID, request) = try await alice.agent.createInvitation(user: alice.user)
        let bobID = try await bob.agent.prepareJoin(user: bob.user, request: request)
        _ = try await bob.agent.join(connection: bobID, request: request, connInfo: [1])
        let confirmation = try await alice.waitForFirst("confirmation") {
            if case .confirmation(_, let id, _) = $0 { id } else { nil }
        }
        // Alice's answer to the confirmation cannot be sent while Bob's relay is stopped.
        await other.relay.stopAndWait()
        try await alice.agent.allow(connection: aliceID, confirmation: confirmation, connInfo: [2])
        let texts = (0..<8).map { "early \($0)" }
        try await bob.send(texts, on: bobID)
        #expect(try await alice.waitForTexts(8) == texts)
        let early = OutgoingMessage(connection: aliceID, notify: true, body: [1], externalID: "early")
        #expect(try await alice.agent.sendMessages([early]) == [.failure(.connection(.simplex, context: ""))])
        await alice.agent.close()
        let again = try await TestAgent(
            relay.address,
            folder: alice.folder,
            user: alice.user,
            proxy: direct,
            givesReceipts: true
        )
        let back = try await TestRelay(folder: other.folder, port: Int(other.address.portNumber ?? 0))
        try await again.waitUntilConnected(aliceID)
        try await bob.waitUntilConnected(bobID)
        try await again.send(["answer"], on: aliceID)
        #expect(try await bob.waitForTexts(1) == ["answer"])
        #expect(try await bob.waitForIntegrities(1) == [.ok])
        #expect(try await bob.waitForReceipts(8).count == 8)
        #expect(bob.errors.isEmpty && again.errors.isEmpty)
        #expect(back.relay.counts.queues == 1)
    }
}
