import SMP
import Testing

@testable import Agent

@Suite(.socketTimeLimit) struct EarlyDecryptionTests {
    /// A message of alice that bob has not received yet, both as his queue delivers it and as his ratchet decrypts it.
    private struct WaitingMessage {
        let body: RcvMessageBody
        let encryptedBody: [UInt8]

        init(_ text: String, _ pair: Pair, _ keys: EarlyDecryption.DecryptionKeys) async throws {
            let bytes = try await pair.alice.sealMessage(text, on: pair.aliceID)
            body = .message(timestamp: 0, flags: MessageFlags(notification: true), body: bytes)
            let opened = try ClientMessageEnvelope(smpEncoded: bytes).openMessage(secret: keys.secret)
            guard case .message(_, let encrypted) = try AgentEnvelope(parsing: opened.body) else {
                throw AgentError.internal("not a message")
            }
            self.encryptedBody = encrypted
        }
    }

    private func findKeys(_ pair: Pair) async throws -> EarlyDecryption.DecryptionKeys {
        let bobID = pair.bobID
        let keys = try await pair.bob.agent.database.read { db in
            try RcvQueue.findCurrent(bobID, db).flatMap {
                try EarlyDecryption.DecryptionKeys.find(server: $0.server, rcvID: $0.rcvID, db)
            }
        }
        return try #require(keys)
    }

    @Test
    func `Decryption of a message before its database transaction gives the same result as inside the transaction`()
        async throws
    {
        let pair = try await Pair()
        let keys = try await findKeys(pair)
        let message = try await WaitingMessage("hello", pair, keys)
        let early = try #require(EarlyDecryption(message.body, keys))
        var (first, second) = (keys.ratchet, keys.ratchet)
        let outcome = try #require(early.applyResult(to: &first, message.encryptedBody))
        #expect(try outcome.plaintext.get() == second.decrypt(message.encryptedBody).plaintext.get())
        // A second run generates new keys, but the received part is the same.
        #expect(first.receivingChain == second.receivingChain && first.nr == second.nr && first != keys.ratchet)
    }

    @Test
    func `A message decrypted before its database transaction is used only with the ratchet of the decryption`()
        async throws
    {
        let pair = try await Pair()
        let keys = try await findKeys(pair)
        let message = try await WaitingMessage("one", pair, keys), next = try await WaitingMessage("two", pair, keys)
        let early = try #require(EarlyDecryption(message.body, keys))
        var ratchet = keys.ratchet
        #expect(early.applyResult(to: &ratchet, next.encryptedBody) == nil)
        #expect(ratchet == keys.ratchet)
        _ = try #require(early.applyResult(to: &ratchet, message.encryptedBody))
        let advanced = ratchet
        #expect(early.applyResult(to: &ratchet, message.encryptedBody) == nil)
        #expect(ratchet == advanced)
    }

    @Test
    func `A skipped or unreadable message is not decrypted before its database transaction`() async throws {
        let pair = try await Pair()
        let keys = try await findKeys(pair)
        let skipped = try await WaitingMessage("one", pair, keys), message = try await WaitingMessage("two", pair, keys)
        var ratchet = keys.ratchet
        _ = try #require(EarlyDecryption(message.body, keys)?.applyResult(to: &ratchet, message.encryptedBody))
        #expect(EarlyDecryption(skipped.body, .init(secret: keys.secret, ratchet: ratchet)) == nil)
        let foreign = try await pair.alice.sealForQueue(
            envelope: AgentEnvelope.message(agentVersion: 7, encrypted: Array(repeating: 1, count: 200)).encoded(),
            on: pair.aliceID
        )
        for bytes in [foreign, [], Array(repeating: 7, count: 16_000)] {
            #expect(
                EarlyDecryption(.message(timestamp: 0, flags: MessageFlags(notification: true), body: bytes), keys)
                    == nil
            )
        }
        #expect(EarlyDecryption(.quota(timestamp: 0), keys) == nil)
    }
}
