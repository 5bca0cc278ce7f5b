import Files
import Foundation
import SMP
import SimpleXCrypto
import TestSupport
import Testing
import XFTP
import XFTPTestSupport

@testable import Agent

/// Databases with paths to files outside of the store's folders.
@Suite(.socketTimeLimit) struct HostilePathTests {
    /// Makes an agent that keeps its files in a separate folder, and a file beside that folder.
    private static func makeAgent(
        _ server: FileServer
    ) async throws -> (agent: TestAgent, foreign: String, paths: [String]) {
        let agent = try await FileWorld.makeAgent([server.server]) { configuration in
            let folder = FilePaths.parentFolder(of: configuration.databasePath) + "/files"
            configuration.fileRoots = { FileRoots(files: folder) }
        }
        let (files, foreign) = (agent.folder.path + "/files", agent.folder.path + "/foreign")
        try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
        try Data("foreign".utf8).write(to: URL(filePath: foreign))
        try FileManager.default.createSymbolicLink(atPath: files + "/linked", withDestinationPath: agent.folder.path)
        return (agent, foreign, [foreign, "../foreign", "linked/foreign", files + "/../foreign"])
    }

    @Test
    func `A file is not sent from a path outside of the store's folders`() async throws {
        let server = try await FileServer()
        let (alice, _, paths) = try await Self.makeAgent(server)
        for path in paths {
            let id = try await alice.agent.sendFile(user: alice.user, LocalFile(path: path), recipients: 1)
            #expect(
                try await alice.waitForSendError(id) == .file(.fileIO("it is not in a folder of the store")),
                "\(path)"
            )
        }
        #expect(server.chunkCount == 0)
        await alice.agent.close()
        await server.stop()
    }

    @Test
    func `A file is not received at a path outside of the store's folders`() async throws {
        let server = try await FileServer()
        let (bob, foreign, paths) = try await Self.makeAgent(server)
        let alice = try await FileWorld.makeAgent([server.server])
        let description = try await alice.waitUntilSent(
            try await alice.agent.sendFile(user: alice.user, try alice.makeFile(size: 1_000).0, recipients: 1)
        ).recipients[0]
        for path in paths {
            let id = try await bob.agent.receiveFile(
                user: bob.user,
                description,
                into: LocalFile(path: path),
                approvedRelays: false
            )
            guard case .file(.fileIO) = try await bob.waitForReceiveError(id) else {
                Issue.record("the error is not an error of files"); continue
            }
            let partial = bob.folder.path + "/.\(id.text)\(ReceivedFile.partialFileSuffix)"
            try Data("foreign".utf8).write(to: URL(filePath: partial))
            try await bob.agent.cancelReceivedFile(id)
            #expect(FileManager.default.fileExists(atPath: partial))
        }
        #expect(try String(contentsOfFile: foreign, encoding: .utf8) == "foreign")
        for agent in [alice, bob] { await agent.agent.close() }
        await server.stop()
    }
}
