import Testing

@testable import Transport

@Suite("Routes to servers")
struct RouteTests {
    @Test(arguments: [
        (HostChoice.Mode.public, false, false, ["a.example"] as [String]?), (.onion, false, true, ["b.onion"]),
        (.onionViaSocks, false, false, ["a.example"]),
        (.onionViaSocks, true, false, ["b.onion"]),
    ])
    func `Only hosts of the preferred kind, public or onion, are candidates for a connection`(
        mode: HostChoice.Mode,
        hasProxy: Bool,
        required: Bool,
        expected: [String]?
    ) throws {
        let both: [TransportHost] = [.domain("a.example"), .onion("b.onion")]
        let choice = HostChoice(mode: mode, isRequired: required)
        #expect(try choice.selectHosts(both, socks: hasProxy ? SOCKSProxy() : nil).map(\.description) == expected)
    }

    @Test
    func `A relay's web port is used only for a configured host whose address contains no port`() throws {
        let (known, other) = (TransportHost.domain("smp4.simplex.im"), TransportHost.domain("relay.example"))
        func isWeb(_ ports: WebPortUse) throws -> [Bool] {
            var configuration = TransportConfiguration()
            configuration.webPortUse = ports
            return try [(known, false), (other, false), (known, true)].map { host, isPortNamed in
                try configuration.makeRoutes(hosts: [host], port: 5223, isPortNamed: isPortNamed)[0].usesWebPort
            }
        }
        #expect(try isWeb(.domains([".simplex.im"])) == [true, false, false])
        #expect(try isWeb(.allRelays) == [true, true, false])
        #expect(try isWeb(.noRelays) == [false, false, false])
    }

    @Test
    func `An onion host is unreachable without a SOCKS proxy`() throws {
        var configuration = TransportConfiguration()
        #expect(throws: RouteError.noReachableHost) {
            try configuration.makeRoutes(hosts: [.onion("a.onion")], port: 1, isPortNamed: true)
        }
        configuration.socks = SOCKSProxy(usage: .onion)
        #expect(try configuration.makeRoutes(hosts: [.onion("a.onion")], port: 1, isPortNamed: true).count == 1)
    }

    @Test(arguments: [
        (TransportHost.ipv4([127, 0, 0, 1]), "127.0.0.1"), (.ipv6([UInt8](repeating: 0, count: 15) + [1]), "::1"),
        (.domain("a.b"), "a.b"),
    ])
    func `The description of a server host contains its address`(host: TransportHost, text: String) {
        #expect(host.description == text)
    }

    @Test
    func `With the setting for slow networks, each timeout is longer by half`() {
        var configuration = TransportConfiguration()
        configuration.connectTimeout = .seconds(20)
        configuration.interactiveResponseTimeout = .seconds(10)
        let patient = configuration.withLongTimeouts
        #expect(patient.connectTimeout == .seconds(30))
        #expect(patient.interactiveResponseTimeout == .seconds(15))
        #expect(patient.interactiveConnectTimeout == nil)
    }
}
