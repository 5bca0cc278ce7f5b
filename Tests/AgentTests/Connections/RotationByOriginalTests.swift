import Clocks
import NIOPosix
import SMP
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent

/// Rotation started by a recipient that deletes the old queue at the first message over the new queue, as the original
/// does.
@Suite(.socketTimeLimit) struct RotationByOriginalTests {
    /// Performs the recipient's side of the rotation by hand, until the sender has agreed to the new queue.
    private func startRotation(_ pair: Pair) async throws -> NewQueue {
        let new = try await NewQueue(pair.relay.address)
        let old = try await pair.bob.agent.database.read { db in try #require(try SndQueue.findCurrent(pair.bobID, db))
        }
        let added = AMessage.AddedQueue(queue: new.uri, replaces: QueueAddress(server: old.server, senderID: old.sndID))
        try await pair.alice.enqueue(.queueAdd([added]), kind: .queueAdd, on: pair.aliceID)
        try pair.alice.wakeOutbox(pair.aliceID)
        _ = try await pair.bob.waitForFirst("agreed") {
            if case .queueSwitchChanged(_, let change) = $0, change.phase == .confirmed { true } else { nil }
        }
        return new
    }

    @Test(arguments: [false, true])
    func `Messages that were sent during a change of queue are repeated before new messages after the change`(
        restarts: Bool
    ) async throws {
        let pair = try await Pair()
        let (aliceID, bobID) = (pair.aliceID, pair.bobID)
        try await pair.bob.send(["before"], on: bobID)
        #expect(try await pair.alice.waitForTexts(1) == ["before"])
        let new = try await startRotation(pair)
        try await pair.bob.send(["1", "2"], on: bobID)
        #expect(try await pair.alice.waitForTexts(3) == ["before", "1", "2"])
        _ = try await pair.bob.waitForAll("sent", 3) { if case .sent = $0 { true } else { nil } }
        var bob = pair.bob
        if restarts {
            await pair.bob.agent.close()
            bob = try await TestAgent(pair.relay.address, folder: pair.bob.folder, user: pair.bob.user)
        }
        let replacement = try await bob.agent.database.read { db in
            try #require(try SndQueue.findReplacement(of: bobID, db))
        }
        try await new.secureQueue(replacement)
        try await pair.alice.enqueue(
            .queueUse([.init(address: new.address, isPrimary: true)]),
            kind: .queueUse,
            on: aliceID
        )
        try pair.alice.wakeOutbox(aliceID)
        _ = try await bob.waitForFirst("changed") {
            if case .queueSwitchChanged(_, let change) = $0, change.phase == .completed { true } else { nil }
        }
        try await bob.send(["3"], on: bobID)
        // The new queue gets four messages: the two repeated messages, QTEST, and the new message.
        let hashes = try await new.receiveHashes(4, from: replacement)
        let known = try await pair.alice.agent.database.read { db in
            try Set(
                db.query("SELECT hash FROM rcv_hashes WHERE conn_id = ?", aliceID.bytes).map { try $0.blob("hash") }
            )
        }
        #expect(hashes.map { known.contains($0) } == [true, true, false, false])
        #expect(Set(hashes).count == 4)
        let told = restarts ? 1 : 4
        _ = try await bob.waitForAll("sent", told) { if case .sent = $0 { true } else { nil } }
        // The messages that waited for repetition are deleted with the old queue.
        let left = try await bob.agent.database.read { db in
            try db.query("SELECT internal_id FROM snd_messages WHERE repetition > 0").count
        }
        #expect(left == 0)
        await bob.agent.close()
        #expect(bob.events.count { if case .sent = $0 { true } else { false } } == told)
        #expect(bob.errors.isEmpty)
        await new.client.close()
    }

    @Test
    func `If a change of queue stays unfinished, the messages stored for repetition are deleted after two days`()
        async throws
    {
        let pair = try await Pair()
        let bobID = pair.bobID
        let new = try await startRotation(pair)
        try await pair.bob.send(["1"], on: bobID)
        func kept() async throws -> Int {
            try await pair.bob.agent.database.read { db in
                try db.query(
                    "SELECT internal_id FROM snd_messages WHERE repetition = ?",
                    MessageRepetition.dueAndReported.rawValue
                ).count
            }
        }
        // The repetition is stored after the handler of the event has returned. No event reports this, so the test
        // waits for the row.
        try await waitUntil("the repetition is noted") { try await kept() != 0 }
        let now = WallClock.seconds()
        for (later, count) in [(Int64(86_400), 1), (2 * 86_400 + 60, 0)] {
            try await pair.bob.agent.database.write { db in try AgentSchema.deleteOldData(at: now + later, db) }
            #expect(try await kept() == count)
        }
        // After the deletion, the next messages are sent immediately.
        try await pair.bob.send(["2"], on: bobID)
        #expect(try await pair.alice.waitForTexts(2) == ["1", "2"])
        await new.client.close()
    }
}

/// A queue whose recipient is the test, without an agent.
private final class NewQueue: Sendable {
    let client: SMPClient
    private let queue: CreatedQueue
    private let e2eKey: X25519.PrivateKey
    private let server: ProtocolServer
    private let receivedMessages = AsyncStream<RcvMessage>.makeStream()

    init(_ server: ProtocolServer) async throws {
        self.server = server
        e2eKey = try X25519.PrivateKey()
        let continuation = receivedMessages.continuation
        client = SMPClient(server: server, group: MultiThreadedEventLoopGroup.singleton) { event in
            if case .message(_, let message) = event { continuation.yield(message) }
        }
        queue = try await client.createQueue(
            key: .ed25519(try Ed25519.PrivateKey()),
            dhKey: try X25519.PrivateKey(),
            mode: .messaging
        )
    }

    var address: QueueAddress { QueueAddress(server: server.withoutPassword, senderID: queue.sndID) }

    var uri: QueueURI {
        QueueURI(
            clientVersions: AgentVersions.supportedClientVersions,
            server: server.withoutPassword,
            senderID: queue.sndID,
            dhPublicKey: e2eKey.publicKey,
            mode: .messaging
        )
    }

    func secureQueue(_ sender: SndQueue) async throws {
        try await client.secureQueue(queue.credentials, senderKey: sender.key.publicKey)
    }

    /// Returns the hashes of the next messages as the sender's ratchet has encrypted them. Acknowledges each message.
    func receiveHashes(_ count: Int, from sender: SndQueue) async throws -> [[UInt8]] {
        var messages = receivedMessages.stream.makeAsyncIterator()
        let secret = try e2eKey.sharedSecret(with: sender.e2ePublicKey)
        var hashes: [[UInt8]] = []
        while hashes.count < count, let message = await messages.next() {
            guard case .message(_, _, let body) = message.body,
                case .message(_, let encrypted) = try AgentEnvelope(
                    parsing: ClientMessageEnvelope(smpEncoded: body).openMessage(secret: secret).body
                )
            else { continue }
            hashes.append(Digest.sha256(encrypted))
            try await client.acknowledgeMessage(
                rcvID: queue.credentials.rcvID,
                key: queue.credentials.key,
                messageID: message.id
            )
        }
        return hashes
    }
}
