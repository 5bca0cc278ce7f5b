import Foundation
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite(.socketTimeLimit) struct UpgradeTests {
    @Test
    func `The handler of an upgraded connection is called only after a successful upgrade, and is always released`()
        async throws
    {
        let service = UpgradingService()
        var configuration = HTTPServerConfiguration()
        configuration.port = 0
        let server = try HTTPServer.start(configuration, service: service, group: MultiThreadedEventLoopGroup.singleton)
        for version in ["HTTP/1.0", "HTTP/1.1"] {
            let connection = try await RawConnection.open(port: server.port)
            try await connection.send(
                "GET / \(version)\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\n"
            )
            // Over HTTP/1.0 the library makes no upgrade, and closes the connection. Over HTTP/1.1 `UpgradingService`
            // closes the socket immediately. In both cases the connection ends.
            let answer = String(decoding: try await connection.receiveRest(), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 101") == (version == "HTTP/1.1"), "\(answer)")
            try await waitUntil("the handler is released") { service.isTokenReleased }
        }
        #expect(service.takenCount == 1)
        #expect(await server.stop())
    }
}

/// Answers each request with an upgrade.
private final class UpgradingService: HTTPService {
    /// An object that exists as long as the handler of a socket.
    private final class Token: Sendable {}
    private struct State {
        weak var lastToken: Token?
        var takenCount = 0
    }

    private let state = Mutex(State())
    var isTokenReleased: Bool { state.withLock { $0.lastToken == nil } }
    var takenCount: Int { state.withLock(\.takenCount) }

    func decideAdmission(_ request: HTTPRequest) -> HTTPAdmission {
        .readBody(limit: 0, isStreamOrPoll: false, client: "") { [self] _ in
            let token = Token()
            state.withLock { $0.lastToken = token }
            let headers = [(name: "Connection", value: "Upgrade"), (name: "Upgrade", value: "test")]
            return .now(
                HTTPResponse(
                    status: 101,
                    headers: headers,
                    content: .upgrade { [self] socket in
                        withExtendedLifetime(token) { state.withLock { $0.takenCount += 1 } }
                        close(socket.descriptor)
                        socket.close()
                    }
                )
            )
        }
    }

    func bodyTooLargeResponse(_ request: HTTPRequest, limit: Int) -> HTTPResponse { HTTPResponse(status: 413) }
    func tooManyStreamsResponse(_ request: HTTPRequest) -> HTTPResponse { HTTPResponse(status: 503) }
    func tooManyUploadsResponse(_ request: HTTPRequest) -> HTTPResponse { HTTPResponse(status: 503) }
    func tooMuchUnreadResponse(_ request: HTTPRequest) -> HTTPResponse { HTTPResponse(status: 429) }
    func malformedResponse(_ request: HTTPRequest, _ defect: FramingDefect) -> HTTPResponse {
        HTTPResponse(status: defect.status)
    }
    func didFinish(_ finished: FinishedRequest) {}
}
