import NIOCore
import SMP
import SMPTestSupport
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent

/// A relay that leaves commands unanswered while the session stays open.
@Suite(.socketTimeLimit) struct LostAnswerTests {
    @Test
    func `An acknowledgement of a message that gets no answer from the relay is sent again`() async throws {
        let (rcvID, messageID) = ([UInt8](repeating: 1, count: 24), [UInt8](repeating: 2, count: 24))
        let acknowledged = AsyncStream<[UInt8]>.makeStream()
        let relay = try await WaywardRelay.start(
            .answers { received, _ in
                switch try? received.parseClientCommand() {
                case .new(let request)?:
                    let ids = QueueIDs(
                        rcvID: rcvID,
                        sndID: [UInt8](repeating: 3, count: 24),
                        dhKey: request.dhKey,
                        mode: .messaging
                    )
                    return [.message(.ids(ids), corrID: received.corrID, entityID: [])]
                case .sub?:
                    let message = BrokerMessage.msg(id: messageID, encBody: [UInt8](repeating: 4, count: 100))
                    return [.answer(.sok(serviceID: nil)), .message(message, corrID: [], entityID: rcvID)]
                case .ack(let id)?:
                    acknowledged.continuation.yield(id)
                    return []
                case .ping?: return [.answer(.pong)]
                default: return []
                }
            }
        )
        func agent(_ folder: TemporaryFolder?, _ user: AgentUserID?) async throws -> TestAgent {
            try await TestAgent(relay.server, folder: folder, user: user) { configuration in
                configuration.clientConfiguration.transport.responseTimeout = .seconds(1)
                // Timeouts do not close the session, so only the timeout of the command can cause the repetition.
                configuration.clientConfiguration.maxSilentTimeouts = 0
            }
        }
        let alice = try await agent(nil, nil)
        _ = try await alice.agent.createInvitation(user: alice.user)
        await alice.agent.close()
        let again = try await agent(alice.folder, alice.user)
        var count = 0
        for await id in acknowledged.stream {
            #expect(id == messageID)
            count += 1
            if count == 3 { break }
        }
        await again.agent.close()
        await relay.stop()
    }
}
