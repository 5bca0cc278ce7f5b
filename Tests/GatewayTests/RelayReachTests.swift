import NIOCore
import OutgoingHTTP
import Testing

@testable import Gateway

@Suite("Relays that tenants may reach") struct RelayReachTests {
    private let policy = RelayAddressPolicy(allowed: ["10.1.0.0/16"], named: [("relay.local", 5223)])

    @Test(arguments: [
        ("smp.example.org", 5223, "8.8.8.8", true), ("smp.example.org", 5223, "127.0.0.1", false),
        ("127.0.0.1", 5223, "127.0.0.1", false),
        ("a", 80, "10.0.0.1", false), ("a", 80, "10.1.2.3", true), ("a", 80, "::1", false),
        ("a", 80, "::ffff:192.168.0.1", false),
        ("relay.local", 5223, "192.168.0.1", true), ("relay.local", 5224, "192.168.0.1", false),
    ])
    func `A relay in an inner network is permitted only if the operator has allowed the relay's address or name`(
        host: String,
        port: Int,
        address: String,
        isPermitted: Bool
    ) throws {
        #expect(policy.permits(host, port, try SocketAddress(ipAddress: address, port: port)) == isPermitted)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("10.0.0.1", true), ("169.254.169.254", true), ("0.0.0.0", true), ("::1", true),
        ("[::1]", true), ("fd00::1", true), ("::ffff:10.0.0.1", true), ("localhost", true), ("LocalHost.", true),
        ("relay", true), ("relay.local", true), ("relay.LAN", true), ("relay.home.arpa", true),
        ("8.8.8.8", false), ("2606:4700::1111", false), ("smp.example.org", false), ("local.example.org", false),
        ("abc.onion", false),
    ])
    func `Addresses and names that are not public are recognized as an inner network`(host: String, isInner: Bool) {
        #expect(RelayAddressPolicy.isInInnerNetwork(host: host) == isInner)
    }

    @Test
    func `A proxy in an inner network is given permitted addresses only, and a public proxy the name of the relay`()
        async throws
    {
        let texts = ["127.0.0.1", "2001:4860::1", "8.8.8.8", "::ffff:192.168.0.1", "10.1.2.3"]
        let addresses = texts.compactMap { IPAddress($0) }
        func hosts(_ relay: String, behind proxy: String) async -> [String]? {
            await policy.resolveHosts(of: (relay, 5223), behind: (proxy, 5223)) {
                $0 == "smp.example.org" ? addresses : []
            }
        }
        #expect(await hosts("smp.example.org", behind: "8.8.4.4") == nil)
        #expect(await hosts("smp.example.org", behind: "127.0.0.1") == ["10.1.2.3", "8.8.8.8", "2001:4860::1"])
        #expect(await hosts("169.254.169.254", behind: "127.0.0.1") == [])
        #expect(await hosts("8.8.8.8", behind: "127.0.0.1") == ["8.8.8.8"])
        #expect(await hosts("relay.local", behind: "127.0.0.1") == ["relay.local"])
        #expect(await hosts("unknown.example.org", behind: "127.0.0.1") == [])
        #expect(await hosts("abc.onion", behind: "127.0.0.1") == [])
    }
}
