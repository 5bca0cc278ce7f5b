import ChatAPI
import ChatProtocol
import Foundation
import JSON
import NIOPosix
import RemoteControl
import SimpleXCrypto
import Testing
import TestSupport

@testable import ChatCore
@testable import XRCP

/// Desktops that break the protocol or disconnect.
extension RemoteCtrlTests {
    @Test
    func `A controller that breaks the protocol at any step gets an error or is disconnected`() async throws {
        let world = try await World()
        let alice = try await world.core("alice")
        try await alice.createUser("alice")
        let desktop = try Desktop()
        // The desktop leaves before the code, or answers the hello with nonsense.
        for isNonsense in [false, true] {
            let told = try await alice.events().count { $0.event["type"] == "remoteCtrlStopped" }
            let codes = try await alice.events().count { $0.event["type"] == "remoteCtrlSessionCode" }
            let offer = try await desktop.makeOffer()
            async let arrived = offer.listener.waitForHost(within: .seconds(30))
            try await alice.run("/connect remote ctrl \(offer.link)")
            let code =
                try await alice.wait(for: "remoteCtrlSessionCode", count: codes + 1).last?["sessionCode"]?.stringValue
                ?? ""
            let connection = try #require(await arrived)
            if isNonsense {
                async let verified = alice.run("/verify remote ctrl \(code)")
                _ = try await connection.receiveBlock(within: .seconds(30))
                try await connection.sendBlock(Array(repeating: 7, count: 16384))
                #expect(try await verified["agentError"]?["type"] == "RCP")
            } else {
                connection.close()
            }
            try await alice.wait(for: "remoteCtrlStopped", count: told + 1)
            #expect(try await alice.run("/verify remote ctrl \(code)")["remoteCtrlError"]?["type"] == "inactive")
        }

        let session = try await desktop.pairWithCore(with: alice)
        func error(_ body: [UInt8]) async throws -> JSONValue? {
            try await session.exchangeText(body)["remoteProcotolError"]?["type"]
        }
        #expect(try await error(Array("{".utf8)) == "invalidJSON")
        #expect(try await error(Array(#"{"type":"unknown"}"#.utf8)) == "invalidJSON")
        #expect(try await error(Array(#"{"type":"recv","wait":"long"}"#.utf8)) == "invalidJSON")
        // The request is not compressed.
        let plain = try await session.requests.openRequest()
        try await plain.writeBody(Array(#"{"type":"recv","wait":0}"#.utf8), session.cipher)
        #expect(try await session.readAnswer(plain).json["remoteProcotolError"]?["type"] == "invalidBody")
        let bomb = try #require(ZstdFrame.compress(Array(repeating: UInt8(ascii: " "), count: 65 << 20)))
        let large = try await session.requests.openRequest()
        try await large.writeBody(bomb, session.cipher)
        #expect(try await session.readAnswer(large).json["remoteProcotolError"]?["type"] == "invalidBody")
        #expect(try await session.sendCommand("/u")["type"] == "activeUser")
    }

    @Test
    func `Repeated, late, altered, cut or long requests of a controller get an error, and the session continues`()
        async throws
    {
        let world = try await World()
        let alice = try await world.core("alice")
        try await alice.createUser("alice")
        let session = try await Desktop().pairWithCore(with: alice)
        let request = try #require(ZstdFrame.compress(Array(#"{"type":"recv","wait":0}"#.utf8)))
        func sealed(_ count: Int) throws -> [[UInt8]] {
            try (0..<count).map { _ in try session.cipher.sealBody(request).body }
        }
        func answer(_ body: [UInt8]) async throws -> JSONValue {
            let stream = try await session.requests.openRequest()
            try await stream.writeBytes(body, isLast: true)
            let answer = try await session.readAnswer(stream).json
            return answer["remoteProcotolError"] ?? answer["type"] ?? answer
        }
        let bodies = try sealed(2)
        // The second request arrives before the first request.
        #expect(try await answer(bodies[1]) == "chatEvent")
        #expect(try await answer(bodies[0]) == "chatEvent")
        #expect(try await answer(bodies[1])["type"] == "pREDuplicateId")
        #expect(try await answer(bodies[0])["type"] == "pREEarlierId")

        let next = try sealed(1)[0]
        for place in [0, 3, 8, 40, next.count - 100, next.count - 1] {
            var altered = next
            altered[place] ^= 1
            #expect(try await answer(altered)["rcError"]?["type"] == "ctrlAuth", "\(place)")
        }
        for cut in [0, 5, 8, 30, next.count - 1] {
            #expect(try await answer(Array(next.prefix(cut)))["type"] != nil, "\(cut)")
        }
        #expect(
            try await answer(Array(next.prefix(4)) + [255, 255, 255, 255] + next.dropFirst(8))["type"] == "invalidSize"
        )
        #expect(try await answer(next) == "chatEvent")

        #expect(try await answer(#require(sealed(256).last)) == "chatEvent")
        let missing = try sealed(257)
        #expect(try await answer(#require(missing.last))["type"] == "manySkippedIds")
        for place in [0, 100] { #expect(try await answer(missing[place]) == "chatEvent") }
        #expect(try await session.sendCommand("/u")["type"] == "activeUser")
    }

    @Test
    func `A controller that disconnects at any step ends its session, and leaves no partial file`() async throws {
        let world = try await World()
        let alice = try await world.core("alice")
        try await alice.createUser("alice")
        let desktop = try Desktop()
        func stopped(_ count: Int) async throws -> JSONValue? {
            let reason = try await alice.wait(for: "remoteCtrlStopped", count: count).last?["rcStopReason"]?["type"]
            #expect(try await alice.run("/stop remote ctrl")["type"] == "cmdOk")
            return reason
        }
        // The desktop leaves when the host connects.
        let deaf = try await ServerBootstrap(group: World.eventLoopGroup)
            .childChannelInitializer { $0.close() }
            .bind(host: "127.0.0.1", port: 0).get()
        let (session, key) = (try Ed25519.PrivateKey(), try X25519.PrivateKey())
        let link = try Invitation(
            authorityFingerprint: desktop.authority.fingerprint,
            host: .ipv4([127, 0, 0, 1]),
            port: UInt16(try #require(deaf.localAddress?.port)),
            versions: .init(1),
            app: Desktop.appInfo,
            time: 0,
            sessionKey: session.publicKey,
            identityKey: desktop.identityKey.publicKey,
            dhKey: key.publicKey
        ).makeSignedLink(session: session, identity: desktop.identityKey)
        try await alice.run("/connect remote ctrl \(link)")
        #expect(try await stopped(1) == "connectionFailed")
        try await deaf.close()
        // The desktop leaves when it has the hello.
        let offer = try await desktop.makeOffer()
        async let arrived = offer.listener.waitForHost(within: .seconds(30))
        try await alice.run("/connect remote ctrl \(offer.link)")
        let code = try #require(try await alice.wait(for: "remoteCtrlSessionCode").last?["sessionCode"]?.stringValue)
        let connection = try #require(await arrived)
        async let verified = alice.run("/verify remote ctrl \(code)")
        _ = try await connection.receiveBlock(within: .seconds(30))
        connection.close()
        #expect(try await verified["type"] != "remoteCtrlConnected")
        _ = try await stopped(2)
        #expect(try await alice.run("/list remote ctrls")["remoteCtrls"]?.arrayValue?.isEmpty == true)
        // The desktop leaves within a request, and within a file.
        let content = [UInt8](repeating: 5, count: 100_000)
        let store = RemoteRequest.storeFile(name: "a.bin", size: UInt32(content.count), digest: Digest.sha512(content))
        for (index, hasFile) in [false, true].enumerated() {
            let session = try await desktop.pairWithCore(with: alice)
            let body = try session.cipher.sealBody(#require(ZstdFrame.compress(store.encodeJSON()))).body
            let stream = try await session.requests.openRequest()
            if hasFile {
                let size = UInt32(content.count + SecretBox.tagSize)
                try await stream.writeBytes(
                    body + [1] + withUnsafeBytes(of: size.bigEndian) { Array($0) } + content.dropLast(1000),
                    isLast: false
                )
                try await waitUntil("the first bytes of the file arrive") { alice.incompleteUploads.isEmpty == false }
            } else {
                try await stream.writeBytes(Array(body.prefix(body.count / 2)), isLast: false)
            }
            session.connection.close()
            #expect(try await stopped(3 + index) == "disconnected")
            try await waitUntil("no upload is left") { alice.incompleteUploads.isEmpty }
            #expect((try? FileManager.default.contentsOfDirectory(atPath: alice.filesFolder)) ?? [] == [])
        }
        #expect(try await desktop.pairWithCore(with: alice).sendCommand("/u")["type"] == "activeUser")
        #expect(try await alice.run("/list remote ctrls")["remoteCtrls"]?.arrayValue?.count == 1)
    }
}

extension Core {
    /// Names of incomplete uploads in the folder for files.
    fileprivate var incompleteUploads: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: controller.services.folders.paths.uploadsFolder)) ?? []
    }
}
