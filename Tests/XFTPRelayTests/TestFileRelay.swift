import Foundation
import Logging
import NIOCore
import NIOPosix
import SMP
import SimpleXCrypto
import TestSupport
import Testing
import XFTP
import XFTPRelay

/// A relay in a temporary folder, and the sessions to it.
final class TestFileRelay {
    static let group = MultiThreadedEventLoopGroup.singleton
    static let logger = {
        var logger = Logger(label: "test-relay")
        logger.logLevel = .error
        return logger
    }()
    var configuration: FileRelayConfiguration
    private(set) var relay: FileRelay
    private var sessions: [XFTPSession] = []

    init(_ change: (inout FileRelayConfiguration) -> Void = { _ in }) async throws {
        var configuration = FileRelayConfiguration(directory: NSTemporaryDirectory() + "files-\(UUID().uuidString)")
        configuration.keyAlgorithm = .ed25519
        configuration.port = TestPort.takeUnused()
        change(&configuration)
        self.configuration = configuration
        relay = try await FileRelay.start(configuration: configuration, group: Self.group, logger: Self.logger)
    }

    func connect() async throws -> XFTPSession {
        let session = try await XFTPSession.connect(to: relay.address, group: Self.group)
        sessions.append(session)
        return session
    }

    /// Stops the relay, calls `meanwhile`, which may change the files, and starts the relay again in the same folder.
    func restart(_ meanwhile: () throws -> Void = {}) async throws {
        await relay.stopAndWait()
        try meanwhile()
        Spawning.waitForChildren()
        relay = try await FileRelay.start(configuration: configuration, group: Self.group, logger: Self.logger)
    }

    var logFile: URL { URL(fileURLWithPath: configuration.directory + "/files.log") }

    /// Paths of the stored contents.
    var contentPaths: [String] { listPaths(in: "files") }
    /// Paths of incomplete uploads.
    var incomingPaths: [String] { listPaths(in: "incoming") }

    private func listPaths(in folder: String) -> [String] {
        let path = configuration.directory + "/" + folder
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).map { path + "/" + $0 }
    }

    func stop() async throws {
        for session in sessions { await session.close() }
        await relay.stopAndWait()
        try FileManager.default.removeItem(atPath: configuration.directory)
    }
}

/// Runs `body` with a relay that is stopped and removed afterwards.
func withFileRelay(
    _ change: (inout FileRelayConfiguration) -> Void = { _ in },
    _ body: (TestFileRelay) async throws -> Void
) async throws {
    let relay = try await TestFileRelay(change)
    do {
        try await body(relay)
    } catch {
        try? await relay.stop()
        throw error
    }
    try await relay.stop()
}

/// A file with the keys of its sender and of one recipient.
struct TestFile {
    let contents: [UInt8]
    let (sender, recipient): (AuthorizationPrivateKey, AuthorizationPrivateKey)
    var digest: [UInt8]
    var info: ChunkInfo { ChunkInfo(senderKey: sender.publicKey, size: UInt32(contents.count), digest: digest) }
    var senderID: [UInt8] = []
    var recipientID: [UInt8] = []

    init(size: Int = 65536) throws {
        contents = RandomBytes.make(count: size)
        digest = Digest.sha256(contents)
        (sender, recipient) = (.ed25519(try .init()), .ed25519(try .init()))
    }

    /// Creates a file on the relay without uploading it.
    static func createFile(_ session: XFTPSession, size: Int = 65536, password: String? = nil) async throws -> TestFile
    {
        var file = try TestFile(size: size)
        try await file.create(session, password: password)
        return file
    }

    static func createAndUpload(_ session: XFTPSession, size: Int = 65536) async throws -> TestFile {
        let file = try await createFile(session, size: size)
        try await file.upload(session)
        return file
    }

    mutating func create(_ session: XFTPSession, password: String? = nil) async throws {
        let ids = try await session.createChunk(
            info,
            recipients: [recipient.publicKey],
            password: password,
            key: sender
        )
        (senderID, recipientID) = (ids.senderID, ids.recipientIDs[0])
    }

    func upload(_ session: XFTPSession) async throws {
        try await session.uploadChunk(contents, to: senderID, key: sender)
    }

    /// Downloads the file and compares its contents.
    func checkDownload(_ session: XFTPSession, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let found = try await session.downloadChunk(recipientID, size: contents.count, digest: digest, key: recipient)
        #expect(found == contents, sourceLocation: sourceLocation)
    }

    func delete(_ session: XFTPSession) async throws { try await session.deleteChunk(senderID, key: sender) }
}

/// The error with which the relay refuses a command, or nil if the command succeeds.
func catchRefusal(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async throws -> XFTPServerError? {
    do {
        try await body()
        return nil
    } catch XFTPClientError.xftp(let error) {
        return error
    }
}
