import NIOCore
@testable import SMP
import SMPTestSupport
import Testing
import TestSupport
import Transport

/// SOCKS5 (RFC 1928, RFC 1929).
@Suite(.socketTimeLimit) struct SOCKSTests {
    private func startRelay() async throws -> WaywardRelay {
        try await WaywardRelay.start(.answers { _, _ in [.answer(.pong)] })
    }

    private func pingRelay(
        _ server: ProtocolServer,
        _ proxy: SOCKSProxy,
        _ change: (inout SMPClientConfiguration) -> Void = { _ in }
    ) async throws(SMPClientError) -> TransportHost {
        var configuration = SMPClientConfiguration()
        configuration.transport.connectTimeout = .seconds(5)
        configuration.transport.socks = proxy
        change(&configuration)
        let session = try await SMPSession.connect(to: server, configuration: configuration, group: WaywardRelay.group)
        { _ in }
        guard case .pong = try await session.sendRequest(SMPRequest(.ping)) else { throw .response("no pong") }
        await session.close()
        return session.host
    }

    private func makeProxy(
        _ server: SOCKSServer,
        _ credentials: SOCKSProxy.Credentials? = nil,
        _ usage: SOCKSProxy.Usage = .always
    ) -> SOCKSProxy {
        SOCKSProxy(port: UInt16(truncatingIfNeeded: server.port), usage: usage, credentials: credentials)
    }

    @Test
    func `The SOCKS proxy gets the IP address of a relay, and no user name if none is configured`() async throws {
        let (relay, socks) = (try await startRelay(), try await SOCKSServer.start())
        _ = try await pingRelay(relay.server, makeProxy(socks))
        #expect(socks.requests.map(\.host) == ["127.0.0.1"] && socks.requests.map(\.port) == [Int(relay.server.port)])
        #expect(socks.requests.map(\.username) == [nil])
        await socks.stop()
        await relay.stop()
    }

    @Test
    func `The SOCKS proxy gets unresolved host names and the configured user name`() async throws {
        let (relay, socks) = (try await startRelay(), try await SOCKSServer.start(.acceptsUser("me")))
        for (name, mode) in [("relay.example", HostChoice.Mode.public), ("abc234.onion", .onionViaSocks)] {
            var server = relay.server
            server.hosts = [.domain("relay.example"), .onion("abc234.onion")]
            let host = try await pingRelay(server, makeProxy(socks, .init(username: "me", password: ""))) {
                $0.transport.hostChoice.mode = mode
            }
            #expect(host.str == name)
            #expect(socks.requests.last?.host == name)
            #expect(socks.requests.last?.username == "me")
        }
        await socks.stop()
        await relay.stop()
    }

    @Test
    func `A SOCKS proxy that is used only for onion hosts gets no request for a public host`() async throws {
        let (relay, socks) = (try await startRelay(), try await SOCKSServer.start())
        _ = try await pingRelay(relay.server, makeProxy(socks, nil, .onion))
        #expect(socks.requests.isEmpty)
        await socks.stop()
        await relay.stop()
    }

    @Test(arguments: [
        SOCKSServer.Behaviour.refuses(5), .refuses(200), .acceptsUser("somebody else"), .sendsBytes([5, 255]),
        .sendsBytes([4, 0]),
        .sendsBytes([5, 0]),
        .sendsBytes([5, 2, 9, 9]), .sendsBytes([5, 2, 1, 0, 5, 0, 0, 9, 0, 0]),
    ])
    func `A refusal or an unknown answer of the SOCKS proxy causes a network error`(
        behaviour: SOCKSServer.Behaviour
    ) async throws {
        let (relay, socks) = (try await startRelay(), try await SOCKSServer.start(behaviour))
        let error = await #expect(throws: SMPClientError.self) {
            try await pingRelay(relay.server, makeProxy(socks, .init(username: "me", password: "secret")))
        }
        guard case .network(.connect)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        await socks.stop()
        await relay.stop()
    }

    @Test
    func `Random bytes as the answer of a SOCKS proxy cause an error`() async throws {
        let relay = try await startRelay()
        for seed in 0..<20 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let bytes = (0..<Int.random(in: 5...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let socks = try await SOCKSServer.start(.sendsBytes([5, 2, 1, 0] + bytes))
            await #expect(throws: SMPClientError.self) {
                try await pingRelay(relay.server, makeProxy(socks, .init(username: "me", password: "secret"))) {
                    $0.transport.connectTimeout = .milliseconds(300)
                }
            }
            await socks.stop()
        }
        await relay.stop()
    }

    @Test
    func `A relay without a host of the required kind, public or onion, is refused as incompatible`() async throws {
        let server = try ProtocolServer(parsing: "smp://q83vmA==@abc234.onion")
        var configuration = SMPClientConfiguration()
        configuration.transport.hostChoice = HostChoice(mode: .public, isRequired: true)
        await #expect(throws: SMPClientError.incompatibleHost) {
            _ = try await SMPSession.connect(to: server, configuration: configuration, group: WaywardRelay.group) { _ in
            }
        }
    }
}
