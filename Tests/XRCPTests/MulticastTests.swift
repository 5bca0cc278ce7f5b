import NIOCore
import NIOPosix
import TestSupport
import Testing
import Transport

@testable import XRCP

@Suite(.socketTimeLimit) struct MulticastTests {
    /// A UDP port that was free a moment ago.
    private func findFreePort(_ loops: any EventLoopGroup) async throws -> Int {
        let channel = try await DatagramBootstrap(group: loops).bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(channel.localAddress?.port)
        try await channel.close()
        return port
    }

    @Test
    func `A controller's announcement on the loopback interface reaches a listener on the same machine`() async throws {
        let loops = MultiThreadedEventLoopGroup.singleton
        let port = try await findFreePort(loops)
        async let found = Multicast.receiveDatagrams(within: .seconds(60), port: port, group: loops) { host, bytes in
            bytes == [1, 2, 3] ? host : nil
        }
        let announcing = Task {
            try await Multicast.sendAnnouncements(from: "127.0.0.1", port: port, group: loops) { [1, 2, 3] }
        }
        defer { announcing.cancel() }
        #expect(try await found == .ipv4([127, 0, 0, 1]))
    }
}
