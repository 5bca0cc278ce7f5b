import Foundation
import NIOCore
import NIOPosix
import TestSupport
import Testing
import XFTPRelay

@Suite("File relay: broken connections", .socketTimeLimit)
struct BrokenConnectionTests {
    @Test
    func `File relay connections that break before or during requests are released from memory`() async throws {
        weak var held: LogRecorder?
        do {
            let recorder = LogRecorder()
            held = recorder
            var configuration = FileRelayConfiguration(directory: NSTemporaryDirectory() + "files-\(UUID().uuidString)")
            (configuration.keyAlgorithm, configuration.port) = (.ed25519, TestPort.takeUnused())
            // Each session holds the logger of the relay, and the logger holds the recorder. So a leaked session keeps
            // the recorder.
            let relay = try await FileRelay.start(
                configuration: configuration,
                group: TestFileRelay.group,
                logger: recorder.makeLogger(.critical)
            )
            let address = relay.address
            let port = Int(try #require(address.portNumber))
            try await runRepeatedly { number in
                // The client sends part of a TLS record.
                guard number % 4 > 0 else {
                    let bootstrap = ClientBootstrap(group: TestFileRelay.group)
                    let channel = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
                    try await channel.writeAndFlush(ByteBuffer(bytes: [0x16, 3, 1, 2]))
                    return try await channel.close()
                }
                let client = try await RawFrameClient(address)
                switch number % 4 {
                case 1:
                    client.send(number % 100 == 1 ? HTTP2Bytes.rapidResets : HTTP2Bytes.makeOpenRequests(number % 50))
                case 2: client.sendLast(HTTP2Bytes.preface + HTTP2Bytes.makeRequests(UInt32(number % 50)))
                default: client.sendLast(Array(HTTP2Bytes.preface.prefix(number % 20)))
                }
                try await client.waitUntilClosed()
            }
            try await waitUntil("the relay has none of them") {
                relay.statistics["sessions_open"] == 0 && relay.statistics["requests_open"] == 0
            }
            await relay.stopAndWait()
            try FileManager.default.removeItem(atPath: configuration.directory)
        }
        try await waitUntil("no session is left") { held == nil }
    }

    @Test(arguments: [
        HTTP2Bytes.windowUpdateFrame, HTTP2Bytes.makeFrame(6, [UInt8](repeating: 0, count: 8)),
        HTTP2Bytes.settingsFrame,
        HTTP2Bytes.makeFrame(0, stream: 1),
        HTTP2Bytes.makeFrame(0, stream: 1, [7]), HTTP2Bytes.makeFrame(2, stream: 1, [0, 0, 0, 0, 1]),
        HTTP2Bytes.makeFrame(0xFF),
    ])
    func `A flood of HTTP/2 frames ends the file relay's connection to the client`(frame: [UInt8]) async throws {
        try await withFileRelay { relay in
            let client = try await RawFrameClient(relay.relay.address)
            client.send(HTTP2Bytes.preface + HTTP2Bytes.makeRequest(1) + (0..<20_000).flatMap { _ in frame })
            try await waitUntil("the connection is ended") { client.isClosed }
        }
    }
}
