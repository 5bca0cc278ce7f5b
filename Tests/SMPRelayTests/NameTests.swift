import SMP
import SMPRelay
import TestSupport
import Testing

@Suite("Relay: names", .socketTimeLimit)
struct NameTests {
    @Test
    func `A relay without a name resolver answers RSLV with NO_RESOLVER, directly and through a proxy`() async throws {
        try await withRelay { relay in
            try await withRelay { proxy in
                let name = try NameDomain(parsing: "privacy.simplex".utf8)
                let client = SMPClient(server: relay.relay.address, group: TestRelay.group) { _ in }
                await #expect(throws: SMPClientError.smp(.name(.noResolver))) { try await client.resolveName(name) }
                let other = SMPClient(server: proxy.relay.address, group: TestRelay.group) { _ in }
                await #expect(throws: SMPClientError.smp(.name(.noResolver))) {
                    try await other.sendThroughProxy(SMPRequest(.rslv(name)), to: relay.relay.address)
                }
                await client.close()
                await other.close()
            }
        }
    }

    @Test
    func `A relay answers RSLV with the record of the SimpleX name, directly and through a proxy`() async throws {
        let (name, unknown) = (try NameDomain(parsing: "alice.simplex".utf8), try NameDomain(parsing: "b.simplex".utf8))
        // The largest record fits into a forwarded answer.
        let record = Array(#"{"name":"\#(String(repeating: "a", count: 15_989))"}"#.utf8)
        #expect(record.count == 16_000)
        try await withRelay({ $0.nameRecords = [name: record] }) { relay in
            try await withRelay { proxy in
                let client = SMPClient(server: relay.relay.address, group: TestRelay.group) { _ in }
                #expect(try await client.resolveName(name) == record)
                #expect(try await client.resolveName(NameDomain(parsing: "ALICE.Simplex".utf8)) == record)
                await #expect(throws: SMPClientError.smp(.name(.notFound))) { try await client.resolveName(unknown) }
                let other = SMPClient(server: proxy.relay.address, group: TestRelay.group) { _ in }
                let answer = try await other.sendThroughProxy(SMPRequest(.rslv(name)), to: relay.relay.address)
                #expect(answer == .rname(record))
                await #expect(throws: SMPClientError.smp(.name(.notFound))) {
                    try await other.sendThroughProxy(SMPRequest(.rslv(unknown)), to: relay.relay.address)
                }
                await client.close()
                await other.close()
            }
        }
    }

    @Test
    func `RSLV is refused before protocol version 20 or if it has an entity id`() async throws {
        try await withRelay { relay in
            let name = try NameDomain(parsing: "privacy.simplex".utf8)
            var configuration = SMPClientConfiguration()
            configuration.versions = ProtocolVersionRange(19)
            let client = SMPClient(server: relay.relay.address, configuration: configuration, group: TestRelay.group) {
                _ in
            }
            await #expect(throws: SMPClientError.transport(.version)) { try await client.resolveName(name) }
            await client.close()
            #expect(try await relay.connect(version: 19).send(.rslv(name)) == .err(.cmd(.unknown)))
            #expect(try await relay.connect(version: 20).send(.rslv(name), [1]) == .err(.cmd(.hasAuth)))
        }
    }
}
