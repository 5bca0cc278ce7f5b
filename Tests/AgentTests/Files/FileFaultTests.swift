import Foundation
import SMP
import SMPTestSupport
import SimpleXCrypto
import TestSupport
import Testing
import XFTP
import XFTPTestSupport

@testable import Agent

/// Faults of file servers and of the agent's disk. After temporary faults the agent tries again, other faults are
/// reported, and no file remains.
@Suite(.socketTimeLimit) struct FileFaultTests {
    static func startServer(quota: Int = 1 << 26, fault: FileServer.Fault? = nil) async throws -> FileServer {
        var configuration = FileServer.Configuration(fault: fault)
        configuration.quota = quota
        return try await FileServer(configuration)
    }

    /// Sets short times, so that unanswered requests are soon repeated.
    private static func setShortTimeouts(_ configuration: inout AgentConfiguration) {
        configuration.clientConfiguration.transport.connectTimeout = .seconds(2)
        configuration.clientConfiguration.transport.responseTimeout = .milliseconds(1)
    }

    static func address(_ server: FileServer) -> String { server.server.withoutPassword.str }

    @Test(
        arguments: [
            (.answers("FNEW", .auth), .auth), (.answers("FNEW", .size), .size), (.answers("FPUT", .digest), .digest),
            (
                .answers("FADD", .blocked(SMPBlockingInfo(reason: .content))),
                .blocked(SMPBlockingInfo(reason: .content))
            ),
        ] as [(FileServer.Fault, XFTPServerError)]
    )
    func `If a file server refuses an upload permanently, the upload fails and its chunks are deleted`(
        fault: FileServer.Fault,
        error: XFTPServerError
    ) async throws {
        let server = try await Self.startServer(fault: fault)
        let alice = try await FileWorld.makeAgent([server.server])
        let (file, _) = try alice.makeFile(size: 100_000)
        let id = try await alice.agent.sendFile(user: alice.user, file, recipients: 201)
        #expect(try await alice.waitForSendError(id) == .xftp(server: Self.address(server), error))
        try await waitUntil("chunks deleted") { server.chunkCount == 0 }
        #expect(alice.workFiles.isEmpty)
        await alice.agent.close()
        // The error is reported at each start until it is forgotten.
        let again = try await FileWorld.makeAgent(folder: alice.folder, user: alice.user)
        #expect(try await again.waitForSendError(id) == .xftp(server: Self.address(server), error))
        try await again.agent.forgetFile(id)
        await again.agent.close()
        await server.stop()
    }

    @Test(
        arguments: [(.garbles("FNEW"), .response("BLOCK")), (.answersOK(to: "FNEW"), .unexpected("OK"))]
            as [(FileServer.Fault, SMPBrokerError)]
    )
    func `Each kind of invalid answer from a file server is reported as an error`(
        fault: FileServer.Fault,
        error: SMPBrokerError
    ) async throws {
        let server = try await Self.startServer(fault: fault)
        let alice = try await FileWorld.makeAgent([server.server])
        let id = try await alice.agent.sendFile(user: alice.user, try alice.makeFile(size: 10).0, recipients: 1)
        #expect(try await alice.waitForSendError(id) == .broker(server: Self.address(server), error))
        await alice.agent.close()
        await server.stop()
    }

    @Test
    func `If a file server is full or unreachable, chunks are uploaded to another file server`() async throws {
        let full = try await Self.startServer(fault: .answers("FPUT", .quota))
        let gone = try await Self.startServer()
        await gone.stop()
        let good = try await Self.startServer()
        let alice = try await FileWorld.makeAgent([full.server, gone.server, good.server])
        let (file, contents) = try alice.makeFile(size: 10 << 20)
        let recipients = try await alice.waitUntilSent(
            try await alice.agent.sendFile(user: alice.user, file, recipients: 1)
        )
        .recipients
        #expect(recipients[0].servers == [good.server])
        let id = try await alice.agent.receiveFile(
            user: alice.user,
            recipients[0],
            into: alice.targetFile(),
            approvedRelays: false
        )
        #expect(try TestAgent.readContents(try await alice.waitUntilReceived(id)) == contents)
        try await waitUntil("chunks deleted") { full.chunkCount == 0 }
        await alice.agent.close()
        await full.stop()
        await good.stop()
    }

    @Test
    func `Sending a file is refused without a file server, a known user or a recipient`() async throws {
        let alice = try await FileWorld.makeAgent()
        let id = try await alice.agent.sendFile(user: alice.user, try alice.makeFile(size: 10).0, recipients: 1)
        #expect(try await alice.waitForSendError(id) == .noUser)
        await #expect(throws: AgentError.noUser) {
            try await alice.agent.sendFile(user: 77, try alice.makeFile(size: 10).0, recipients: 1)
        }
        await #expect(throws: AgentError.self) {
            try await alice.agent.sendFile(user: alice.user, try alice.makeFile(size: 10).0, recipients: 0)
        }
        await alice.agent.close()
    }

    @Test
    func `Sending a file that cannot be read or decrypted fails with an error`() async throws {
        let server = try await Self.startServer()
        let alice = try await FileWorld.makeAgent([server.server])
        let (secret, _) = try alice.makeFile("secret", size: 1000, CryptoFileArguments())
        let sources = [
            LocalFile(path: alice.folder.path + "/nothing"), LocalFile(path: alice.folder.path),
            LocalFile(path: "/dev/null"),
            LocalFile(path: secret.path, arguments: CryptoFileArguments()),
            LocalFile(path: try alice.makeFile("short", size: 5).0.path, arguments: CryptoFileArguments()),
        ]
        for source in sources {
            let id = try await alice.agent.sendFile(user: alice.user, source, recipients: 1)
            guard case .file(.fileIO) = try await alice.waitForSendError(id) else {
                Issue.record("the error is not an error of files")
                continue
            }
        }
        try await waitUntil("chunks deleted") { server.chunkCount == 0 }
        #expect(alice.workFiles.isEmpty)
        await alice.agent.close()
        await server.stop()
    }

    @Test
    func `A file transfer continues over new connections after its connections break`() async throws {
        let server = try await Self.startServer()
        let proxy = try await CuttingProxy(to: server.server, cuts: [5_000, 100_000, 3_000_000, 5_000_000])
        let alice = try await FileWorld.makeAgent([proxy.server])
        let (file, contents) = try alice.makeFile(size: 15_000_000)
        let recipients = try await alice.waitUntilSent(
            try await alice.agent.sendFile(user: alice.user, file, recipients: 1)
        )
        .recipients
        #expect(server.chunkCount <= recipients[0].chunks.count + 8)
        let second = try await CuttingProxy(to: server.server, cuts: [5_000, 100_000, 3_000_000, 5_000_000])
        var description = recipients[0]
        for index in description.chunks.indices { description.chunks[index].replicas[0].server = second.server }
        let id = try await alice.agent.receiveFile(
            user: alice.user,
            description,
            into: alice.targetFile(),
            approvedRelays: true
        )
        #expect(try TestAgent.readContents(try await alice.waitUntilReceived(id)) == contents)
        await alice.agent.close()
        await proxy.stop()
        await second.stop()
        await server.stop()
    }

    @Test(arguments: ["FNEW", "FPUT"])
    func `If a file server never answers a request, the request is sent again`(command: String) async throws {
        let server = try await Self.startServer(fault: .ignores(command))
        let alice = try await FileWorld.makeAgent([server.server], Self.setShortTimeouts)
        let id = try await alice.agent.sendFile(user: alice.user, try alice.makeFile(size: 100_000).0, recipients: 1)
        try await waitUntil("the server is asked again") { server.requests.count { $0 == command } >= 3 }
        server.setFault(nil)
        _ = try await alice.waitUntilSent(id)
        await alice.agent.close()
        await server.stop()
    }

    @Test
    func `An upload that exceeds its time limit fails with the error of its last attempt`() async throws {
        let server = try await Self.startServer()
        await server.stop()
        let alice = try await FileWorld.makeAgent([server.server]) {
            $0.sentFileTimeoutSeconds = 0
            $0.receivedFileTimeoutSeconds = 0
        }
        let id = try await alice.agent.sendFile(user: alice.user, try alice.makeFile(size: 10).0, recipients: 1)
        guard case .broker(Self.address(server), .network) = try await alice.waitForSendError(id) else {
            Issue.record("another error")
            return
        }
        await alice.agent.close()
    }

    @Test
    func `After a restart of the agent, an interrupted upload continues with the chunks that are missing`() async throws
    {
        let server = try await Self.startServer()
        let alice = try await FileWorld.makeAgent([server.server], Self.setShortTimeouts)
        let (file, contents) = try alice.makeFile(size: 30_000_000)
        let id = try await alice.agent.sendFile(user: alice.user, file, recipients: 1)
        _ = try await alice.waitForFirst("progress") { if case .file(id, .sendProgress) = $0 { true } else { nil } }
        server.setFault(.ignores("FPUT"))
        await alice.agent.close()
        let uploaded = try #require(alice.reportedProgress(id).last).done
        server.setFault(nil)
        let before = server.requests.count { $0 == "FNEW" }
        let again = try await FileWorld.makeAgent(folder: alice.folder, user: alice.user)
        let (sender, recipients) = try await again.waitUntilSent(id)
        let first = try #require(again.reportedProgress(id).first)
        #expect(first.done > uploaded && first.done <= sender.size)
        // A chunk that was created just before a run ended may be unknown to the agent. Then the next run creates it
        // again.
        #expect(server.requests.count { $0 == "FNEW" } <= max(before, sender.chunks.count) + 4)
        let received = try await again.agent.receiveFile(
            user: again.user,
            recipients[0],
            into: again.targetFile(),
            approvedRelays: false
        )
        #expect(try TestAgent.readContents(try await again.waitUntilReceived(received)) == contents)
        await again.agent.close()
        await server.stop()
    }

    @Test
    func `An upload fails if its file was changed before its encryption was complete`() async throws {
        let server = try await Self.startServer(fault: .ignores("FPUT"))
        let alice = try await FileWorld.makeAgent([server.server])
        // The file has only one chunk: with several, the run may end before the sender knows all of them.
        let (file, _) = try alice.makeFile(size: 1_000_000)
        let id = try await alice.agent.sendFile(user: alice.user, file, recipients: 1)
        try await waitUntil("chunk known") { server.requests.contains("FPUT") }
        await alice.agent.close()
        // The database has the state of a run that ended before the whole file was encrypted.
        let database = try await alice.openDatabase()
        try await database.write { db in try db.execute("UPDATE snd_files SET status = 'new', digest = NULL") }
        await database.close()
        try Data(RandomBytes.make(count: 1_000_000)).write(to: URL(fileURLWithPath: file.path.text))
        server.setFault(nil)
        let last = try await FileWorld.makeAgent(folder: alice.folder, user: alice.user)
        #expect(try await last.waitForSendError(id) == .file(.fileIO("file was changed")))
        try await waitUntil("chunks deleted") { server.chunkCount == 0 }
        await last.agent.close()
        await server.stop()
    }

    @Test
    func `If the agent stops before a one-chunk file is uploaded, its next run encrypts the file to the same bytes`()
        async throws
    {
        let server = try await Self.startServer(fault: .ignores("FPUT"))
        let alice = try await FileWorld.makeAgent([server.server])
        let (file, contents) = try alice.makeFile(size: 200_000)
        let id = try await alice.agent.sendFile(user: alice.user, file, recipients: 1)
        try await waitUntil("chunk known") { server.requests.contains("FPUT") }
        await alice.agent.close()
        let database = try await alice.openDatabase()
        let (stored, chunks) = try await database.read { db in
            (try #require(try SentFile.find(id, db)), try SentChunk.readAll(of: id, db))
        }
        await database.close()
        #expect(stored.status == .new && stored.digest != nil && chunks.count == 1 && !chunks[0].isUploaded)
        // The encrypted bytes were not synced, so they can be missing.
        let workFolder = alice.folder.path + "/agent.db_files/"
        for name in alice.workFiles { try FileManager.default.removeItem(atPath: workFolder + name) }
        server.setFault(nil)
        let again = try await FileWorld.makeAgent(folder: alice.folder, user: alice.user)
        let (sender, recipients) = try await again.waitUntilSent(id)
        #expect(sender.digest == stored.digest && sender.chunks.map(\.digest) == chunks.map(\.digest))
        #expect(server.chunkCount == 1 && server.requests.count { $0 == "FNEW" } == 1)
        let received = try await again.agent.receiveFile(
            user: again.user,
            recipients[0],
            into: again.targetFile(),
            approvedRelays: false
        )
        #expect(try TestAgent.readContents(try await again.waitUntilReceived(received)) == contents)
        await again.agent.close()
        await server.stop()
    }

    @Test
    func `An upload fails if its file changed after a run in which a server refused a chunk`() async throws {
        let (server, alice, file, id) = try await Self.refuseChunks()
        try Data(RandomBytes.make(count: 5_000_000)).write(to: URL(fileURLWithPath: file.path.text))
        let uploads = server.requests.count { $0 == "FPUT" }
        let again = try await FileWorld.makeAgent(folder: alice.folder, user: alice.user)
        #expect(try await again.waitForSendError(id) == .file(.fileIO("file was changed")))
        #expect(server.requests.count { $0 == "FPUT" } == uploads)
        await again.agent.close()
        await server.stop()
    }

    @Test
    func `An upload creates a chunk again in the next run if a server refused it`() async throws {
        let (server, alice, file, id) = try await Self.refuseChunks()
        let database = try await alice.openDatabase()
        let refused = try await database.write { db in
            for chunk in try SentChunk.readAll(of: id, db) { try chunk.storeAsAbandoned(id, db) }
            return try SentChunk.readAll(of: id, db)
        }
        await database.close()
        #expect(!refused.isEmpty && refused.allSatisfy(\.isAbandoned))
        let again = try await FileWorld.makeAgent(folder: alice.folder, user: alice.user)
        let (sender, recipients) = try await again.waitUntilSent(id)
        let used = Set(sender.chunks.flatMap(\.replicas).map(\.id))
        #expect(sender.chunks.count > 1)
        #expect(used.isDisjoint(with: refused.map(\.replicaID)))
        let received = try await again.agent.receiveFile(
            user: again.user,
            recipients[0],
            into: again.targetFile(),
            approvedRelays: false
        )
        let contents = try [UInt8](Data(contentsOf: URL(fileURLWithPath: file.path.text)))
        #expect(try TestAgent.readContents(try await again.waitUntilReceived(received)) == contents)
        await again.agent.close()
        await server.stop()
    }

    /// Starts an upload of several chunks, and ends the agent after a full server has refused chunks and deleted them.
    /// The state is that of a run that ended before the file was encrypted. Afterwards the server takes chunks.
    private static func refuseChunks() async throws -> (FileServer, TestAgent, LocalFile, FileID) {
        let server = try await startServer(fault: .answers("FPUT", .quota))
        let alice = try await FileWorld.makeAgent([server.server])
        let (file, _) = try alice.makeFile(size: 5_000_000)
        let id = try await alice.agent.sendFile(user: alice.user, file, recipients: 1)
        try await waitUntil("chunks deleted") { server.requests.contains("FDEL") }
        await alice.agent.close()
        server.setFault(nil)
        let database = try await alice.openDatabase()
        try await database.write { db in try db.execute("UPDATE snd_files SET status = 'new', digest = NULL") }
        await database.close()
        return (server, alice, file, id)
    }

    @Test
    func `An upload fails if its file changed between two runs, even if the database has no record of its chunk`()
        async throws
    {
        let server = try await Self.startServer(fault: .ignores("FPUT"))
        let alice = try await FileWorld.makeAgent([server.server])
        let (file, _) = try alice.makeFile(size: 200_000)
        let id = try await alice.agent.sendFile(user: alice.user, file, recipients: 1)
        try await waitUntil("chunk known") { server.requests.contains("FPUT") }
        await alice.agent.close()
        let database = try await alice.openDatabase()
        try await database.write { db in try db.execute("DELETE FROM snd_chunks") }
        await database.close()
        try Data(RandomBytes.make(count: 200_000)).write(to: URL(fileURLWithPath: file.path.text))
        let uploads = server.requests.count { $0 == "FPUT" }
        server.setFault(nil)
        let again = try await FileWorld.makeAgent(folder: alice.folder, user: alice.user)
        #expect(try await again.waitForSendError(id) == .file(.fileIO("file was changed")))
        #expect(server.requests.count { $0 == "FPUT" } == uploads)
        await again.agent.close()
        await server.stop()
    }

    @Test
    func `The chunks of a cancelled upload are deleted from the file servers`() async throws {
        let server = try await Self.startServer(fault: .ignores("FPUT"))
        let alice = try await FileWorld.makeAgent([server.server])
        let id = try await alice.agent.sendFile(user: alice.user, try alice.makeFile(size: 6_000_000).0, recipients: 1)
        // The sender knows a chunk only after the answer to its creation, so the test waits until all chunks are known.
        try await waitUntil("all chunks are made") {
            try await alice.agent.database.read { db in
                try SentChunk.readAll(of: id, db).count == SentFile.find(id, db)?.layout?.chunkSizes.count
            }
        }
        let begin = ContinuousClock.now
        try await alice.agent.cancelSentFile(id)
        // The cancellation returns before the server answers, because the agent deletes the chunks later.
        #expect(ContinuousClock.now - begin < .seconds(8))
        try await waitUntil("chunks deleted") { server.chunkCount == 0 }
        #expect(alice.workFiles.isEmpty)
        await alice.agent.close()
        await server.stop()
    }

    @Test
    func `The progress of a file transfer is reported at most ten times a second, and when it is complete`() {
        let progress = TransferProgress(done: 0, total: 1000)
        let told = (0..<1000).compactMap { _ in progress.addBytes(1) }
        #expect(told.first == 1 && told.last == 1000 && told.count < 50)
    }

    @Test
    func `An error of a file transfer is read back unchanged from its stored text`() {
        let server = "xftp://q83vmA==@127.0.0.1:443"
        for error in [
            .xftp(server: server, .auth), .xftp(server: server, .blocked(SMPBlockingInfo(reason: .spam))),
            .xftp(server: "", .digest),
            .broker(server: server, .response("DIGEST")), .broker(server: server, .timeout),
            .broker(server: server, .transport(.version)), .broker(server: server, .host),
            .file(.notApproved([server, server])), .file(.notApproved([])), .file(.size), .file(.redirect("a b")),
            .file(.fileIO("No space left")), .file(.noFile),
            .internal("what ever"), .noUser,
        ] as [AgentError] {
            #expect(AgentError(stored: error.storedForm) == error)
        }
        #expect(AgentError(stored: "") == .internal("") && AgentError(stored: "XFTP a b") == .internal("XFTP a b"))
    }
}
