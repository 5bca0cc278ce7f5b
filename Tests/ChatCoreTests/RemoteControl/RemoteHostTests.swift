import ChatAPI
import ChatProtocol
import Foundation
import JSON
import NIOPosix
import RemoteControl
import SimpleXCrypto
import Synchronization
import TestSupport
import Testing

@testable import ChatCore
@testable import XRCP

/// A core that uses the profiles of a phone. Here the phone is another core.
@Suite(.socketTimeLimit) struct RemoteHostTests {
    private func sendText(
        _ text: String,
        of desk: Core,
        to host: Int64 = 1,
        as user: Int64? = nil
    ) async throws -> JSONValue {
        switch await desk.controller.send(try ChatCommand(parsing: text), toRemoteHost: host, as: user, with: .all) {
        case .result(let answer): try JSONEncoder().encodeValue(answer)
        case .error(let error): try JSONEncoder().encodeValue(error)
        }
    }

    /// Pairs the phone with the desktop by its link, and confirms the code on both sides.
    private func pairDevices(_ phone: Core, _ desk: Core, _ host: String = "new", options: String = "") async throws {
        let codes = try await phone.events().count { $0.event["type"] == "remoteCtrlSessionCode" }
        let connected = try await desk.events().count { $0.event["type"] == "remoteHostConnected" }
        let started = try await desk.run(#"/start remote host \#(host) addr=127.0.0.1 iface="lo"\#(options)"#)
        let link = try #require(started["invitation"]?.stringValue, "\(started)")
        #expect(try await phone.run("/connect remote ctrl \(link)")["type"] == "remoteCtrlConnecting")
        let code = try #require(
            try await phone.wait(for: "remoteCtrlSessionCode", count: codes + 1).last?["sessionCode"]?.stringValue
        )
        #expect(
            try await desk.wait(for: "remoteHostSessionCode", count: connected + 1).last?["sessionCode"]?.stringValue
                == code
        )
        let verified = try await phone.run("/verify remote ctrl \(code)")
        try #require(verified["type"] == "remoteCtrlConnected", "\(verified)")
        try await desk.wait(for: "remoteHostConnected", count: connected + 1)
    }

    @Test
    func `A desktop listens for phones only at the network address that the command gives`() async throws {
        let desk = try await World().core("desk") { $0.remoteHostAddress = "127.0.0.1" }
        let started = try await desk.run("/start remote host new")
        #expect(started["localAddrs"]?.arrayValue?.map { $0["address"]?.stringValue } == ["127.0.0.1"])
        let port = try #require(started["ctrlPort"]?.stringValue.flatMap { Int($0) })
        let bootstrap = ClientBootstrap(group: World.eventLoopGroup)
        _ = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
        await #expect(throws: (any Error).self) { try await bootstrap.connect(host: "127.0.0.2", port: port).get() }
        await desk.controller.close()
    }

    @Test
    func `A paired phone executes a desktop's commands, sends its events, and is a known phone afterwards`()
        async throws
    {
        let world = try await World()
        let (phone, bob) = try await world.makeConnectedCores()
        var desk = try await world.core("desk")
        try await desk.run("/set device name desk")
        try await phone.run("/set device name phone")
        try await pairDevices(phone, desk)
        let new = try #require(try await desk.wait(for: "newRemoteHost").first?["remoteHost"])
        #expect(
            new["hostDeviceName"] == "phone" && new["remoteHostId"] == 1
                && new["bindAddress_"]?["address"] == "127.0.0.1"
        )
        #expect(try await desk.run("/list remote hosts")["remoteHosts"]?[0]?["sessionState"]?["type"] == "connected")
        #expect(try await desk.run("/switch remote host 1")["remoteHost_"]?["remoteHostId"] == 1)
        #expect(try await desk.run("/switch remote host local") == ["type": "currentRemoteHost"])

        #expect(try await sendText("/u", of: desk)["user"]?["localDisplayName"] == "alice")
        let sent = try await sendText(
            #"/_send @1 json [{"msgContent":{"type":"text","text":"by way of the phone"},"mentions":{}}]"#,
            of: desk,
            as: 1
        )
        #expect(sent["type"] == "newChatItems")
        try await waitUntil("the message of the desktop arrives") {
            try await bob.wait(for: "newChatItems").contains {
                $0["chatItems"]?[0]?["chatItem"]?["content"]?["msgContent"]?["text"] == "by way of the phone"
            }
        }
        let events = try #require(desk.controller.findConnectedHost(1)?.events)
        try await bob.run(#"/_send @1 json [{"msgContent":{"type":"text","text":"to the phone"},"mentions":{}}]"#)
        try await waitUntil("the event reaches the desktop") {
            events.entries(after: 0, limit: 1000).contains {
                String(decoding: $0.eventJSON, as: UTF8.self).contains("to the phone")
            }
        }
        #expect(events.entries(after: 0, limit: 1000).allSatisfy { $0.userId == nil || $0.userId == 1 })
        // Commands about a device are not forwarded, and the phone serves only its active user.
        #expect(try await sendText("/_stop", of: desk)["remoteHostError"]?["type"] == "localCommand")
        #expect(try await sendText("/u", of: desk, to: 7)["remoteHostError"]?["type"] == "missing")
        #expect(
            try await sendText("/_get chat @1 count=1", of: desk, as: 2)["errorType"]?["type"] == "differentActiveUser"
        )

        try await phone.run("/stop remote ctrl")
        let stopped = try #require(try await desk.wait(for: "remoteHostStopped").first)
        #expect(stopped["rhStopReason"]?["type"] == "disconnected" && stopped["remoteHostId_"] == 1)
        #expect(try await sendText("/u", of: desk)["remoteHostError"]?["type"] == "missing")

        // After a restart both devices still know each other.
        await desk.controller.close()
        desk = try await world.core("desk")
        try await pairDevices(phone, desk, "1")
        #expect(try await desk.run("/list remote hosts")["remoteHosts"]?.arrayValue?.count == 1)
        #expect(try await phone.run("/list remote ctrls")["remoteCtrls"]?.arrayValue?.count == 1)
        try await desk.run("/stop remote host 1")
        #expect(try await phone.wait(for: "remoteCtrlStopped").last?["rcStopReason"]?["type"] == "disconnected")
        #expect(try await desk.run("/delete remote host 1")["type"] == "cmdOk")
        #expect(try await desk.run("/delete remote host 1")["storeError"]?["type"] == "remoteHostNotFound")
    }

    @Test
    func `A desktop sends files to the phone and fetches files from the phone`() async throws {
        let world = try await World()
        let phone = try await world.core("alice")
        try await phone.createUser("alice")
        let desk = try await world.core("desk")
        try await pairDevices(phone, desk)
        let contents = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let path = world.directory.appending(path: "photo.jpg").path
        try contents.write(to: URL(filePath: path))
        for isEncrypted in [true, false] {
            let stored = try await desk.run("/store remote file 1 encrypt=\(isEncrypted ? "on" : "off") \(path)")
            let source = try #require(stored["remoteFileSource"], "\(stored)")
            #expect((source["cryptoArgs"] != nil) == isEncrypted)
            let made = try await sendText(
                #"/_create *1 json [{"fileSource":\#(source.text),"msgContent":{"type":"file","text":""},"mentions":{}}]"#,
                of: desk
            )
            let file = try #require(made["chatItems"]?[0]?["chatItem"]?["file"], "\(made)")
            let folder = world.directory.path + "/desk/remote_hosts"
            let host = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
            let place = "\(folder)/\(host)/simplex_v1_files/\(source["filePath"]?.stringValue ?? "")"
            let here = try #require(FileManager.default.contents(atPath: place))
            #expect((here == contents) == !isEncrypted)
            try FileManager.default.removeItem(atPath: place)
            let got = try await desk.run(
                #"/get remote file 1 {"userId":1,"fileId":\#(file["fileId"]?.text ?? ""),"sent":true,"fileSource":\#(source.text)}"#
            )
            #expect(got["type"] == "cmdOk", "\(got)")
            #expect(FileManager.default.contents(atPath: place) == here)
        }
        // A terminal command also sends a local file to the phone. A name without a path is a file of the phone.
        let sent = try await sendText("/file * \(path)", of: desk)
        let file = try #require(sent["chatItems"]?[0]?["chatItem"]?["file"], "\(sent)")
        let source = try #require(file["fileSource"])
        #expect(source["filePath"] == "photo_2.jpg" && source["cryptoArgs"] != nil, "\(file)")
        let plain =
            try await desk.run("/store remote file 1 encrypt=off \(path)")["remoteFileSource"]?["filePath"]?.stringValue
            ?? ""
        #expect(try await sendText("/file * \(plain)", of: desk)["type"] == "newChatItems")
        let confined = CommandRights(scopes: [.read, .write], paths: .ownFolders)
        for outside in [path, world.directory.path + "/desk/../photo.jpg", "/etc/passwd"] {
            guard
                case .error(.error(.commandError)) = await desk.controller.send(
                    try ChatCommand(parsing: "/file * \(outside)"),
                    toRemoteHost: 1,
                    with: confined
                )
            else {
                Issue.record("\(outside) is sent")
                continue
            }
        }
        let missing = try await desk.run(
            #"/get remote file 1 {"userId":1,"fileId":99,"sent":true,"fileSource":{"filePath":"../../../x"}}"#
        )
        #expect(missing["storeError"]?["type"] == "fileNotFound", "\(missing)")
        #expect(try await desk.run("/store remote file 9 \(path)")["remoteHostError"]?["type"] == "missing")
    }

    @Test
    func `A file in the object storage is fetched for the phone, and refused if the storage is unavailable`()
        async throws
    {
        let world = try await World()
        let phone = try await world.core("alice")
        try await phone.createUser("alice")
        let objects = MemoryObjects()
        let desk = try await world.core("desk") { $0.objectSettings = objects.makeSettings() }
        try await desk.createUser("bob")
        try await pairDevices(phone, desk)
        try desk.writeFile("a.txt", sampleBytes(20_000))
        try await desk.createNote("a.txt")
        let path = desk.filesFolder + "/a.txt"
        for command in ["/store remote file 1 encrypt=off \(path)", "/file * \(path)"] {
            func ask() async throws -> JSONValue {
                command.hasPrefix("/file") ? try await sendText(command, of: desk) : try await desk.run(command)
            }
            try await desk.waitUntilMoved(objects)
            objects.setFault(.unavailable)
            let refused = try await ask()
            #expect(refused.text.contains("the object storage cannot be used"), "\(refused)")
            objects.setFault(nil)
            try await waitUntil("the phone has the file") {
                try await ask()["type"] != "chatCmdError" && phone.fileNames.contains { $0.hasPrefix("a") }
            }
            for name in phone.fileNames {
                #expect(try Data(contentsOf: URL(filePath: "\(phone.filesFolder)/\(name)")).count >= 20_000)
            }
        }
        await desk.controller.close()
    }

    @Test
    func `A desktop's withdrawn session offer cannot be used, and a second offer at the same time is refused`()
        async throws
    {
        let world = try await World()
        let desk = try await world.core("desk")
        let first = try await desk.run("/start remote host new")
        #expect(first["type"] == "remoteHostStarted")
        #expect(try await desk.run("/start remote host new")["remoteHostError"]?["type"] == "busy")
        #expect(try await desk.run("/start remote host 5")["storeError"]?["type"] == "remoteHostNotFound")
        #expect(try await desk.run("/stop remote host new")["type"] == "cmdOk")
        // The link of the withdrawn session can no longer be used.
        let old = try Invitation(verifying: try #require(first["invitation"]?.stringValue))
        await #expect(throws: XRCPError.self) {
            try await DeviceConnection.connect(
                host: .ipv4([127, 0, 0, 1]),
                port: old.port,
                authority: old.authorityFingerprint,
                as: .generate(),
                timeout: .seconds(30),
                group: World.eventLoopGroup
            ).receiveBlock(within: .seconds(30))
        }
        let port = TestPort.takeUnused()
        let second = try await desk.run("/start remote host new addr=127.0.0.1 iface=lo port=\(port)")
        #expect(second["ctrlPort"]?.stringValue == "\(port)")
        #expect(second["localAddrs"]?[0]?["address"] == "127.0.0.1")
        try await desk.run("/stop remote host new")
        // The relay of the test uses this port, so the session cannot listen.
        let taken = try await desk.run("/start remote host new port=\(world.relay.address.port)")
        #expect(taken["agentError"]?["rcpErr"]?["type"] == "tLSStartFailed", "\(taken)")
        #expect(try await desk.run("/switch remote host 3")["storeError"]?["type"] == "remoteHostNotFound")
    }

    @Test
    func `A phone whose first answer is invalid is disconnected, and the desktop reports the reason`() async throws {
        let world = try await World()
        let desk = try await world.core("desk")
        func connectPhone(app: JSONValue) async throws -> (connection: DeviceConnection, session: Phone?) {
            let link = try #require(
                try await desk.run("/start remote host new addr=127.0.0.1 iface=lo")["invitation"]?.stringValue
            )
            return try await Phone.connectByLink(to: link, app: app)
        }
        var count = 0
        let cases: [(JSONValue, JSONValue)] = [
            ("app", "protocolError"),
            (["appVersion": "5.0", "deviceName": "old", "encoding": "kotlin", "encryptFiles": true], "badVersion"),
        ]
        for (app, type) in cases {
            let connection = try await connectPhone(app: app).connection
            count += 1
            let stopped = try await desk.wait(for: "remoteHostStopped", count: count).last
            #expect(stopped?["rhStopReason"]?["chatError"]?["remoteHostError"]?["type"] == type, "\(stopped ?? .null)")
            await connection.waitUntilClosed()
        }
        // The phone follows the protocol until it gets the request for events.
        let phone = try #require(try await connectPhone(app: Phone.appInfo).session)
        try await phone.connection.serveRequests { stream in
            _ = try? await stream.readBody(phone.cipher)
            try? await stream.writeBody(Array(#"{"type":"chatEvent","chatEvent":7"#.utf8), phone.cipher)
        }
        count += 1
        let stopped = try await desk.wait(for: "remoteHostStopped", count: count).last
        #expect(
            stopped?["rhStopReason"]?["chatError"]?["remoteHostError"]?["data"]?["type"] == "invalidJSON",
            "\(stopped ?? .null)"
        )
        #expect(try await desk.run("/start remote host new")["type"] == "remoteHostStarted")
    }

    @Test
    func `An invalid or long answer of a phone makes the command fail with the reason, and the session continues`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let (phone, client) = try await Phone.makeSession(folder: folder, patience: .init())
            try await phone.connection.serveRequests { stream in
                guard let body = try? await stream.readBody(phone.cipher),
                    let request = try? JSONValue(parsing: body.content)
                else { return stream.close() }
                func write(_ text: String) async throws {
                    try await stream.writeBody(Array(text.utf8), phone.cipher)
                }
                switch request["command"]?.stringValue {
                case "gone": stream.close()
                case "size": try? await stream.writeBytes([0, 0, 0, 9, 255, 255, 255, 255], isLast: false)
                case "short": try? await stream.writeBytes([0, 0, 0, 9, 0, 0, 1, 0, 7], isLast: true)
                case "box":
                    try? await stream.writeBytes(
                        [0, 0, 0, 1, 0, 0, 0, 20] + [UInt8](repeating: 7, count: 20),
                        isLast: true
                    )
                case "JSON": try? await write("{")
                case "depth": try? await write(String(repeating: "[", count: 10_000))
                case "other": try? await write(#"{"type":"fileStored","filePath":"a"}"#)
                case "empty": try? await write(#"{"type":"chatResponse"}"#)
                case "response": try? await write(#"{"type":"chatResponse","chatResponse":{"result":{"type":7}}}"#)
                case "refused":
                    try? await write(#"{"type":"protocolError","remoteProcotolError":{"type":"pREDuplicateId"}}"#)
                default: try? await write(#"{"type":"chatResponse","chatResponse":{"result":{"type":"cmdOk"}}}"#)
                }
            }
            for (command, type) in [
                ("gone", "hTTP2"), ("size", "invalidSize"), ("short", "invalidSize"), ("JSON", "invalidJSON"),
                ("depth", "invalidJSON"),
                ("other", "unexpectedResponse"), ("empty", "unexpectedResponse"), ("response", "invalidJSON"),
                ("refused", "pREDuplicateId"),
            ] {
                #expect(try await failureTag { _ = try await client.runCommand(command) } == type, "\(command)")
                guard case .result(.cmdOk) = try await client.runCommand("fine").answer else {
                    Issue.record("the session has ended after \(command)")
                    return
                }
            }
            // A box that cannot be opened was sealed with another key.
            #expect(try await failureTag { _ = try await client.runCommand("box") } == "pREEarlierId")
        }
    }

    private func withTemporaryFolder(_ body: (String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "host-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    @Test
    func `After a phone's complete answer, the desktop does not reset the request before the end of the stream`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let (phone, client) = try await Phone.makeSession(folder: folder, patience: .init())
            let (answered, answer) = AsyncStream.makeStream(of: Void.self)
            let (endings, ending) = AsyncStream.makeStream(of: Bool.self)
            try await phone.connection.serveRequests { stream in
                do {
                    let request = try JSONValue(parsing: await stream.readBody(phone.cipher).content)
                    let text = #"{"type":"chatResponse","chatResponse":{"result":{"type":"cmdOk"}}}"#
                    try await stream.writeBytes(phone.cipher.sealBody(Array(text.utf8)).body, isLast: false)
                    if request["command"] == "first" { for await _ in answered { break } }
                    try await stream.writeBytes([], isLast: true)
                    if request["command"] == "first" { ending.yield(true) }
                } catch {
                    ending.yield(false)
                }
            }
            for command in ["first", "second", "third"] { _ = try await client.runCommand(command) }
            answer.yield()
            #expect(await endings.first { _ in true } == true)
        }
    }

    /// Returns the tag of the error that a host causes.
    private func failureTag(_ body: () async throws -> Void) async throws -> String? {
        do {
            try await body()
            return nil
        } catch let failure as ChatFailure {
            let error = try JSONEncoder().encodeValue(failure.error)["remoteHostError"]
            return (error?["data"] ?? error)?["type"]?.stringValue
        }
    }

    @Test
    func `An answer of a phone that is too large after decompression is refused`() async throws {
        try await withTemporaryFolder { folder in
            let (phone, client) = try await Phone.makeSession(compresses: true, folder: folder, patience: .init())
            let bomb = try #require(ZstdFrame.compress([UInt8](repeating: UInt8(ascii: " "), count: 65 << 20)))
            try await phone.serveRequests { _, stream in try await stream.writeBody(bomb, phone.cipher) }
            #expect(try await failureTag { _ = try await client.runCommand("/u") } == "invalidBody")
        }
    }

    @Test
    func `A command that a phone does not answer fails after a timeout`() async throws {
        try await withTemporaryFolder { folder in
            let (phone, client) = try await Phone.makeSession(
                folder: folder,
                patience: .init(answer: .milliseconds(300))
            )
            try await phone.connection.serveRequests { stream in
                _ = try? await stream.readBody(phone.cipher)
                _ = try? await stream.readHead(phone.cipher, within: .seconds(600))
            }
            #expect(try await failureTag { _ = try await client.runCommand("/u") } == "timeout")
            client.connection.close()
            #expect(try await failureTag { _ = try await client.runCommand("/u") } == "hTTP2")
        }
    }

    @Test
    func `A phone without heartbeats is disconnected, and waiting requests fail with a timeout`() async throws {
        try await withTemporaryFolder { folder in
            let (phone, client) = try await Phone.makeSession(
                folder: folder,
                patience: .init(events: .milliseconds(300))
            )
            try await phone.connection.serveRequests { stream in
                _ = try? await stream.readBody(phone.cipher)
                _ = try? await stream.readHead(phone.cipher, within: .seconds(600))
            }
            async let waiting = failureTag { _ = try await client.runCommand("/u") }
            let polled = try await failureTag {
                if let failure = await client.pollEvents({ _ in }) { throw failure }
            }
            #expect(polled == "timeout")
            await client.connection.waitUntilClosed()
            #expect(try await waiting == "timeout")
            await phone.connection.waitUntilClosed()
        }
    }

    @Test
    func `Concurrent requests fetch a phone's file once, and only undamaged files inside the folder are kept`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let (phone, client) = try await Phone.makeSession(folder: folder + "/host", patience: .init())
            try await client.makeFolders(LocalFolders.makeFolder)
            let contents = [UInt8](repeating: 9, count: 300_000)
            let asked = Mutex(0)
            let gate = AsyncStream.makeStream(of: Void.self)
            try await phone.connection.serveRequests { stream in
                do {
                    let body = try await stream.readBody(phone.cipher)
                    let path =
                        try JSONValue(parsing: body.content)["file"]?["fileSource"]?["filePath"]?.stringValue ?? ""
                    let digest = path == "altered" ? [UInt8](repeating: 0, count: 64) : Digest.sha512(contents)
                    asked.withLock { $0 += 1 }
                    if path == "shared" { for await _ in gate.stream { break } }
                    let answer = try RemoteAnswer.file(UInt32(contents.count), digest).encodeJSON()
                    try await stream.writeBodyWithFile(body: answer, phone.cipher, fileSize: UInt32(contents.count)) {
                        offset,
                        count in
                        if path == "cut", offset > 0 { throw ExchangeError.noFile }
                        return Array(contents[Int(offset)..<Int(offset) + count])
                    }
                } catch {
                    stream.close()
                }
            }
            func file(_ path: String) -> RemoteFile {
                RemoteFile(userId: 1, fileId: 1, sent: false, fileSource: CryptoFile(filePath: path))
            }
            func kept() throws -> [String] {
                let place = folder + "/host/"
                return try ["simplex_v1_files", "partial"].flatMap {
                    try FileManager.default.contentsOfDirectory(atPath: place + $0)
                }
            }
            #expect(try await failureTag { try await client.fetchIfMissing(file("altered")) } == "fileDigest")
            #expect(try await failureTag { try await client.fetchIfMissing(file("cut")) } == "hTTP2")
            #expect(try kept() == [])
            asked.withLock { $0 = 0 }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<5 { group.addTask { try await client.fetchIfMissing(file("shared")) } }
                try await waitUntil("the host is asked") { asked.withLock { $0 } > 0 }
                gate.continuation.yield()
                try await group.waitForAll()
            }
            #expect(asked.withLock { $0 } == 1)
            #expect(FileManager.default.contents(atPath: client.localPath(of: "shared")) == Data(contents))
            try await client.fetchIfMissing(file("../../../above"))
            #expect(try kept().count == 2)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["host"])
        }
    }

    @Test
    func `Events of a phone are stored only up to a limit of number and size`() {
        let events = RemoteHostEvents()
        let large: JSONValue = ["type": "x", "text": .string(String(repeating: "a", count: 1 << 20))]
        for _ in 0..<20 { events.add(large) }
        #expect(events.latestSeq == 20 && events.oldestSeq > 8)
        #expect(events.entries(after: 0, limit: 100).reduce(0) { $0 + $1.eventJSON.count } <= 8 << 20)
        for _ in 0..<5000 { events.add(["type": "y"]) }
        #expect(events.entries(after: 0, limit: 10_000).count <= 4096 && events.latestSeq == 5020)
    }
}
