import SMP
import SMPRelay
import TestSupport
import Testing

@Suite("Relay: names", .overSockets)
struct NameTests {
    @Test("A relay without a resolver answers RSLV with NO_RESOLVER, directly and through a proxy")
    func noResolver() async throws {
        try await withRelay { relay in
            try await withRelay { proxy in
                let name = try NameDomain(parsing: "privacy.simplex".utf8)
                let client = SMPClient(server: relay.relay.address, group: TestRelay.group) { _ in }
                await #expect(throws: SMPClientError.smp(.name(.noResolver))) { try await client.resolve(name) }
                let other = SMPClient(server: proxy.relay.address, group: TestRelay.group) { _ in }
                await #expect(throws: SMPClientError.smp(.name(.noResolver))) {
                    try await other.send(SMPRequest(.rslv(name)), through: relay.relay.address)
                }
                await client.close()
                await other.close()
            }
        }
    }

    @Test("RSLV is refused before version 20, and with an entity id")
    func versions() async throws {
        try await withRelay { relay in
            let name = try NameDomain(parsing: "privacy.simplex".utf8)
            var configuration = SMPClientConfiguration()
            configuration.versions = ProtocolVersionRange(19)
            let client = SMPClient(server: relay.relay.address, configuration: configuration, group: TestRelay.group) {
                _ in
            }
            await #expect(throws: SMPClientError.transport(.version)) { try await client.resolve(name) }
            await client.close()
            #expect(try await relay.connect(version: 19).send(.rslv(name)) == .err(.cmd(.unknown)))
            #expect(try await relay.connect(version: 20).send(.rslv(name), [1]) == .err(.cmd(.hasAuth)))
        }
    }
}
