import ChatAPI
import Foundation
import JSON
import SimpleXCrypto
import TestSupport
import Testing
import XRCP

@testable import ChatCore

/// A core that uses a phone's profiles, which here is another core.
@Suite(.overSockets) struct RemoteHostTests {
    private func send(_ text: String, of desk: Core, to host: Int64 = 1, as user: Int64? = nil) async throws -> JSONValue {
        switch await desk.controller.send(try ChatCommand(parsing: text), to: .remoteHost(host), as: user, with: .all) {
        case .result(let answer): try JSONEncoder().encodeValue(answer)
        case .error(let error): try JSONEncoder().encodeValue(error)
        }
    }

    /// The phone scans the code of the desktop, and people compare what both show.
    private func pair(_ phone: Core, _ desk: Core, _ host: String = "new", options: String = "") async throws {
        let codes = try await phone.events().count { $0.event["type"] == "remoteCtrlSessionCode" }
        let connected = try await desk.events().count { $0.event["type"] == "remoteHostConnected" }
        let started = try await desk.run(#"/start remote host \#(host) addr=127.0.0.1 iface="lo"\#(options)"#)
        let link = try #require(started["invitation"]?.stringValue, "\(started)")
        #expect(try await phone.run("/connect remote ctrl \(link)")["type"] == "remoteCtrlConnecting")
        let code = try #require(try await phone.wait(for: "remoteCtrlSessionCode", count: codes + 1).last?["sessionCode"]?.stringValue)
        #expect(try await desk.wait(for: "remoteHostSessionCode", count: connected + 1).last?["sessionCode"]?.stringValue == code)
        let verified = try await phone.run("/verify remote ctrl \(code)")
        try #require(verified["type"] == "remoteCtrlConnected", "\(verified)")
        try await desk.wait(for: "remoteHostConnected", count: connected + 1)
    }

    @Test("a phone pairs, carries out commands, and tells its events; it is known afterwards")
    func session() async throws {
        let world = try await World()
        let (phone, bob) = try await world.pair()
        var desk = try await world.core("desk")
        try await desk.run("/set device name desk")
        try await phone.run("/set device name phone")
        try await pair(phone, desk)
        let new = try #require(try await desk.wait(for: "newRemoteHost").first?["remoteHost"])
        #expect(new["hostDeviceName"] == "phone" && new["remoteHostId"] == 1 && new["bindAddress_"]?["address"] == "127.0.0.1")
        #expect(try await desk.run("/list remote hosts")["remoteHosts"]?[0]?["sessionState"]?["type"] == "connected")
        #expect(try await desk.run("/switch remote host 1")["remoteHost_"]?["remoteHostId"] == 1)
        #expect(try await desk.run("/switch remote host local") == ["type": "currentRemoteHost"])

        #expect(try await send("/u", of: desk)["user"]?["localDisplayName"] == "alice")
        let sent = try await send(#"/_send @1 json [{"msgContent":{"type":"text","text":"by way of the phone"},"mentions":{}}]"#, of: desk, as: 1)
        #expect(sent["type"] == "newChatItems")
        try await eventually("what was sent arrives") {
            try await bob.wait(for: "newChatItems").contains { $0["chatItems"]?[0]?["chatItem"]?["content"]?["msgContent"]?["text"] == "by way of the phone" }
        }
        let events = try #require(desk.controller.connectedHost(1)?.events)
        try await bob.run(#"/_send @1 json [{"msgContent":{"type":"text","text":"to the phone"},"mentions":{}}]"#)
        try await eventually("the event reaches the desktop") {
            events.entries(after: 0, limit: 1000).contains { String(decoding: $0.event, as: UTF8.self).contains("to the phone") }
        }
        #expect(events.entries(after: 0, limit: 1000).allSatisfy { $0.userId == nil || $0.userId == 1 })
        // What belongs to a device stays there; and nobody is served as another user than the active one.
        #expect(try await send("/_stop", of: desk)["remoteHostError"]?["type"] == "localCommand")
        #expect(try await send("/u", of: desk, to: 7)["remoteHostError"]?["type"] == "missing")
        #expect(try await send("/_get chat @1 count=1", of: desk, as: 2)["errorType"]?["type"] == "differentActiveUser")

        try await phone.run("/stop remote ctrl")
        let stopped = try #require(try await desk.wait(for: "remoteHostStopped").first)
        #expect(stopped["rhStopReason"]?["type"] == "disconnected" && stopped["remoteHostId_"] == 1)
        #expect(try await send("/u", of: desk)["remoteHostError"]?["type"] == "missing")

        // Both know each other after a restart.
        await desk.controller.close()
        desk = try await world.core("desk")
        try await pair(phone, desk, "1")
        #expect(try await desk.run("/list remote hosts")["remoteHosts"]?.arrayValue?.count == 1)
        #expect(try await phone.run("/list remote ctrls")["remoteCtrls"]?.arrayValue?.count == 1)
        try await desk.run("/stop remote host 1")
        #expect(try await phone.wait(for: "remoteCtrlStopped").last?["rcStopReason"]?["type"] == "disconnected")
        #expect(try await desk.run("/delete remote host 1")["type"] == "cmdOk")
        #expect(try await desk.run("/delete remote host 1")["storeError"]?["type"] == "remoteHostNotFound")
    }

    @Test("files go to the phone and come from it")
    func files() async throws {
        let world = try await World()
        let phone = try await world.core("alice")
        try await phone.createUser("alice")
        let desk = try await world.core("desk")
        try await pair(phone, desk)
        let contents = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let path = world.directory.appending(path: "photo.jpg").path
        try contents.write(to: URL(filePath: path))
        for isEncrypted in [true, false] {
            let stored = try await desk.run("/store remote file 1 encrypt=\(isEncrypted ? "on" : "off") \(path)")
            let source = try #require(stored["remoteFileSource"], "\(stored)")
            #expect((source["cryptoArgs"] != nil) == isEncrypted)
            let made = try await send(#"/_create *1 json [{"fileSource":\#(source.text),"msgContent":{"type":"file","text":""},"mentions":{}}]"#, of: desk)
            let file = try #require(made["chatItems"]?[0]?["chatItem"]?["file"], "\(made)")
            let folder = world.directory.path + "/desk/remote_hosts"
            let host = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
            let place = "\(folder)/\(host)/simplex_v1_files/\(source["filePath"]?.stringValue ?? "")"
            let here = try #require(FileManager.default.contents(atPath: place))
            #expect((here == contents) == !isEncrypted)
            try FileManager.default.removeItem(atPath: place)
            let got = try await desk.run(
                #"/get remote file 1 {"userId":1,"fileId":\#(file["fileId"]?.text ?? ""),"sent":true,"fileSource":\#(source.text)}"#)
            #expect(got["type"] == "cmdOk", "\(got)")
            #expect(FileManager.default.contents(atPath: place) == here)
        }
        let missing = try await desk.run(#"/get remote file 1 {"userId":1,"fileId":99,"sent":true,"fileSource":{"filePath":"../../../x"}}"#)
        #expect(missing["storeError"]?["type"] == "fileNotFound", "\(missing)")
        #expect(try await desk.run("/store remote file 9 \(path)")["remoteHostError"]?["type"] == "missing")
    }

    @Test("a session that was offered can be taken back, and only one is offered to a host")
    func offers() async throws {
        let world = try await World()
        let desk = try await world.core("desk")
        let first = try await desk.run("/start remote host new")
        #expect(first["type"] == "remoteHostStarted")
        #expect(try await desk.run("/start remote host new")["remoteHostError"]?["type"] == "busy")
        #expect(try await desk.run("/start remote host 5")["storeError"]?["type"] == "remoteHostNotFound")
        #expect(try await desk.run("/stop remote host new")["type"] == "cmdOk")
        let port = TestPort.unused()
        let second = try await desk.run("/start remote host new addr=127.0.0.1 iface=lo port=\(port)")
        #expect(second["ctrlPort"]?.stringValue == "\(port)")
        #expect(second["localAddrs"]?[0]?["address"] == "127.0.0.1")
        try await desk.run("/stop remote host new")
        // The port is taken.
        let taken = try await desk.run("/start remote host new port=\(world.relay.address.port)")
        #expect(taken["agentError"]?["rcpErr"]?["type"] == "tLSStartFailed", "\(taken)")
        #expect(try await desk.run("/switch remote host 3")["storeError"]?["type"] == "remoteHostNotFound")
    }

    @Test("a host that answers nonsense is left, and the desktop says why")
    func hostile() async throws {
        let world = try await World()
        let desk = try await world.core("desk")
        func come(app: JSONValue) async throws -> (DeviceConnection, SessionKeys?) {
            let link = try #require(try await desk.run("/start remote host new addr=127.0.0.1 iface=lo")["invitation"]?.stringValue)
            let invitation = try Invitation(verifying: link)
            let authority = try DeviceAuthority.generate()
            let connection = try await DeviceConnection.connect(
                host: invitation.host, port: invitation.port, authority: invitation.authority, as: authority, timeout: .seconds(30), group: World.group)
            let hello = try HostHandshake(invitation, key: X25519.PrivateKey(), authority: authority.fingerprint, app: app)
            try await connection.send(hello.block)
            return (connection, try? hello.finish(await connection.receive(within: .seconds(30))))
        }
        var count = 0
        let cases: [(JSONValue, JSONValue)] = [
            ("app", "protocolError"), (["appVersion": "5.0", "deviceName": "old", "encoding": "kotlin", "encryptFiles": true], "badVersion"),
        ]
        for (app, type) in cases {
            let (connection, _) = try await come(app: app)
            count += 1
            let stopped = try await desk.wait(for: "remoteHostStopped", count: count).last
            #expect(stopped?["rhStopReason"]?["chatError"]?["remoteHostError"]?["type"] == type, "\(stopped ?? .null)")
            await connection.closed()
        }
        // It keeps to the protocol until it is asked for events.
        let (connection, keys) = try await come(app: ["appVersion": "7.0.0.6", "deviceName": "odd", "encoding": "kotlin", "encryptFiles": false])
        let cipher = SessionCipher(try #require(keys), sessionID: connection.tls.channelBinding)
        try await connection.serve { stream in
            _ = try? await stream.readBody(cipher)
            try? await stream.write(body: Array(#"{"type":"chatEvent","chatEvent":7"#.utf8), cipher)
        }
        count += 1
        let stopped = try await desk.wait(for: "remoteHostStopped", count: count).last
        #expect(stopped?["rhStopReason"]?["type"] == "disconnected")
        #expect(try await desk.run("/start remote host new")["type"] == "remoteHostStarted")
    }

    @Test("sum types of apps in Swift are read")
    func swiftJSON() throws {
        for vector in try Vector.file("xrcp-commands").list("owsfConversion") {
            let tagged = try #require(vector.value["tagged"])
            #expect(try SwiftJSON.tagged(JSONValue(parsing: vector.text("input"))) == tagged)
        }
    }
}
