import Foundation
import NIOPosix
import SMP
import SimpleXCrypto
import TestSupport
import Testing
import XFTP
import XFTPRelay

@testable import Agent

/// File transfers over this project's file relay, which stops and starts again meanwhile.
@Suite(.socketTimeLimit) struct FileRelayTests {
    private static func startRelay(_ folder: TemporaryFolder, port: Int) async throws -> FileRelay {
        var configuration = FileRelayConfiguration(directory: folder.path)
        configuration.keyAlgorithm = .ed25519
        configuration.port = port
        configuration.createPassword = "secret"
        return try await FileRelay.start(configuration: configuration, group: MultiThreadedEventLoopGroup.singleton)
    }

    @Test
    func `File transfers continue after a restart of the file server`() async throws {
        let (folder, port) = (try TemporaryFolder(), TestPort.takeUnused())
        var relay = try await Self.startRelay(folder, port: port)
        let alice = try await FileWorld.makeAgent([relay.address])
        let (file, contents) = try alice.makeFile(size: 30_000_000)
        let id = try await alice.agent.sendFile(user: alice.user, file, recipients: 1)
        _ = try await alice.waitForFirst("progress") { if case .file(id, .sendProgress) = $0 { true } else { nil } }
        await relay.stopAndWait()
        Spawning.waitForChildren()
        relay = try await Self.startRelay(folder, port: port)
        let (sender, recipients) = try await alice.waitUntilSent(id)
        #expect(recipients[0].servers == [relay.address.withoutPassword])
        let received = try await alice.agent.receiveFile(
            user: alice.user,
            recipients[0],
            into: alice.targetFile(),
            approvedRelays: false
        )
        _ = try await alice.waitForFirst("progress") {
            if case .file(received, .receiveProgress) = $0 { true } else { nil }
        }
        await relay.stopAndWait()
        Spawning.waitForChildren()
        relay = try await Self.startRelay(folder, port: port)
        #expect(try TestAgent.readContents(try await alice.waitUntilReceived(received)) == contents)
        try await alice.agent.deleteSentFile(user: alice.user, sender)
        try await waitUntil("chunks deleted") {
            ((try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/files")) ?? []).isEmpty
        }
        await alice.agent.close()
        await relay.stopAndWait()
    }

    @Test
    func `Ten files are sent and received at the same time`() async throws {
        let folder = try TemporaryFolder()
        let relay = try await Self.startRelay(folder, port: TestPort.takeUnused())
        let alice = try await FileWorld.makeAgent([relay.address])
        var files: [(FileID, [UInt8])] = []
        for number in 0..<10 {
            let (file, contents) = try alice.makeFile("file\(number)", size: 1_000_000 + number)
            files.append((try await alice.agent.sendFile(user: alice.user, file, recipients: 4), contents))
        }
        var received: [(FileID, [UInt8])] = []
        for (index, (id, contents)) in files.enumerated() {
            let description = try await alice.waitUntilSent(id).recipients[3]
            let place = alice.targetFile("copy\(index)", CryptoFileArguments())
            received.append(
                (
                    try await alice.agent.receiveFile(
                        user: alice.user,
                        description,
                        into: place,
                        approvedRelays: false
                    ), contents
                )
            )
        }
        for (id, contents) in received {
            #expect(try TestAgent.readContents(try await alice.waitUntilReceived(id)) == contents)
        }
        await alice.agent.close()
        await relay.stopAndWait()
    }
}
