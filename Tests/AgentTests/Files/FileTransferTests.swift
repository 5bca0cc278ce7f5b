import Foundation
import SMP
import SimpleXCrypto
import TestSupport
import Testing
import XFTP
import XFTPTestSupport

@testable import Agent

/// File transfers between two agents over a file server.
@Suite(.socketTimeLimit) struct FileTransferTests {
    @Test(arguments: [0, 1, 70_000, 261_120, 5_000_000])
    func `A sent file of any size arrives unchanged at each recipient`(size: Int) async throws {
        let server = try await FileServer()
        let alice = try await FileWorld.makeAgent([server.server])
        let bob = try await FileWorld.makeAgent([server.server])
        let (file, contents) = try alice.makeFile(size: size)
        let sentID = try await alice.agent.sendFile(user: alice.user, file, recipients: 2)
        let (sender, recipients) = try await alice.waitUntilSent(sentID)
        #expect(sender.party == .sender && recipients.count == 2 && Set(recipients.map(\.text)).count == 2)
        #expect(server.chunkCount == sender.chunks.count)
        let last = try #require(alice.reportedProgress(sentID).last)
        #expect(last.done == sender.size && last.total == sender.size)
        for (index, recipient) in recipients.enumerated() {
            let description = try FileDescription(parsing: recipient.text)
            let id = try await bob.agent.receiveFile(
                user: bob.user,
                description,
                into: bob.targetFile("file\(index)"),
                approvedRelays: false
            )
            #expect(try TestAgent.readContents(try await bob.waitUntilReceived(id)) == contents)
            let last = try #require(bob.reportedProgress(id).last)
            #expect(last.done == sender.size && last.total == sender.size)
            try await bob.agent.forgetFile(id)
        }
        try await alice.agent.forgetFile(sentID)
        #expect(alice.workFiles.isEmpty && bob.workFiles.isEmpty && bob.fileNames == ["file0", "file1"])
        try await alice.agent.deleteSentFile(user: alice.user, sender)
        try await waitUntil("chunks deleted") { server.chunkCount == 0 }
        await alice.agent.close()
        await bob.agent.close()
        await server.stop()
    }

    @Test
    func `An encrypted source file is sent, and received as an encrypted destination file`() async throws {
        let server = try await FileServer()
        let (alice, bob) = (
            try await FileWorld.makeAgent([server.server]), try await FileWorld.makeAgent([server.server])
        )
        let (file, contents) = try alice.makeFile(size: 300_000, CryptoFileArguments())
        let description = try await alice.waitUntilSent(
            try await alice.agent.sendFile(user: alice.user, file, recipients: 1)
        )
        .recipients[0]
        let place = bob.targetFile("secret", CryptoFileArguments())
        let received = try await bob.waitUntilReceived(
            try await bob.agent.receiveFile(user: bob.user, description, into: place, approvedRelays: false)
        )
        #expect(received == place)
        #expect(try TestAgent.readContents(received) == contents)
        #expect(try TestAgent.readContents(bob.targetFile("secret")).prefix(1000) != contents.prefix(1000))
        await alice.agent.close()
        await bob.agent.close()
        await server.stop()
    }

    @Test
    func `A file can have more recipients than one FNEW or FADD command can create`() async throws {
        let server = try await FileServer()
        let alice = try await FileWorld.makeAgent([server.server])
        let (file, contents) = try alice.makeFile(size: 100_000)
        let recipients = try await alice.waitUntilSent(
            try await alice.agent.sendFile(user: alice.user, file, recipients: 450)
        )
        .recipients
        #expect(Set(recipients.map(\.text)).count == 450 && server.requests.count { $0 == "FADD" } == 4)
        for recipient in [recipients[0], recipients[200], recipients[449]] {
            let id = try await alice.agent.receiveFile(
                user: alice.user,
                recipient,
                into: alice.targetFile(),
                approvedRelays: false
            )
            #expect(try TestAgent.readContents(try await alice.waitUntilReceived(id)) == contents)
        }
        await alice.agent.close()
        await server.stop()
    }

    @Test
    func `Chunks of a sent file are stored only on the file servers that the user permits for storage`() async throws {
        let servers = [try await FileServer(), try await FileServer(), try await FileServer()]
        let alice = try await FileWorld.makeAgent()
        try await alice.setServers(files: [
            AgentServer(servers[0].server), AgentServer(servers[1].server),
            AgentServer(servers[2].server, hasStorageRole: false),
        ])
        let (file, contents) = try alice.makeFile(size: 10 << 20)
        let (sender, recipients) = try await alice.waitUntilSent(
            try await alice.agent.sendFile(user: alice.user, file, recipients: 1)
        )
        #expect(servers[0].chunkCount + servers[1].chunkCount == sender.chunks.count && servers[2].chunkCount == 0)
        let id = try await alice.agent.receiveFile(
            user: alice.user,
            recipients[0],
            into: alice.targetFile(),
            approvedRelays: false
        )
        #expect(try TestAgent.readContents(try await alice.waitUntilReceived(id)) == contents)
        await alice.agent.close()
        for server in servers { await server.stop() }
    }

    @Test
    func `A file is downloaded through a link to its file description`() async throws {
        let server = try await FileServer()
        let (alice, bob) = (
            try await FileWorld.makeAgent([server.server]), try await FileWorld.makeAgent([server.server])
        )
        let (file, contents) = try alice.makeFile(size: 6_000_000)
        let direct = try await alice.waitUntilSent(
            try await alice.agent.sendFile(user: alice.user, file, recipients: 1)
        )
        .recipients[0]
        let redirectID = try await alice.agent.sendDescription(user: alice.user, direct, recipients: 1)
        let redirect = try await alice.waitUntilSent(redirectID).recipients[0]
        #expect(
            redirect.redirect == FileDescription.Redirect(size: direct.size, digest: direct.digest)
                && redirect.chunks.count == 1
        )
        let link = FileDescriptionURI(fileDescription: redirect).text
        #expect(link.utf8.count < FileDescriptionURI.maxQRCodeLength)
        let description = try FileDescriptionURI(parsing: link).fileDescription
        let id = try await bob.agent.receiveFile(
            user: bob.user,
            description,
            into: bob.targetFile(),
            approvedRelays: false
        )
        #expect(try TestAgent.readContents(try await bob.waitUntilReceived(id)) == contents)
        #expect(
            bob.reportedProgress(id).allSatisfy { $0.total == direct.size }
                && bob.reportedProgress(id).last?.done == direct.size
        )
        #expect(bob.workFiles.isEmpty)
        await #expect(throws: AgentError.file(.redirect("not a description of a file"))) {
            try await alice.agent.sendDescription(user: alice.user, redirect, recipients: 1)
        }
        await alice.agent.close()
        await bob.agent.close()
        await server.stop()
    }

    @Test
    func `A finished file transfer is reported at each start of the agent until its record is removed`() async throws {
        let server = try await FileServer()
        let alice = try await FileWorld.makeAgent([server.server])
        let (file, _) = try alice.makeFile(size: 1000)
        let sentID = try await alice.agent.sendFile(user: alice.user, file, recipients: 1)
        let description = try await alice.waitUntilSent(sentID).recipients[0]
        let receivedID = try await alice.agent.receiveFile(
            user: alice.user,
            description,
            into: alice.targetFile(),
            approvedRelays: false
        )
        _ = try await alice.waitUntilReceived(receivedID)
        // Repeating a command with a known id has no effect, in every state of the file.
        server.setFault(.answers("FGET", .auth))
        let requests = server.requests.count
        try await alice.agent.sendFile(user: alice.user, file, id: sentID, recipients: 1)
        try await alice.agent.receiveFile(
            user: alice.user,
            description,
            into: alice.targetFile(),
            id: receivedID,
            approvedRelays: false
        )
        await alice.agent.close()
        let again = try await FileWorld.makeAgent(folder: alice.folder, user: alice.user)
        #expect(try await again.waitUntilSent(sentID).recipients == [description])
        #expect(try await again.waitUntilReceived(receivedID) == alice.targetFile())
        #expect(server.requests.count == requests)
        try await again.agent.forgetFile(sentID)
        try await again.agent.forgetFile(receivedID)
        await again.agent.close()
        let last = try await FileWorld.makeAgent(folder: alice.folder, user: alice.user)
        let (other, _) = try last.makeFile("other", size: 10)
        _ = try await last.waitUntilSent(try await last.agent.sendFile(user: last.user, other, recipients: 1))
        #expect(
            last.events.allSatisfy {
                if case .file(sentID, _) = $0 { false } else if case .file(receivedID, _) = $0 { false } else { true }
            }
        )
        await last.agent.close()
        await server.stop()
    }
}
