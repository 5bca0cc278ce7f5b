import NIOPosix
import TestSupport
import Testing

@testable import Gateway

@Suite(.socketTimeLimit) struct UploadChunkTests {
    @Test
    func `Many small chunks are all read by a slow service, and the server can be stopped afterwards`() async throws {
        var configuration = HTTPServerConfiguration()
        configuration.port = 0
        let server = try HTTPServer.start(
            configuration,
            service: SlowReadingService(),
            group: MultiThreadedEventLoopGroup.singleton
        )
        let connection = try await RawConnection.open(port: server.port)
        try await connection.send("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        // The library passes about 150 such chunks from one buffer, even if the connection is suspended in between.
        let chunk = "64\r\n" + String(repeating: "x", count: 100) + "\r\n"
        let sending = Task {
            for _ in 0..<40 { try await connection.send(String(repeating: chunk, count: 1000)) }
            try await connection.send("0\r\n\r\n")
        }
        let answer = String(decoding: try await connection.receiveRest(), as: UTF8.self)
        try await sending.value
        #expect(answer.hasSuffix("\r\n\r\n4000000"), "\(answer)")
        #expect(await server.stop())
    }
}

/// Waits before each of the first eight reads until the connection is suspended. Answers with the number of bytes.
private final class SlowReadingService: HTTPService {
    func decideAdmission(_ request: HTTPRequest) -> HTTPAdmission {
        .readWhileArriving(limit: 1 << 30, client: "") { _, upload in
            .later {
                var count = 0
                do {
                    for _ in 0..<8 {
                        try await waitUntil("the connection is suspended") {
                            upload.waitingBytes >= HTTPUpload.maxPendingBytes
                        }
                        count += try await upload.readNext()?.count ?? 0
                    }
                    while let part = try await upload.readNext() { count += part.count }
                } catch { return HTTPResponse(status: 500) }
                return HTTPResponse(status: 200, content: .bytes(Array("\(count)".utf8)))
            }
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
