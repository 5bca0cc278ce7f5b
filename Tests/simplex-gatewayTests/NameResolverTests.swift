import Foundation
import NIOPosix
import SMP
import SMPTestSupport
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct NameResolverTests {
    private func makeClient(_ address: String) throws -> SMPClient {
        SMPClient(server: try ProtocolServer(parsing: address), group: MultiThreadedEventLoopGroup.singleton) { _ in }
    }

    private func parseName(_ text: String) throws -> NameDomain { try NameDomain(parsing: text.utf8) }

    @Test
    func `A standalone relay resolves SimpleX names of its file, and asks its resolver for all other names`()
        async throws
    {
        let zero = "0x0000000000000000000000000000000000000000"
        let record =
            #"{"name":"bob.simplex","nickname":"Bob","website":"","location":"","simplexContact":[],"simplexChannel":[],"eth":null,"btc":null,"xmr":null,"dot":null,"owner":"\#(zero)","resolver":"\#(zero)"}"#
        let resolver = try await HTTPReceiver.start { request in
            switch request.target {
            case "/x/health": .status(200)
            case "/x/resolve/bob.simplex":
                .bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: \(record.utf8.count)\r\n\r\n\(record)".utf8))
            default: .status(404)
            }
        }
        try await Folder.withNewFolder { folder in
            let names = try folder.writeFile("names.json", #"{"alice.simplex":{"nickname":"Al"}}"#)
            let secret = try folder.writeFile("secret", "bearer abc\n")
            let relay = try Program([
                "relay", "--data", folder.path + "/relay", "--port", "0", "--names", names, "--name-resolver",
                "http://127.0.0.1:\(resolver.port)/x", "--name-resolver-auth", secret,
            ])
            let client = try makeClient(await relay.waitForLine("Relay:"))
            let alice = try await client.resolveName(parseName("alice.simplex"))
            #expect(String(decoding: alice, as: UTF8.self).contains(#""nickname":"Al""#))
            #expect(try await client.resolveName(parseName("bob.simplex")) == Array(record.utf8))
            await #expect(throws: SMPClientError.smp(.name(.notFound))) {
                try await client.resolveName(parseName("carol.simplex"))
            }
            let targets = resolver.requests.map(\.target)
            #expect(targets == ["/x/health", "/x/resolve/bob.simplex", "/x/resolve/carol.simplex"])
            #expect(resolver.requests.allSatisfy { $0.header("authorization") == "Bearer abc" })
            await client.close()
            relay.signal(SIGTERM)
            let ending = await relay.waitForEnd()
            #expect(ending.exitCode == 0 && !ending.errors.contains("resolver"), "\(ending)")
        }
    }

    @Test
    func `If its name resolver is unreachable, a relay starts with a warning, and name requests get an error`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let relay = try Program([
                "relay", "--data", folder.path + "/relay", "--port", "0", "--name-resolver",
                "http://127.0.0.1:\(TestPort.takeUnused())",
            ])
            let client = try makeClient(await relay.waitForLine("Relay:"))
            await #expect(throws: SMPClientError.smp(.name(.resolver("transport failure")))) {
                try await client.resolveName(parseName("alice.simplex"))
            }
            await client.close()
            relay.signal(SIGTERM)
            let ending = await relay.waitForEnd()
            #expect(ending.exitCode == 0 && ending.errors.contains("does not work yet"), "\(ending)")
        }
    }
}
