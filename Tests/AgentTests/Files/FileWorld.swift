import Files
import Foundation
import SMP
import SQLCipher
import SimpleXCrypto
import TestSupport
import Testing
import XFTP
import XFTPTestSupport

@testable import Agent

/// Agents that send and receive files; none of them has connections.
struct FileWorld {
    /// Makes an agent. It connects to no relay at the start, since it has no queues.
    static func makeAgent(
        _ servers: [ProtocolServer] = [],
        folder: TemporaryFolder? = nil,
        user: AgentUserID? = nil,
        _ change: (inout AgentConfiguration) -> Void = { _ in }
    ) async throws -> TestAgent {
        let agent = try await TestAgent(
            ProtocolServer(parsing: "smp://q83vmA==@127.0.0.1:1"),
            folder: folder,
            user: user
        ) { configuration in
            configuration.clientConfiguration.transport.connectTimeout = .seconds(10)
            let folder = FilePaths.parentFolder(of: configuration.databasePath)
            configuration.fileRoots = { FileRoots(files: folder) }
            change(&configuration)
        }
        if !servers.isEmpty {
            try await agent.setServers(files: servers.map { AgentServer($0) })
        }
        return agent
    }
}

extension LocalFile {
    init(path: String, arguments: CryptoFileArguments? = nil) {
        self.init(path: StoredPath(path), arguments: arguments)
    }
}

extension TestAgent {
    /// Writes a file of random bytes, encrypted if `arguments` are given. Returns the file and its contents.
    func makeFile(
        _ name: String = "photo.jpg",
        size: Int,
        _ arguments: CryptoFileArguments? = nil
    ) throws -> (LocalFile, [UInt8]) {
        let contents = RandomBytes.make(count: size)
        let path = folder.path + "/" + name
        try Data(try arguments.map { try FileCipher.sealContents(contents, $0) } ?? contents).write(
            to: URL(fileURLWithPath: path)
        )
        return (LocalFile(path: path, arguments: arguments), contents)
    }

    func targetFile(_ name: String = "received", _ arguments: CryptoFileArguments? = nil) -> LocalFile {
        LocalFile(path: folder.path + "/" + name, arguments: arguments)
    }

    static func readContents(_ file: LocalFile) throws -> [UInt8] {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file.path.text)))
        return try file.cryptoArguments.map { try FileCipher.openContents(bytes, $0) } ?? bytes
    }

    /// Waits until a file is sent.
    func waitUntilSent(
        _ id: FileID,
        _ index: Int = 0
    ) async throws -> (sender: FileDescription, recipients: [FileDescription]) {
        try await waitForAll("file sent", index + 1) { event in
            switch event {
            case .file(id, .sent(let sender, let recipients)): return (sender, recipients)
            case .file(id, .sendError(let error)):
                Issue.record("\(error)")
                return nil
            default: return nil
            }
        }[index]
    }

    func waitForSendError(_ id: FileID) async throws -> AgentError {
        try await waitForFirst("file not sent") { if case .file(id, .sendError(let error)) = $0 { error } else { nil } }
    }

    func waitUntilReceived(_ id: FileID) async throws -> LocalFile {
        try await waitForFirst("file received") { event in
            switch event {
            case .file(id, .received(let file)): return file
            case .file(id, .receiveError(let error)):
                Issue.record("\(error)")
                return nil
            default: return nil
            }
        }
    }

    func waitForReceiveError(_ id: FileID) async throws -> AgentError {
        try await waitForFirst("file not received") {
            if case .file(id, .receiveError(let error)) = $0 { error } else { nil }
        }
    }

    /// Returns the reported progress of a file.
    func reportedProgress(_ id: FileID) -> [(done: Int64, total: Int64)] {
        events.compactMap { event in
            switch event {
            case .file(id, .sendProgress(let sent, let total)): (sent, total)
            case .file(id, .receiveProgress(let received, let total)): (received, total)
            default: nil
            }
        }
    }

    /// Opens a second instance of the agent's database.
    func openDatabase() async throws -> Database {
        try await Database.open(
            at: folder.path + "/agent.db",
            key: .raw([UInt8](repeating: 1, count: 32)),
            migrates: false
        )
    }

    var workFiles: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/agent.db_files")) ?? []
    }

    /// Names of the files and folders beside the database.
    var fileNames: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
            .filter { !$0.hasPrefix("agent.db") }.sorted()
    }
}
