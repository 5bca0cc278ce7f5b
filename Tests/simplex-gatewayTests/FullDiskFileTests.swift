import Foundation
import JSON
import NIOPosix
import SMP
import SimpleXCrypto
import Synchronization
import TestSupport
import Testing
import XFTP

/// Tests of files on a full disk, at a gateway with its file relay, and at a standalone file relay.
@Suite(.faultTests) struct FullDiskFileTests {
    /// Returns the numbers of a user's files for which an event of the type arrived.
    private func readFileIDs(of user: Int, _ node: Node, _ type: String) async throws -> [Int64] {
        var files: [Int64] = []
        var cursor = ""
        while true {
            let page = try await node.callForObject("GET", "/v1/events?limit=1000\(cursor)")
            guard let events = page["events"]?.arrayValue, !events.isEmpty, let next = page["cursor"]?.stringValue
            else { return files }
            cursor = "&cursor=\(next)"
            for entry in events
            where entry["userId"]?.integerValue == Int64(user) && entry["event"]?["type"]?.stringValue == type {
                let items = entry["event"]?["chatItems"]?.arrayValue ?? [entry["event"]?["chatItem"]].compactMap { $0 }
                files += items.compactMap { $0["chatItem"]?["file"]?["fileId"]?.integerValue }
            }
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `A file that is sent on a full disk arrives when the disk has free space again, even after a kill`()
        async throws
    {
        try await FullDiskWorld.run { world, node in
            try await world.connectUsers()
            // The content of the file does not matter for the test.
            let contents: JSONValue = ["contents": .string(String(repeating: "0123456789abcdef", count: 20_000))]
            var writes = 1
            for (number, part) in [1, 0, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9].enumerated() {
                let moment = number == 0 ? 1_000_000 : Int(Double(writes) * part)
                let before = world.disk.writeCount
                let source = try #require(
                    try await world.sendWhileFull(
                        "POST",
                        "/v1/users/1/files?name=aubergine\(number).txt",
                        contents,
                        full: moment
                    )?["fileSource"]
                )
                let message: JSONValue = [
                    "composedMessages": [
                        ["fileSource": source, "msgContent": ["type": "file", "text": ""], "mentions": [:]]
                    ]
                ]
                let offered = try await readFileIDs(of: 2, node, "newChatItems").count
                try await world.sendWhileFull("POST", world.chatPath(0) + "/messages", message, full: moment) {
                    try await readFileIDs(of: 2, node, "newChatItems").count > offered
                }
                try await waitUntil("\(number) is offered") {
                    try await readFileIDs(of: 2, node, "newChatItems").count > offered
                }
                let file = try #require(try await readFileIDs(of: 2, node, "newChatItems").last)
                try await world.sendWhileFull("POST", "/v1/users/2/files/\(file)/receive", [:], full: moment) {
                    try await readFileIDs(of: 2, node, "rcvFileComplete").contains(file)
                }
                if number.isMultiple(of: 3) { await node.restart() }
                try await waitUntil("\(number) is received") {
                    try await readFileIDs(of: 2, node, "rcvFileComplete").contains(file)
                }
                let received = try await node.call("GET", "/v1/users/2/files/\(file)/content")
                #expect(
                    received.status == 200 && received.body == contents.encodeText(),
                    "\(number): \(received.status), \(received.body.count) bytes"
                )
                if number == 0 { writes = (world.disk.writeCount - before) / 3 }
            }
            let running = try await node.waitUntilRunning()
            running.program.signal(SIGTERM)
            let lines = await running.program.waitForEnd().errors.split(separator: "\n")
            #expect(
                lines.contains { $0.contains("error=\"the disk is full\"") },
                "the disk was not full since the last start: \(lines)"
            )
            // The log must not contain file names.
            let named = lines.filter { $0.contains("aubergine") }
            #expect(named.isEmpty, "\(named.prefix(3))")
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `A file relay on a full disk confirms only uploads that are stored`() async throws {
        try await Folder.withNewFolder { folder in
            let disk = try await FullDisk(of: folder.path + "/relay", controlFolder: folder.path)
            let arguments = [
                "relay", "--files", "--data", folder.path + "/relay", "--port", "\(TestPort.takeUnused())",
            ]
            var relay = try Program(arguments, environment: disk.environment)
            let address = try ProtocolServer(parsing: try await relay.waitForLine("File relay:"))
            var confirmed: [(id: [UInt8], key: AuthorizationPrivateKey, contents: [UInt8])] = []
            for moment in 0..<(FullDisk.runsLongTests ? 40 : 10) {
                let session = try await XFTPSession.connect(to: address, group: MultiThreadedEventLoopGroup.singleton)
                let (sender, recipient) = (
                    AuthorizationPrivateKey.ed25519(try .init()), AuthorizationPrivateKey.ed25519(try .init())
                )
                let contents = RandomBytes.make(count: 65536)
                let info = ChunkInfo(senderKey: sender.publicKey, size: 65536, digest: Digest.sha256(contents))
                disk.fill(after: moment)
                func send() async throws -> [UInt8] {
                    let ids = try await session.createChunk(
                        info,
                        recipients: [recipient.publicKey],
                        password: nil,
                        key: sender
                    )
                    try await session.uploadChunk(contents, to: ids.senderID, key: sender)
                    return ids.recipientIDs[0]
                }
                let isAnswered = Mutex(false)
                let sending = Task {
                    defer { isAnswered.withLock { $0 = true } }
                    return try await send()
                }
                // The relay answers a refused write only after the disk has free space again.
                try await waitUntil("\(moment) is answered, or refused by the disk") {
                    disk.refusalCount > 0 || isAnswered.withLock { $0 }
                }
                if moment.isMultiple(of: 3) {
                    relay.signal(SIGKILL)
                    _ = await relay.waitForEnd()
                    disk.freeSpace()
                    relay = try Program(arguments, environment: disk.environment)
                    #expect(try await ProtocolServer(parsing: relay.waitForLine("File relay:")) == address)
                }
                disk.freeSpace()
                var id = try? await sending.value
                if id == nil, !moment.isMultiple(of: 3) {
                    // The relay checks only at intervals whether there is free space, so the test repeats the request.
                    try await waitUntil("\(moment) is taken") {
                        id = try? await send()
                        return id != nil
                    }
                }
                if let id { confirmed.append((id, recipient, contents)) }
            }
            let session = try await XFTPSession.connect(to: address, group: MultiThreadedEventLoopGroup.singleton)
            for file in confirmed {
                #expect(
                    try await session.downloadChunk(
                        file.id,
                        size: 65536,
                        digest: Digest.sha256(file.contents),
                        key: file.key
                    ) == file.contents
                )
            }
            #expect(confirmed.count > 3)
            relay.signal(SIGTERM)
            #expect(await relay.waitForEnd().exitCode == 0)
        }
    }
}
