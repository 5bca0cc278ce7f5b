import Foundation
import NIOCore
import NIOPosix
import TestSupport
import Testing
import XFTPRelay

@Suite("File relay: statistics and warnings", .socketTimeLimit)
struct FileRelayMetricsTests {
    @Test
    func `The file relay serves the numbers of sessions, files and bytes in the Prometheus format`() async throws {
        try await withFileRelay({ $0.metricsPort = 0 }) { relay in
            let session = try await relay.connect()
            let file = try await TestFile.createAndUpload(session)
            try await file.checkDownload(session)
            try await session.acknowledgeChunk(file.recipientID, key: file.recipient)
            #expect(try await catchRefusal { try await file.checkDownload(session) } == .auth)
            let expected = [
                "sessions": 1, "sessions_open": 1, "files_created": 1, "recipients_added": 1, "files_uploaded": 1,
                "bytes_uploaded": 65536,
                "downloads": 1, "bytes_downloaded": 65536, "downloads_acknowledged": 1, "commands_refused_auth": 1,
                "files": 1, "files_stored": 1,
                "bytes_stored": 65536, "recipients": 0,
            ]
            for (name, value) in expected { #expect(relay.relay.statistics[name] == value, "\(name)") }
            let text = try await fetchMetrics(from: try #require(relay.relay.metricsPort))
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(
                text.contains("\n# TYPE xftp_relay_files_uploaded_total counter\nxftp_relay_files_uploaded_total 1\n")
            )
            #expect(text.contains("\nxftp_relay_bytes_stored 65536\n"))
        }
    }

    private func fetchMetrics(from port: Int) async throws -> String {
        let channel = try await ClientBootstrap(group: TestFileRelay.group).connect(host: "127.0.0.1", port: port) {
            channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"))
            var text = ""
            for try await part in inbound { text += String(buffer: part) }
            return text
        }
    }

    @Test
    func `A file relay without a password or with a missing log reports a warning`() async throws {
        try await withFileRelay { relay in
            #expect(relay.relay.warnings.isEmpty)
            relay.configuration.host = "0.0.0.0"
            relay.configuration.publicHost = "127.0.0.1"
            try await relay.restart { try FileManager.default.removeItem(at: relay.logFile) }
            #expect(
                relay.relay.warnings == [.openToOtherMachines(host: "0.0.0.0"), .emptyLog(path: relay.logFile.path)]
            )
            relay.configuration.createPassword = "secret"
            try await relay.restart()
            #expect(relay.relay.warnings.isEmpty)
        }
    }
}
