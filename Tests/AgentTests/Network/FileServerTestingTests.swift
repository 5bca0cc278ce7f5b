import SMP
import SMPTestSupport
import TestSupport
import Testing
import Transport
import XFTP
import XFTPTestSupport

@testable import Agent

/// Test of a file server, step by step.
@Suite(.socketTimeLimit) struct FileServerTestingTests {
    private func testServer(
        _ server: ProtocolServer,
        _ change: (inout AgentConfiguration) -> Void = { _ in }
    ) async throws -> ServerTestFailure? {
        // The agent connects to no relay at the start, since it has no queues.
        let agent = try await TestAgent(ProtocolServer(parsing: "smp://q83vmA==@127.0.0.1:1")) { configuration in
            configuration.clientConfiguration.transport.connectTimeout = .seconds(10)
            change(&configuration)
        }
        return try await agent.agent.testServer(server, user: agent.user)
    }

    @Test(
        arguments: [
            (.refusesHello, .connect, .broker(.transport(.badBlock))),
            (.noise, .connect, .broker(.network(.failed))),
            (.answers("FNEW", .size), .createFile, .xftp(.size)),
            (.answersOK(to: "FNEW"), .createFile, .broker(.unexpected("OK"))),
            (.answers("FPUT", .quota), .uploadFile, .xftp(.quota)),
            (.closes(on: "FPUT"), .uploadFile, .broker(.network(.failed))),
            (.otherChunk, .downloadFile, .broker(.response("DIGEST"))),
            (.damagedChunk, .downloadFile, .broker(.response("CRYPTO"))),
            (.garbles("FGET"), .downloadFile, .broker(.response("BLOCK"))),
            (.answers("FDEL", .internal), .deleteFile, .xftp(.internal)),
        ] as [(FileServer.Fault, ServerTestFailure.Step, XFTPClientError)]
    )
    func `A failed test of a file server reports the failed step and its error`(
        fault: FileServer.Fault,
        step: ServerTestFailure.Step,
        error: XFTPClientError
    ) async throws {
        let server = try await FileServer(FileServer.Configuration(fault: fault))
        #expect(
            try await testServer(server.server)
                == ServerTestFailure(step: step, error: AgentError(error, server: server.server))
        )
        await server.stop()
    }

    @Test
    func `A file server without a common ALPN protocol is used without a handshake`() async throws {
        var configuration = FileServer.Configuration()
        configuration.offersALPN = false
        let server = try await FileServer(configuration)
        #expect(try await testServer(server.server) == nil)
        #expect(server.requests == ["FNEW", "FPUT", "FGET", "FDEL"])
        await server.stop()
    }

    @Test
    func `The test of a silent file server fails after the timeout of the network settings`() async throws {
        let server = try await FileServer(FileServer.Configuration(fault: .ignores("FPUT")))
        let failure = try await testServer(server.server) {
            $0.clientConfiguration.transport.connectTimeout = .seconds(3)
            $0.clientConfiguration.transport.responseTimeout = .milliseconds(1)
        }
        #expect(failure == ServerTestFailure(step: .uploadFile, error: .broker(server: server.server.str, .timeout)))
        await server.stop()
    }

    @Test
    func `The test of a file server uses the SOCKS proxy and the rule for onion hosts`() async throws {
        let (server, socks) = (try await FileServer(), try await SOCKSServer.start())
        var named = server.server
        named.hosts = [.domain("files.example")]
        let port = UInt16(truncatingIfNeeded: socks.port)
        #expect(try await testServer(named) { $0.clientConfiguration.transport.socks = SOCKSProxy(port: port) } == nil)
        #expect(socks.requests.map(\.host) == ["files.example"])
        let failure = try await testServer(named) {
            $0.clientConfiguration.transport.hostChoice = HostChoice(mode: .onion, isRequired: true)
        }
        #expect(failure == ServerTestFailure(step: .connect, error: .broker(server: named.str, .host)))
        await socks.stop()
        await server.stop()
    }
}
