import Glibc
import Testing

@testable import Descriptors

@Suite struct ConnectionLimiterTests {
    private func parseAddress(_ text: String) throws -> SourceAddress {
        var storage = sockaddr_storage()
        let isV6 = text.contains(":")
        storage.ss_family = sa_family_t(isV6 ? AF_INET6 : AF_INET)
        let address = withUnsafeMutableBytes(of: &storage) { bytes -> SourceAddress? in
            // In a socket address, the IP address follows the port. In IPv6, four bytes of flow label are between them.
            guard let start = bytes.baseAddress, inet_pton(isV6 ? AF_INET6 : AF_INET, text, start + (isV6 ? 8 : 4)) == 1
            else { return nil }
            return SourceAddress(start.assumingMemoryBound(to: sockaddr.self))
        }
        return try #require(address)
    }

    @Test
    func `The limit of connections per client address is applied to every address except loopback`() throws {
        let limiter = ConnectionLimiter(limit: 10, perAddress: 3)
        let (one, other, own) = (
            try parseAddress("192.0.2.1"), try parseAddress("192.0.2.2"), try parseAddress("127.0.0.1")
        )
        #expect((0..<4).map { _ in limiter.admitAndCountConnection(one) } == [true, true, true, false])
        #expect(limiter.admitAndCountConnection(other))
        #expect(
            (0..<7).map { _ in limiter.admitAndCountConnection(own) } == [true, true, true, true, true, true, false]
        )
        #expect(limiter.refusedCount == 2)
        limiter.countClosedConnection(one)
        #expect(limiter.admitAndCountConnection(one) && !limiter.admitAndCountConnection(other))
    }

    @Test
    func `Connections are admitted only up to the limit of open connections`() async throws {
        let address = try parseAddress("192.0.2.1")
        for _ in 0..<200 {
            let limiter = ConnectionLimiter(limit: 4, perAddress: 3)
            let entered = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 { group.addTask { limiter.admitAndCountConnection(address) } }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(entered == 3)
        }
    }

    @Test
    func `IPv6 addresses with the same first 64 bits count as one client in the limit of connections`() throws {
        #expect(try parseAddress("2001:db8:0:1::1") == parseAddress("2001:db8:0:1:ffff::2"))
        #expect(try parseAddress("2001:db8:0:1::1") != parseAddress("2001:db8:0:2::1"))
        #expect(try parseAddress("::ffff:192.0.2.1") == parseAddress("192.0.2.1"))
        #expect(try ["::1", "127.0.0.1", "::ffff:127.0.0.9"].allSatisfy { try parseAddress($0).isLoopback })
        #expect(try !["::2", "192.0.2.1", "1::1"].contains { try parseAddress($0).isLoopback })
    }

    @Test
    func `Additional descriptors of a connection count toward the limit of connections until it closes`() {
        let limiter = ConnectionLimiter(limit: 4, perAddress: 4)
        #expect(limiter.admitAndCountConnection(nil) && limiter.takeDescriptors(more: 3))
        #expect(!limiter.admitAndCountConnection(nil) && !limiter.takeDescriptors(more: 1))
        limiter.countClosedConnection(nil, more: 3)
        #expect(limiter.descriptorsInUse == 0)
    }

    @Test
    func `An allowance of two units refuses a third unit until one unit is returned`() {
        let allowance = Allowance(2)
        #expect([allowance.takeUnit(), allowance.takeUnit(), allowance.takeUnit()] == [true, true, false])
        allowance.returnUnit()
        #expect(allowance.inUseCount == 1 && allowance.takeUnit())
    }
}
