import ChatAPI
import ChatProtocol
import Foundation
import JSON
import RemoteControl
import SimpleXCrypto
import Synchronization
import Testing
import TestSupport

@testable import ChatCore
@testable import XRCP

/// A core that a desktop uses like a phone.
@Suite(.socketTimeLimit) struct RemoteCtrlTests {
    @Test
    func `A paired desktop runs commands and gets events, while other clients use the same core`() async throws {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        try await alice.run("/set device name gateway")
        let desktop = try Desktop()
        let session = try await desktop.pairWithCore(with: alice)
        #expect(session.hello.app["deviceName"] == "gateway")
        #expect(session.hello.app["appVersion"] == "7.0.0.6")
        let listed = try await alice.run("/list remote ctrls")
        #expect(listed["remoteCtrls"]?[0]?["ctrlDeviceName"] == "desk")
        #expect(listed["remoteCtrls"]?[0]?["sessionState"]?["type"] == "connected")

        #expect(try await session.sendCommand("/u")["user"]?["localDisplayName"] == "alice")
        let chats = try #require(try await session.sendCommand("/_get chats 1 pcc=on")["chats"]?.arrayValue)
        #expect(chats.contains { $0["chatInfo"]?["contact"]?["localDisplayName"] == "bob" })
        let sent = try await session.sendCommand(
            #"/_send @1 json [{"msgContent":{"type":"text","text":"from the desktop"},"mentions":{}}]"#
        )
        #expect(sent["type"] == "newChatItems")
        try await waitUntil("the message of the desktop arrives") {
            try await bob.wait(for: "newChatItems").contains {
                $0["chatItems"]?[0]?["chatItem"]?["content"]?["msgContent"]?["text"] == "from the desktop"
            }
        }
        // Another client uses the core at the same time.
        #expect(try await alice.run("/_get chats 1 pcc=on")["type"] == "apiChats")

        try await bob.run(#"/_send @1 json [{"msgContent":{"type":"text","text":"to both"},"mentions":{}}]"#)
        // The session gets the events of all clients.
        while try await session.waitForEvent("newChatItems")["chatItems"]?[0]?["chatItem"]?["content"]?["msgContent"]?[
            "text"
        ]
            != "to both"
        {}

        // Commands about the device itself are refused, and so are texts that are not commands.
        for text in [
            "/_stop", "/_db delete", "/_files_folder /tmp", "/list remote ctrls", "/stop remote ctrl",
            "/set device name x", "/_network {}", "nonsense \u{1}",
        ] {
            #expect(try await session.sendCommand(text)["errorType"]?["type"] == "commandError", "\(text)")
        }

        try await alice.run("/stop remote ctrl")
        await session.connection.waitUntilClosed()
        #expect(try await alice.run("/list remote ctrls")["remoteCtrls"]?[0]?["sessionState"] == nil)
        #expect(try await alice.run("/delete remote ctrl 1")["type"] == "cmdOk")
        #expect(try await alice.run("/list remote ctrls")["remoteCtrls"]?.arrayValue?.isEmpty == true)
    }

    @Test
    func `A desktop at a forbidden address gets no connection`() async throws {
        let alice = try await World().core("alice") {
            $0.clientConfiguration.transport.addressRule = { _, _, _ in false }
        }
        try await alice.createUser("alice")
        let offer = try await Desktop().makeOffer()
        #expect(try await alice.run("/connect remote ctrl \(offer.link)")["type"] == "remoteCtrlConnecting")
        let stopped = try #require(try await alice.wait(for: "remoteCtrlStopped").last)
        #expect(stopped.text.contains("its address belongs to an inner network"), "\(stopped)")
        offer.listener.close()
        await alice.controller.close()
    }

    @Test
    func `Many requests of a desktop are answered while one of its requests waits for events`() async throws {
        let world = try await World()
        let alice = try await world.core("alice")
        try await alice.createUser("alice")
        let session = try await Desktop().pairWithCore(with: alice)
        async let waiting = session.exchangeJSON(["type": "recv", "wait": 300_000])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<60 {
                group.addTask {
                    let answer = try await session.sendCommand("/u")
                    #expect(answer["type"] == "activeUser")
                }
            }
            try await group.waitForAll()
        }
        // There was no event, so the answer is empty.
        #expect(try await waiting == ["type": "chatEvent"])
    }

    @Test
    func `A desktop stores and fetches files of messages, and cannot reach files outside of the folder for files`()
        async throws
    {
        let world = try await World()
        let alice = try await world.core("alice")
        try await alice.createUser("alice")
        let session = try await Desktop().pairWithCore(with: alice)
        let contents = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        func store(_ name: String, digest: [UInt8], size: Int = contents.count) async throws -> JSONValue {
            let stream = try await session.requests.openRequest()
            let request = RemoteRequest.storeFile(name: name, size: UInt32(size), digest: digest)
            try await stream.writeBodyWithFile(
                body: try #require(ZstdFrame.compress(request.encodeJSON())),
                session.cipher,
                fileSize: UInt32(contents.count)
            ) { offset, count in
                Array(contents[Int(offset)..<Int(offset) + count])
            }
            return try await session.readAnswer(stream).json
        }
        let digest = Digest.sha512(contents)
        #expect(try await store("a.bin", digest: digest) == ["type": "fileStored", "filePath": "a.bin"])
        #expect(try await store("../../a.bin", digest: digest)["filePath"] == "a_1.bin")
        #expect(
            try await store("b.bin", digest: Array(digest.reversed()))["remoteProcotolError"]?["type"] == "fileDigest"
        )
        #expect(try await store("b.bin", digest: digest, size: 5)["remoteProcotolError"]?["type"] == "fileSize")
        #expect(try await store("b.bin", digest: digest, size: 2 << 30)["remoteProcotolError"]?["type"] == "fileSize")
        let folder = alice.filesFolder
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["a.bin", "a_1.bin"])

        let notes =
            try await session.sendCommand("/_get chats 1 pcc=on")["chats"]?[0]?["chatInfo"]?["noteFolder"]?[
                "noteFolderId"
            ]?
            .text ?? "1"
        let made = try await session.sendCommand(
            #"/_create *\#(notes) json [{"fileSource":{"filePath":"a.bin"},"msgContent":{"type":"file","text":""},"mentions":{}}]"#
        )
        let fileId = try #require(made["chatItems"]?[0]?["chatItem"]?["file"]?["fileId"]?.integerValue, "\(made)")
        func get(_ path: String, id: Int64 = fileId, user: Int64 = 1) async throws -> (JSONValue, [UInt8]) {
            let stream = try await session.requests.openRequest()
            let request = RemoteRequest.getFile(
                RemoteFile(userId: user, fileId: id, sent: true, fileSource: CryptoFile(filePath: path))
            )
            try await stream.writeBody(try #require(ZstdFrame.compress(request.encodeJSON())), session.cipher)
            let (json, key) = try await session.readAnswer(stream)
            guard json["type"] == "file", let size = json["fileSize"]?.integerValue else { return (json, []) }
            let received = Mutex<[UInt8]>([])
            try await stream.readFile(key: key, size: UInt32(size)) { part in received.withLock { $0 += part } }
            return (json, received.withLock { $0 })
        }
        let (answer, bytes) = try await get("a.bin")
        #expect(bytes == contents)
        #expect(answer["fileDigest"]?.stringValue == Base64URL.encode(digest))
        for path in ["a_1.bin", "../simplex_v1_chat.db", "/etc/passwd", ""] {
            #expect(
                try await get(path).0["chatResponse"]?["error"]?["storeError"]?["type"] == "fileNotFound",
                "\(path)"
            )
        }
        #expect(
            try await get("a.bin", id: fileId + 1).0["chatResponse"]?["error"]?["storeError"]?["type"] == "fileNotFound"
        )
        #expect(
            try await get("a.bin", user: 2).0["chatResponse"]?["error"]?["errorType"]?["type"] == "differentActiveUser"
        )
        // The refusals do not end the session.
        #expect(try await session.sendCommand("/u")["type"] == "activeUser")
    }

    @Test
    func `A desktop that was paired is recognized in its next session and by its announcement, and is listed once`()
        async throws
    {
        let world = try await World()
        var alice = try await world.core("alice")
        try await alice.createUser("alice")
        let desktop = try Desktop()
        let first = try await desktop.pairWithCore(with: alice)
        let fingerprint = try #require(desktop.knownHost.withLock { $0?.fingerprint })
        // The desktop closes the connection without a command.
        first.connection.close()
        let stopped = try await alice.wait(for: "remoteCtrlStopped")
        #expect(
            stopped.last?["rcStopReason"]?["type"] == "disconnected"
                && stopped.last?["rcsState"]?["type"] == "connected"
        )
        await alice.controller.close()
        alice = try await world.core("alice")
        let second = try await desktop.pairWithCore(with: alice)
        #expect(desktop.knownHost.withLock { $0?.fingerprint } == fingerprint)
        #expect(try await second.sendCommand("/u")["type"] == "activeUser")
        #expect(try await alice.run("/list remote ctrls")["remoteCtrls"]?.arrayValue?.count == 1)
        // An announcement is encrypted for the key of the last session or of the session before.
        let offer = try await desktop.makeOffer()
        let key = try #require(desktop.knownHost.withLock { $0?.key })
        let announcement = try Announcement(offer.link, key: offer.dhKey, host: key)
        let records = try await alice.controller.store.read { db in try RemoteCtrlRecord.findAll(in: db) }
        #expect(
            try announcement.openInvitation(for: records.map(\.dhKey)).invitation.authorityFingerprint
                == desktop.authority.fingerprint
        )
        #expect(records.first?.previousDHKey != nil)

        // An attacker has the certificate, but another key for commands.
        try await alice.run("/stop remote ctrl")
        let impostor = try Ed25519.PrivateKey()
        let invitation = try Invitation(verifying: offer.link)
        let forged = try Invitation(
            authorityFingerprint: invitation.authorityFingerprint,
            host: invitation.host,
            port: invitation.port,
            versions: invitation.versions,
            app: invitation.app,
            time: 0,
            sessionKey: offer.sessionKey.publicKey,
            identityKey: impostor.publicKey,
            dhKey: offer.dhKey.publicKey
        ).makeSignedLink(session: offer.sessionKey, identity: impostor)
        let refused = try await alice.run("/connect remote ctrl \(forged)")
        #expect(refused["remoteCtrlError"]?["protocolError"]?["rcError"]?["type"] == "identity")
        #expect(try await alice.run("/verify remote ctrl 1")["remoteCtrlError"]?["type"] == "inactive")
    }

    @Test
    func `A wrong session code ends the session, and the desktop can pair in a new session`() async throws {
        let world = try await World()
        let alice = try await world.core("alice")
        try await alice.createUser("alice")
        let desktop = try Desktop()
        let offer = try await desktop.makeOffer()
        async let arrived = offer.listener.waitForHost(within: .seconds(30))
        try await alice.run("/connect remote ctrl \(offer.link)")
        // A second session at the same time is refused.
        #expect(try await alice.run("/connect remote ctrl \(offer.link)")["remoteCtrlError"]?["type"] == "busy")
        #expect(try await alice.run("/delete remote ctrl 1")["remoteCtrlError"]?["type"] == "busy")
        try await alice.wait(for: "remoteCtrlSessionCode")
        let refused = try await alice.run("/verify remote ctrl 12345")
        #expect(refused["remoteCtrlError"]?["protocolError"]?["type"] == "pRESessionCode")
        let stopped = try await alice.wait(for: "remoteCtrlStopped")
        #expect(stopped.last?["rcStopReason"]?["type"] == "setupFailed")
        await (try #require(await arrived)).waitUntilClosed()
        #expect(try await alice.run("/list remote ctrls")["remoteCtrls"]?.arrayValue?.isEmpty == true)
        #expect(try await desktop.pairWithCore(with: alice).sendCommand("/u")["type"] == "activeUser")
    }

    @Test
    func `An altered or incompatible desktop link is refused with a reason, and an absent desktop ends the session`()
        async throws
    {
        let world = try await World()
        let alice = try await world.core("alice")
        try await alice.createUser("alice")
        let desktop = try Desktop()
        let offer = try await desktop.makeOffer()
        #expect(try await alice.run("/connect remote ctrl xrcp:/bad")["errorType"]?["type"] == "commandError")
        let altered = offer.link.replacing("127.0.0.1", with: "127.0.0.2")
        #expect(try await alice.run("/connect remote ctrl \(altered)")["remoteCtrlError"]?["type"] == "badInvitation")
        let old = try await desktop.makeOffer(app: [
            "appVersionRange": ["minVersion": "5.0", "maxVersion": "6.2"], "deviceName": "old",
        ])
        let refused = try await alice.run("/connect remote ctrl \(old.link)")
        #expect(refused["remoteCtrlError"] == ["type": "badVersion", "appVersion": "6.2"])
        for app: JSONValue in [
            [:], "app", ["deviceName": "x", "appVersionRange": ["minVersion": 1, "maxVersion": 2]],
        ] {
            #expect(
                try await alice.run("/connect remote ctrl \(desktop.makeOffer(app: app).link)")["remoteCtrlError"]?[
                    "type"
                ]
                    == "badInvitation"
            )
        }
        // No desktop listens at this link.
        let gone = try await desktop.makeOffer()
        gone.listener.close()
        try await alice.run("/connect remote ctrl \(gone.link)")
        let stopped = try await alice.wait(for: "remoteCtrlStopped")
        #expect(stopped.last?["rcStopReason"]?["type"] == "connectionFailed")
        #expect(stopped.last?["rcStopReason"]?["chatError"]?["agentError"]?["type"] == "RCP")
        #expect(try await alice.run("/stop remote ctrl")["type"] == "cmdOk")
    }

    @Test
    func `A desktop's request for events in an ended session does not consume events of the next session`() async throws
    {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        let desktop = try Desktop()
        let first = try await desktop.pairWithCore(with: alice)
        // The earlier events of the session are read first.
        while try await first.exchangeJSON(["type": "recv", "wait": 0])["chatEvent"] != nil {}
        let waiting = try await first.requests.openRequest()
        let request = try #require(ZstdFrame.compress(Array(#"{"type":"recv","wait":60000000}"#.utf8)))
        try await waiting.writeBody(request, first.cipher)
        first.connection.close()
        try await alice.wait(for: "remoteCtrlStopped")
        let second = try await desktop.pairWithCore(with: alice)
        try await bob.run(#"/_send @1 json [{"msgContent":{"type":"text","text":"for the second"},"mentions":{}}]"#)
        let event = try await second.waitForEvent("newChatItems")
        #expect(event["chatItems"]?[0]?["chatItem"]?["content"]?["msgContent"]?["text"] == "for the second")
    }

    @Test
    func `The link of a desktop with another version of the remote control protocol is refused`() async throws {
        let world = try await World()
        let alice = try await world.core("alice")
        try await alice.createUser("alice")
        let desktop = try Desktop()
        let (session, key) = (try Ed25519.PrivateKey(), try X25519.PrivateKey())
        let link = try Invitation(
            authorityFingerprint: desktop.authority.fingerprint,
            host: .ipv4([127, 0, 0, 1]),
            port: 1,
            versions: .init(2),
            app: Desktop.appInfo,
            time: 0,
            sessionKey: session.publicKey,
            identityKey: desktop.identityKey.publicKey,
            dhKey: key.publicKey
        ).makeSignedLink(session: session, identity: desktop.identityKey)
        #expect(
            try await alice.run("/connect remote ctrl \(link)")["remoteCtrlError"]?["protocolError"]?["rcError"]?[
                "type"
            ] == "version"
        )
        #expect(try await alice.run("/verify remote ctrl 1")["remoteCtrlError"]?["type"] == "inactive")
    }

    @Test
    func `A search for desktops is refused if no desktop is known, and can be stopped`() async throws {
        let world = try await World()
        let alice = try await world.core("alice")
        try await alice.createUser("alice")
        #expect(try await alice.run("/find remote ctrl")["remoteCtrlError"]?["type"] == "noKnownControllers")
        #expect(try await alice.run("/confirm remote ctrl 1")["remoteCtrlError"]?["type"] == "badState")
        let desktop = try Desktop()
        let session = try await desktop.pairWithCore(with: alice)
        try await alice.run("/stop remote ctrl")
        await session.connection.waitUntilClosed()
        #expect(try await alice.run("/find remote ctrl")["type"] == "cmdOk")
        // An announcement from the network has this effect.
        let offer = try await desktop.makeOffer()
        let number = try #require(await alice.controller.services.remoteDesktop.session?.number)
        await alice.controller.services.remoteDesktop.handleAnnouncement(try Invitation(verifying: offer.link), number)
        let found = try #require(try await alice.wait(for: "remoteCtrlFound").last)
        #expect(found["compatible"] == true && found["remoteCtrl"]?["remoteCtrlId"] == 1)
        #expect(try await alice.run("/confirm remote ctrl 2")["remoteCtrlError"]?["type"] == "badController")
        async let arrived = offer.listener.waitForHost(within: .seconds(30))
        #expect(try await alice.run("/confirm remote ctrl 1")["type"] == "remoteCtrlConnecting")
        let code = try #require(
            try await alice.wait(for: "remoteCtrlSessionCode", count: 2).last?["sessionCode"]?.stringValue
        )
        let connection = try #require(await arrived)
        async let verified = alice.run("/verify remote ctrl \(code)")
        let again = try await desktop.beginSession(offer, connection)
        #expect(try await verified["type"] == "remoteCtrlConnected")
        #expect(try await again.sendCommand("/u")["type"] == "activeUser")
    }
}
