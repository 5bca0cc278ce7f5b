import Foundation
import SMP
import TestSupport
import Testing

@testable import Agent

/// A very large number of messages for an offline recipient.
@Suite(.socketTimeLimit) struct LongQueueTests {
    /// Ten thousand messages with `SXGW_LONG_TESTS`, otherwise enough to fill the recipient's queue several times.
    private static let messageCount = ProcessInfo.processInfo.environment["SXGW_LONG_TESTS"] == nil ? 500 : 10_000

    @Test
    func `Messages that wait while the recipient and the relay are offline arrive in order, with receipts`()
        async throws
    {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address)
        let bob = try await TestAgent(relay.address)
        let (aliceID, _) = try await connect(alice, bob)
        await bob.agent.close()
        let texts = (0..<Self.messageCount).map { "message \($0)" }
        for start in stride(from: 0, to: texts.count, by: 100) {
            try await alice.send(Array(texts[start..<min(texts.count, start + 100)]), on: aliceID)
        }
        _ = try await alice.waitForAll("sent", 100) { if case .sent = $0 { true } else { nil } }
        await relay.relay.stopAndWait()
        await alice.agent.close()
        let back = try await TestRelay(folder: relay.folder, port: Int(relay.address.portNumber ?? 0))
        let sender = try await TestAgent(relay.address, folder: alice.folder, user: alice.user)
        let again = try await TestAgent(relay.address, folder: bob.folder, user: bob.user, givesReceipts: true)
        #expect(try await again.waitForTexts(texts.count, within: 300) == texts)
        #expect(try await again.waitForIntegrities(texts.count).allSatisfy { $0 == .ok })
        let receipts = try await sender.waitForReceipts(texts.count, within: 300)
        #expect(receipts.count == texts.count && receipts.allSatisfy(\.isIntact))
        #expect(Set(receipts.map(\.messageID)).count == texts.count)
        #expect(!sender.events.contains { if case .messageError = $0 { true } else { false } })
        #expect(back.relay.counts.queues == 2)
    }
}
