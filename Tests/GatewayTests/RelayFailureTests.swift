import ChatAPI
import ChatCore
import JSON
import NIOPosix
import SMP
import SMPRelay
import SMPTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Agent

/// Relays that violate their protocol. The answer reports the fault in time, and unfinished work is not lost.
@Suite(.socketTimeLimit) struct RelayFailureTests {
    @Test
    func `A request gets 502 if its relay is down or has a different fingerprint than the relay's address`()
        async throws
    {
        let other = try await WaywardRelay.start(.silent)
        await other.stop()
        try await expectRefusal(502, "NETWORK") { own in other.server.keyHash == own.keyHash ? own : other.server }
        try await expectRefusal(502, "NETWORK") { own in
            var foreign = own
            foreign.keyHash = other.server.keyHash
            return foreign
        }
    }

    @Test(arguments: [
        (WaywardRelay.Behaviour.silent, 504), (.garbageHello, 502), (.closesInsideHello, 502),
        (.answers { _, _ in [] }, 504),
        (.answers { _, _ in [.garbageBlock] }, 502), (.answers { _, _ in [.closeInsideBlock] }, 502),
        (.answers { _, _ in [.close] }, 502),
        (.answers { _, _ in [.raw(Array("NONSENSE".utf8))] }, 502), (.answers { _, _ in [.answer(.pong)] }, 502),
        (.answers { _, _ in [.answer(.err(.quota))] }, 429), (.answers { _, _ in [.answer(.err(.auth))] }, 409),
        (.answers { _, _ in [.answer(.err(.internal))] }, 502),
    ])
    func `A request gets 504 if its relay is silent, and 502 if its relay sends invalid data`(
        behaviour: WaywardRelay.Behaviour,
        status: Int
    ) async throws {
        let relay = try await WaywardRelay.start(behaviour)
        try await expectRefusal(status, nil) { _ in relay.server }
        await relay.stop()
    }

    /// Makes an invitation on a faulty relay, and then joins an invitation on it. Both requests get the same answer,
    /// and add no rows.
    ///
    /// Timeouts are short only for a silent relay (504), and only where a user waits. For other faults the usual
    /// timeouts apply, since a busy machine can be slow.
    private func expectRefusal(
        _ status: Int,
        _ error: String?,
        _ server: (ProtocolServer) -> ProtocolServer
    ) async throws {
        var bad: ProtocolServer?
        let impatience =
            status == 504 ? NetworkTimeout(backgroundTimeout: 600_000_000, interactiveTimeout: 400_000) : nil
        let start = ContinuousClock.now
        try await RealGateway.run(change: { configuration in
            configuration.networkConfig.tcpConnectTimeout = impatience ?? configuration.networkConfig.tcpConnectTimeout
            configuration.networkConfig.tcpTimeout = impatience ?? configuration.networkConfig.tcpTimeout
            bad = configuration.defaultServers.first.map(server)
            configuration.defaultServers = bad.map { [$0] } ?? []
        }) { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            let before = try await gateway.countRows()
            let answer = try await client.post("/v1/users/\(alice)/connections/invitations", ["incognito": false])
            #expect(answer.status == status, "\(answer.text)")
            #expect(try answer.json["chatError"]?["type"] == "errorAgent")
            if let error {
                #expect(
                    try answer.json["chatError"]?["agentError"]?["brokerErr"]?["type"]?.stringValue == error,
                    "\(answer.text)"
                )
            }
            #expect(try await gateway.countRows() == before)
        }
        let server = try #require(bad)
        // The settings avoid a proxy, so that the tested relay itself fails.
        try await RealGateway.run(change: { $0.networkConfig.smpProxyMode = .never }) { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            var request = try ConnectionRequest(parsing: try await client.makeInvitation(alice))
            request.queues[0].server = server
            if let impatience { try await client.setTimeout(impatience) }
            let answer = try await client.post("/v1/users/\(bob)/connections", ["connLink": .string(request.uri)])
            #expect(answer.status == status, "\(answer.text)")
            #expect(try answer.json["chatError"]?["type"] == "errorAgent")
            let chats = try await client.call("GET", "/v1/users/\(bob)/chats").json
            #expect(chats["chats"]?.arrayValue?.map { $0["chatInfo"]?["type"] } == ["local"])
            #expect(ContinuousClock.now - start < .seconds(300))
        }
    }

    @Test
    func `After an outage of a relay, waiting messages are sent, and a failed connection by a link can be repeated`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await RealGateway.run(
            in: folder,
            change: { configuration in
                configuration.clientConfiguration.reconnectBackoff.initialDelay = .milliseconds(20)
                configuration.clientConfiguration.reconnectBackoff.maxDelay = .milliseconds(100)
            }
        ) { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob, carol) = (
                try await client.createUser("alice"), try await client.createUser("bob"),
                try await client.createUser("carol")
            )
            let (ofAlice, _) = try await client.connectUsers(alice, bob)
            let link = try await client.makeInvitation(alice)
            await gateway.relay.stopAndWait()
            let sent = try await client.post(
                "/v1/users/\(alice)/chats/direct/\(ofAlice)/messages",
                textMessage("in the dark")
            )
            #expect(sent.status == 201)
            let failed = try await client.post("/v1/users/\(carol)/connections", ["connLink": .string(link)])
            #expect(failed.status == 502, "\(failed.text)")
            let chats = try await client.call("GET", "/v1/users/\(carol)/chats").json
            #expect(chats["chats"]?.arrayValue?.map { $0["chatInfo"]?["type"] } == ["local"])
            let plan = try await client.post("/v1/users/\(carol)/connections/plan", ["connLink": .string(link)]).json
            #expect(plan["connectionPlan"]?["invitationLinkPlan"]?["type"] == "ok")

            let relay = try await Relay.start(
                configuration: RelayConfiguration(
                    directory: folder.path + "/relay",
                    port: gateway.relay.address.portNumber.map { Int($0) } ?? 0
                ),
                group: MultiThreadedEventLoopGroup.singleton
            )
            var cursor: String?
            while try await !client.waitForEvent(after: &cursor, "newChatItems", user: bob).text.contains("in the dark")
            {}
            let again = try await client.post("/v1/users/\(carol)/connections", ["connLink": .string(link)])
            #expect(again.status == 202, "\(again.text)")
            cursor = nil
            _ = try await client.waitForEvent(after: &cursor, "contactConnected", user: carol)
            await relay.stopAndWait()
        }
    }

    @Test
    func `If the relay's answer to SKEY is lost, the next attempt with the same link sends the same SKEY command`()
        async throws
    {
        let sent = ReceivedCommands()
        // The first SKEY succeeds and its answer is lost. Real relays accept a second SKEY only if it equals the first.
        let relay = try await WaywardRelay.start(
            .answers { received, connection in
                sent.append(received)
                return connection == 1 ? [.close] : [.answer(.ok)]
            }
        )
        try await RealGateway.run(change: { $0.networkConfig.smpProxyMode = .never }) { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            var request = try ConnectionRequest(parsing: try await client.makeInvitation(alice))
            request.queues[0].server = relay.server
            let lost = try await client.post("/v1/users/\(bob)/connections", ["connLink": .string(request.uri)])
            #expect(lost.status == 502, "\(lost.text)")
            let again = try await client.post("/v1/users/\(bob)/connections", ["connLink": .string(request.uri)])
            #expect(again.status == 202, "\(again.text)")
            let commands = sent.allCommands
            #expect(commands.count >= 2 && commands[0] == commands[1])
        }
        await relay.stop()
    }
}

extension HTTPClient {
    /// Sets the time that the core waits for relays.
    fileprivate func setTimeout(_ timeout: NetworkTimeout) async throws {
        var config = try #require(try await call("GET", "/v1/settings/network").json["networkConfig"]?.objectValue)
        let timeout = try JSONEncoder().encodeValue(timeout)
        (config["tcpConnectTimeout"], config["tcpTimeout"]) = (timeout, timeout)
        #expect(try await patch("/v1/settings/network", .object(config)).status == 200)
    }
}

/// The commands that a relay received, in order.
private final class ReceivedCommands: Sendable {
    private let commands = Mutex<[[UInt8]]>([])
    func append(_ received: ReceivedTransmission) { commands.withLock { $0.append(Array(received.command)) } }
    var allCommands: [[UInt8]] { commands.withLock { $0 } }
}
