import NIOCore
import Testing

@testable import Gateway

@Suite("Relays that tenants may reach") struct RelayReachTests {
    private let reach = RelayReach(allowed: ["10.1.0.0/16"], named: [("relay.local", 5223)])

    @Test(
        "A relay in an inner network is reached only if the operator has allowed its address or the relay",
        arguments: [
            ("smp.example.org", 5223, "8.8.8.8", true), ("smp.example.org", 5223, "127.0.0.1", false),
            ("127.0.0.1", 5223, "127.0.0.1", false),
            ("a", 80, "10.0.0.1", false), ("a", 80, "10.1.2.3", true), ("a", 80, "::1", false),
            ("a", 80, "::ffff:192.168.0.1", false),
            ("relay.local", 5223, "192.168.0.1", true), ("relay.local", 5224, "192.168.0.1", false),
        ]
    )
    func addresses(host: String, port: Int, address: String, isPermitted: Bool) throws {
        #expect(reach.permits(host, port, try SocketAddress(ipAddress: address, port: port)) == isPermitted)
    }
}
