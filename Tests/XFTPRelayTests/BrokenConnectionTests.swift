import Foundation
import TestSupport
import Testing
import XFTPRelay

@Suite("File relay: broken connections", .overSockets)
struct BrokenConnectionTests {
    @Test("A connection that ends with open requests leaves nothing in memory")
    func memory() async throws {
        weak var held: LogRecorder?
        do {
            let recorder = LogRecorder()
            held = recorder
            var configuration = FileRelayConfiguration(directory: NSTemporaryDirectory() + "files-\(UUID().uuidString)")
            (configuration.keyAlgorithm, configuration.port) = (.ed25519, TestPort.unused())
            // Each session of the relay holds its logger, and with it the recorder.
            let relay = try await FileRelay.start(configuration: configuration, group: TestFileRelay.group, logger: recorder.logger(.critical))
            for _ in 0..<50 {
                for bytes in [HTTP2Bytes.openRequests, HTTP2Bytes.rapidResets] {
                    let client = try await RawFrames(relay.address)
                    client.send(bytes)
                    try await client.closed()
                }
                let client = try await RawFrames(relay.address)
                client.sendLast(HTTP2Bytes.preface + HTTP2Bytes.requests(50))
                try await client.closed()
            }
            await relay.stop()
            try FileManager.default.removeItem(atPath: configuration.directory)
        }
        try await eventually("no session is left") { held == nil }
    }

    @Test("A flood of frames ends its connection", arguments: [
        HTTP2Bytes.windowUpdate, HTTP2Bytes.frame(6, [UInt8](repeating: 0, count: 8)), HTTP2Bytes.settings, HTTP2Bytes.frame(0, stream: 1),
        HTTP2Bytes.frame(0, stream: 1, [7]), HTTP2Bytes.frame(2, stream: 1, [0, 0, 0, 0, 1]), HTTP2Bytes.frame(0xFF),
    ])
    func flood(frame: [UInt8]) async throws {
        try await withFileRelay { relay in
            let client = try await RawFrames(relay.relay.address)
            client.send(HTTP2Bytes.preface + HTTP2Bytes.request(1) + (0..<20_000).flatMap { _ in frame })
            try await eventually("the connection is ended") { client.isClosed }
        }
    }
}
