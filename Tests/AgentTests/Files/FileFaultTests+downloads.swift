import Clocks
import Foundation
import NIOPosix
import SMP
import SMPTestSupport
import SimpleXCrypto
import TestSupport
import Testing
import XFTP
import XFTPTestSupport

@testable import Agent

/// Downloads.
extension FileFaultTests {
    /// Uploads a file to a server, and returns its description for a recipient.
    private func uploadFile(
        _ server: FileServer,
        by agent: TestAgent,
        size: Int = 100_000
    ) async throws -> (FileDescription, [UInt8]) {
        let (file, contents) = try agent.makeFile(size: size)
        let id = try await agent.agent.sendFile(user: agent.user, file, recipients: 1)
        let description = try await agent.waitUntilSent(id).recipients[0]
        try await agent.agent.forgetFile(id)
        try FileManager.default.removeItem(atPath: file.path.text)
        return (description, contents)
    }

    func receiveFile(
        _ description: FileDescription,
        _ agent: TestAgent,
        approved: Bool = false
    ) async throws -> FileID {
        try await agent.agent.receiveFile(
            user: agent.user,
            description,
            into: agent.targetFile(),
            approvedRelays: approved
        )
    }

    @Test(
        arguments: [
            (.otherChunk, "DIGEST"), (.damagedChunk, "CRYPTO"), (.shortChunk, "SIZE"), (.longChunk, "SIZE"),
            (.noChunk, "NO_FILE"), (.garbles("FGET"), "BLOCK"),
        ]
            as [(FileServer.Fault, String)]
    )
    func `A download with a wrong chunk or encrypted block fails and leaves no file`(
        fault: FileServer.Fault,
        error: String
    ) async throws {
        let server = try await Self.startServer()
        let alice = try await FileWorld.makeAgent([server.server])
        let (description, _) = try await uploadFile(server, by: alice)
        server.setFault(fault)
        let id = try await receiveFile(description, alice)
        #expect(try await alice.waitForReceiveError(id) == .broker(server: Self.address(server), .response(error)))
        #expect(alice.workFiles.isEmpty && alice.fileNames.isEmpty)
        await alice.agent.close()
        await server.stop()
    }

    @Test
    func `A download whose database record was removed before its start requests nothing from the server`() async throws
    {
        let server = try await Self.startServer()
        let alice = try await FileWorld.makeAgent([server.server])
        let (description, _) = try await uploadFile(server, by: alice)
        let requests = server.requests.count
        let file = ReceivedFile(
            id: FileID(),
            user: alice.user,
            at: WallClock.seconds(),
            target: alice.targetFile(),
            isApproved: false,
            description: description
        )
        try await alice.agent.requireOnline().files.runReceiving(file.id, file)
        #expect(server.requests.count == requests && alice.workFiles.isEmpty && alice.fileNames.isEmpty)
        await alice.agent.close()
        await server.stop()
    }

    @Test
    func `Removing a download with an unreadable file description also removes its partial file`() async throws {
        let server = try await Self.startServer()
        let alice = try await FileWorld.makeAgent([server.server])
        let (description, _) = try await uploadFile(server, by: alice)
        await server.stop()
        let id = try await receiveFile(description, alice)
        try Data("part".utf8).write(to: URL(filePath: alice.folder.path + "/" + ReceivedFile.partialFileName(of: id)))
        try await alice.agent.database.write { db in try db.execute("UPDATE rcv_files SET description = 'damaged'") }
        try await alice.agent.forgetFile(id)
        #expect(alice.workFiles.isEmpty && alice.fileNames.isEmpty)
        let rows = try await alice.agent.database.read { db in try db.query("SELECT 1 FROM rcv_files").count }
        #expect(rows == 0)
        await alice.agent.close()
    }

    @Test
    func `A download continues after a single invalid answer of the file server`() async throws {
        let server = try await Self.startServer()
        let alice = try await FileWorld.makeAgent([server.server])
        let (description, contents) = try await uploadFile(server, by: alice)
        server.setFault(.garblesOnce("FGET"))
        let id = try await receiveFile(description, alice)
        #expect(try TestAgent.readContents(try await alice.waitUntilReceived(id)) == contents)
        await alice.agent.close()
        await server.stop()
    }

    @Test
    func `If a file was deleted on the file server, its download fails with the error AUTH`() async throws {
        let server = try await Self.startServer()
        let alice = try await FileWorld.makeAgent([server.server])
        let (description, _) = try await uploadFile(server, by: alice, size: 6_000_000)
        server.setFault(.answers("FGET", .auth))
        let id = try await receiveFile(description, alice)
        #expect(try await alice.waitForReceiveError(id) == .xftp(server: Self.address(server), .auth))
        #expect(alice.workFiles.isEmpty && alice.fileNames.isEmpty)
        await alice.agent.close()
        let again = try await FileWorld.makeAgent(folder: alice.folder, user: alice.user)
        #expect(try await again.waitForReceiveError(id) == .xftp(server: Self.address(server), .auth))
        await again.agent.close()
        await server.stop()
    }

    @Test(arguments: [.answers("FGET", .auth), .otherChunk, .closes(on: "FGET")] as [FileServer.Fault])
    func `If a file server lacks a chunk, alters it or is unreachable, another replica of the chunk is downloaded`(
        fault: FileServer.Fault
    ) async throws {
        let (first, second) = (try await Self.startServer(), try await Self.startServer())
        let alice = try await FileWorld.makeAgent([first.server])
        var (description, contents) = try await uploadFile(first, by: alice)
        let (from, to) = (try await openSession(first), try await openSession(second))
        for (index, chunk) in description.chunks.enumerated() {
            let bytes = try await from.downloadChunk(
                chunk.replicas[0].id,
                size: chunk.size,
                digest: chunk.digest,
                key: chunk.replicas[0].key
            )
            let (sender, recipient) = (
                AuthorizationPrivateKey.ed25519(try .init()), AuthorizationPrivateKey.ed25519(try .init())
            )
            let info = ChunkInfo(senderKey: sender.publicKey, size: UInt32(chunk.size), digest: chunk.digest)
            let ids = try await to.createChunk(info, recipients: [recipient.publicKey], key: sender)
            try await to.uploadChunk(bytes, to: ids.senderID, key: sender)
            description.chunks[index].replicas.append(
                FileDescription.Replica(server: second.server, id: ids.recipientIDs[0], key: recipient)
            )
        }
        first.setFault(fault)
        let id = try await receiveFile(try FileDescription(parsing: description.text), alice, approved: true)
        #expect(try TestAgent.readContents(try await alice.waitUntilReceived(id)) == contents)
        await alice.agent.close()
        await first.stop()
        await second.stop()
    }

    private func openSession(_ server: FileServer) async throws -> XFTPSession {
        try await XFTPSession.connect(to: server.server, group: MultiThreadedEventLoopGroup.singleton)
    }

    @Test
    func `A download with a wrong digest or key in the file description fails with an error`() async throws {
        let server = try await Self.startServer()
        let alice = try await FileWorld.makeAgent([server.server])
        let (description, _) = try await uploadFile(server, by: alice)
        var other = description
        other.digest[0] ^= 1
        #expect(try await alice.waitForReceiveError(receiveFile(other, alice)) == .xftp(server: "", .digest))
        other = description
        other.key = SymmetricKey()
        guard case .file(.fileIO) = try await alice.waitForReceiveError(receiveFile(other, alice)) else {
            Issue.record("the file was decrypted with another key")
            return
        }
        other = description
        other.chunks[0].digest[0] ^= 1
        #expect(
            try await alice.waitForReceiveError(receiveFile(other, alice))
                == .broker(server: Self.address(server), .response("DIGEST"))
        )
        let requests = server.requests.count
        other = description
        other.size += 1
        await #expect(throws: AgentError.self) { try await receiveFile(other, alice) }
        other = description
        other.party = .sender
        await #expect(throws: AgentError.self) { try await receiveFile(other, alice) }
        #expect(server.requests.count == requests && alice.workFiles.isEmpty && alice.fileNames.isEmpty)
        await alice.agent.close()
        await server.stop()
    }

    @Test
    func `A download from an unconfigured server needs approval, except if a proxy hides the user's address`()
        async throws
    {
        let (server, other) = (try await Self.startServer(), try await Self.startServer())
        let alice = try await FileWorld.makeAgent([server.server])
        let (description, contents) = try await uploadFile(server, by: alice)
        let bob = try await FileWorld.makeAgent([other.server])
        let requests = server.requests.count
        await #expect(throws: AgentError.file(.notApproved([Self.address(server)]))) {
            try await receiveFile(description, bob)
        }
        #expect(try await bob.agent.findUnapprovedServers(of: description, for: bob.user) == [server.server])
        // A redirect also needs approval if the user has not configured the server.
        let redirectID = try await bob.agent.sendDescription(user: bob.user, description, recipients: 1)
        let redirect = try await bob.waitUntilSent(redirectID).recipients[0]
        #expect(
            try await bob.waitForReceiveError(receiveFile(redirect, bob)) == .file(.notApproved([Self.address(server)]))
        )
        #expect(server.requests.count == requests)
        #expect(
            try TestAgent.readContents(try await bob.waitUntilReceived(receiveFile(redirect, bob, approved: true)))
                == contents
        )
        let socks = try await SOCKSServer.start()
        let carol = try await FileWorld.makeAgent {
            $0.clientConfiguration.transport.socks = .init(port: UInt16(truncatingIfNeeded: socks.port))
        }
        #expect(
            try TestAgent.readContents(try await carol.waitUntilReceived(receiveFile(description, carol))) == contents
        )
        #expect(!socks.requests.isEmpty)
        for agent in [alice, bob, carol] { await agent.agent.close() }
        await socks.stop()
        await server.stop()
        await other.stop()
    }

    @Test
    func `A redirect to a file description is refused if the target is a redirect, another file or unreadable`()
        async throws
    {
        let server = try await Self.startServer()
        let alice = try await FileWorld.makeAgent([server.server])
        let (description, _) = try await uploadFile(server, by: alice)
        var circle = description
        circle.redirect = FileDescription.Redirect(size: description.size, digest: description.digest)
        var sender = description
        sender.party = .sender
        let right = FileDescription.Redirect(size: description.size, digest: description.digest)
        for (text, redirect, error) in [
            ("nonsense", right, "decode error"), (sender.text, right, "decode error"),
            (circle.text, right, "another redirect"),
            (
                description.text, FileDescription.Redirect(size: description.size + 65536, digest: description.digest),
                "size mismatch"
            ),
            (
                description.text,
                FileDescription.Redirect(size: description.size, digest: description.digest.reversed()),
                "digest mismatch"
            ),
        ] {
            let id = FileID()
            let file = SentFile(
                id: id,
                user: alice.user,
                at: WallClock.seconds(),
                source: .text(Array(text.utf8)),
                name: "",
                recipients: 1,
                redirect: redirect
            )
            try await alice.openDatabase().write { db in try file.insert(db) }
            try alice.agent.requireOnline().files.startSendTask(id)
            let link = try await alice.waitUntilSent(id).recipients[0]
            #expect(try await alice.waitForReceiveError(receiveFile(link, alice)) == .file(.redirect(error)))
        }
        #expect(alice.workFiles.isEmpty && alice.fileNames.isEmpty)
        await alice.agent.close()
        await server.stop()
    }

    @Test
    func `A download to a path that cannot be written fails with an error`() async throws {
        let server = try await Self.startServer()
        let alice = try await FileWorld.makeAgent([server.server])
        let (description, _) = try await uploadFile(server, by: alice)
        for path in ["nowhere/file", "folder"] {
            try FileManager.default.createDirectory(
                atPath: alice.folder.path + "/folder/below",
                withIntermediateDirectories: true
            )
            let id = try await alice.agent.receiveFile(
                user: alice.user,
                description,
                into: alice.targetFile(path),
                approvedRelays: false
            )
            guard case .file(.fileIO) = try await alice.waitForReceiveError(id) else {
                Issue.record("no error")
                continue
            }
        }
        #expect(alice.workFiles.isEmpty && alice.fileNames == ["folder"])
        await alice.agent.close()
        await server.stop()
    }

    @Test
    func `A download that continues after a restart downloads damaged chunks again`() async throws {
        let server = try await Self.startServer()
        let alice = try await FileWorld.makeAgent([server.server])
        let (description, contents) = try await uploadFile(server, by: alice, size: 30_000_000)
        let id = try await receiveFile(description, alice)
        _ = try await alice.waitForFirst("progress") { if case .file(id, .receiveProgress) = $0 { true } else { nil } }
        server.setFault(.ignores("FGET"))
        await alice.agent.close()
        let received = try #require(alice.reportedProgress(id).last).done
        let work = try #require(alice.workFiles.first)
        let handle = try #require(FileHandle(forUpdatingAtPath: alice.folder.path + "/agent.db_files/" + work))
        // Zeros replace the first bytes of each received chunk, so the chunk must be fetched again.
        for offset in stride(from: 0, to: UInt64(received), by: 1 << 22) {
            try handle.seek(toOffset: offset)
            try handle.write(contentsOf: Data(count: 1000))
        }
        try handle.close()
        server.setFault(nil)
        let again = try await FileWorld.makeAgent(folder: alice.folder, user: alice.user)
        #expect(try TestAgent.readContents(try await again.waitUntilReceived(id)) == contents)
        #expect(again.workFiles.isEmpty && again.fileNames == ["received"])
        await again.agent.close()
        await server.stop()
    }

    @Test
    func `A cancelled download leaves no file, and the next start removes unknown files from the work folder`()
        async throws
    {
        let server = try await Self.startServer()
        let alice = try await FileWorld.makeAgent([server.server])
        let (description, _) = try await uploadFile(server, by: alice, size: 6_000_000)
        server.setFault(.ignores("FGET"))
        let id = try await receiveFile(description, alice)
        try await waitUntil("the server is asked") { server.requests.contains("FGET") }
        try await alice.agent.cancelReceivedFile(id)
        #expect(alice.workFiles.isEmpty && alice.fileNames.isEmpty)
        await alice.agent.close()
        for name in ["stray", FileID().text + ".rcv"] {
            try Data(count: 10).write(to: URL(fileURLWithPath: alice.folder.path + "/agent.db_files/" + name))
        }
        let again = try await FileWorld.makeAgent(folder: alice.folder, user: alice.user)
        #expect(again.workFiles.isEmpty)
        await again.agent.close()
        await server.stop()
    }
}
