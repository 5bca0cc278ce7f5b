import ChatAPI
import ChatCore
import Foundation
import JSON
import QR
import TestSupport
import Testing

@testable import Gateway

/// The routes of a connected phone, which is another gateway in these tests.
@Suite(.socketTimeLimit, .serialized) struct RemoteHostRoutesTests {
    private func waitForEvent(
        _ type: String,
        of client: HTTPClient,
        after cursor: inout String?
    ) async throws -> JSONValue {
        while true {
            let page = try await client.call(
                "GET",
                "/v1/events?timeout=20&limit=1" + (cursor.map { "&cursor=\($0)" } ?? "")
            ).json
            cursor = page["cursor"]?.stringValue
            let event = try #require(page["events"]?[0]?["event"], "\(type) does not come")
            if event["type"]?.stringValue == type { return event }
        }
    }

    /// Pairs a desktop and a phone over HTTP.
    /// - Parameter inTheMiddle: is called when the phone waits for the confirmation of the code, with its session.
    private func pairDevices(
        _ desk: HTTPClient,
        _ phone: HTTPClient,
        inTheMiddle: (_ session: JSONValue) async throws -> Void = { _ in }
    ) async throws {
        var (deskCursor, phoneCursor): (String?, String?) = (nil, nil)
        let offer = "/v1/remote-hosts/new/session"
        #expect(try await desk.call("GET", offer + "/qr.svg").status == 404)
        let started = try await desk.post("/v1/remote-hosts", ["address": ["address": "127.0.0.1", "interface": "lo"]])
        #expect(started.status == 202)
        let link = try #require(try started.json["invitation"]?.stringValue)
        #expect(
            try await desk.call("GET", offer).json["sessionState"] == [
                "type": "connecting", "invitation": .string(link),
            ]
        )
        let picture = try await desk.call("GET", offer + "/qr.svg")
        #expect(
            picture.header("content-type") == "image/svg+xml" && picture.text == QRCode(link)?.svg
                && picture.header("cache-control") == "no-store"
        )
        let image = try await desk.call("GET", offer + "/qr.png")
        #expect(image.header("content-type") == "image/png" && image.body == QRCode(link)?.makePNG())
        #expect(try await phone.post("/v1/remote-control/connect", ["xrcpInvitation": .string(link)]).status == 202)
        let code = try #require(
            try await waitForEvent("remoteCtrlSessionCode", of: phone, after: &phoneCursor)["sessionCode"]
        )
        #expect(try await waitForEvent("remoteHostSessionCode", of: desk, after: &deskCursor)["sessionCode"] == code)
        let status = try await phone.call("GET", "/v1/remote-control/session").json
        #expect(status["sessionState"] == ["type": "pendingConfirmation", "sessionCode": code])
        try await inTheMiddle(status)
        let verified = try await phone.post("/v1/remote-control/session/verify", ["sessionCode": code])
        #expect(verified.status == 200, "\(verified.text)")
        _ = try await waitForEvent("remoteHostConnected", of: desk, after: &deskCursor)
        #expect(try await desk.call("GET", "/v1/remote-hosts/1/session").json["sessionState"]?["type"] == "connected")
        #expect(try await desk.call("GET", "/v1/remote-hosts/1/session/qr.png").status == 404)
        #expect(try await desk.call("GET", offer).json == [:])
    }

    /// A gateway with a connected phone. The phone's users are alice, who is active, and bob. They are contacts of each
    /// other.
    private struct ConnectedPhone {
        let gateway: RealGateway
        /// Clients of the gateway and of the phone itself.
        let desktopClient, own: HTTPClient
        let alice, bob: Int64
        /// The id of bob as alice's contact.
        let bobContactID: Int64
        /// The path for messages from alice to bob.
        var messagesPath: String { "/v1/remote-hosts/1/users/\(alice)/chats/direct/\(bobContactID)/messages" }
    }

    private func withPhone(_ body: (ConnectedPhone) async throws -> Void) async throws {
        try await RealGateway.run { phone in
            try await RealGateway.run { gateway in
                let (desk, own) = (try await gateway.connectClient(), try await phone.connectClient())
                let (alice, bob) = (try await own.createUser("alice"), try await own.createUser("bob"))
                _ = try await own.connectUsers(alice, bob)
                _ = try await own.post("/v1/users/\(alice)/activate", [:])
                #expect(try await desk.call("GET", "/v1/remote-hosts/1/users").status == 404)
                try await pairDevices(desk, own)
                let chats = try #require(
                    try await desk.call("GET", "/v1/remote-hosts/1/users/\(alice)/chats").json["chats"]?.arrayValue
                )
                let contacts = chats.compactMap { $0["chatInfo"]?["contact"]?["contactId"]?.integerValue }
                let contact = try #require(contacts.first)
                try await body(
                    ConnectedPhone(
                        gateway: gateway,
                        desktopClient: desk,
                        own: own,
                        alice: alice,
                        bob: bob,
                        bobContactID: contact
                    )
                )
            }
        }
    }

    @Test
    func `The state of a profile shows the session of a pairing with each of its changes until the session ends`()
        async throws
    {
        try await RealGateway.run { phone in
            try await RealGateway.run { gateway in
                let (desk, own) = (try await gateway.connectClient(), try await phone.connectClient())
                let alice = try await own.createUser("alice")
                var first: ModelFollower?
                try await pairDevices(desk, own) { session in
                    first = try await ModelFollower(own, "/v1/users/\(alice)/model")
                    let state = first?.document["remoteCtrlSession"]?["sessionState"]
                    #expect(state == session["sessionState"] && state?["type"] == "pendingConfirmation")
                }
                var follower = try #require(first)
                try await follower.advance { $0["remoteCtrlSession"]?["sessionState"]?["type"] == "connected" }
                #expect(try await own.call("DELETE", "/v1/remote-control/session").status == 200)
                try await follower.advance { $0["remoteCtrlSession"] == nil }
                try await follower.expectServerDocument()
            }
        }
    }

    @Test
    func `A connected phone can be used with the usual routes for messages, events and states`() async throws {
        try await withPhone { pair in
            let (desk, alice, bob, contact) = (pair.desktopClient, pair.alice, pair.bob, pair.bobContactID)
            #expect(try await desk.call("GET", "/v1/remote-hosts/1/users").json["users"]?.arrayValue?.count == 2)
            let begin = try #require(
                try await desk.call("GET", "/v1/remote-hosts/1/events?cursor=now&timeout=0").json["cursor"]?.stringValue
            )
            let sent = try await desk.post(pair.messagesPath, textMessage("from afar"))
            #expect(sent.status == 201, "\(sent.text)")
            #expect(
                sent.header("location")?.hasPrefix("/v1/remote-hosts/1/users/\(alice)/chats/direct/\(contact)") == true,
                "\(sent.header("location") ?? "")"
            )
            // The phone runs all commands as its active user, so a command for bob is refused.
            #expect(try await desk.call("GET", "/v1/remote-hosts/1/users/\(bob)/chats/direct/1").status == 409)
            var cursor: String? = begin
            var received: JSONValue?
            while received == nil {
                let page = try await desk.call(
                    "GET",
                    "/v1/remote-hosts/1/events?timeout=20&limit=1&cursor=\(cursor ?? "")"
                ).json
                cursor = page["cursor"]?.stringValue
                let entry = try #require(page["events"]?[0], "no event of the phone arrives")
                #expect(entry["remoteHostId"] == 1)
                if entry["event"]?["type"] == "newChatItems", entry["userId"] == .integer(bob) {
                    received = entry["event"]
                }
            }
            #expect(received?["chatItems"]?[0]?["chatItem"]?["content"]?["msgContent"]?["text"] == "from afar")
            let model = try await desk.call("GET", "/v1/remote-hosts/1/users/\(alice)/model")
            #expect(model.status == 200 && model.text.contains("from afar"), "\(model.text.prefix(300))")
        }
    }

    @Test
    func `A file can be uploaded to a phone and read from the phone, even after the local copy was deleted`()
        async throws
    {
        try await withPhone { pair in
            let (desk, own, alice) = (pair.desktopClient, pair.own, pair.alice)
            let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            for isEncrypted in [true, false] {
                try await desk.send(
                    "POST",
                    "/v1/remote-hosts/1/users/\(alice)/files?name=plan.txt&encrypted=\(isEncrypted)",
                    body: bytes
                )
                let uploaded = try await desk.receiveAnswer()
                #expect(uploaded.status == 201, "\(uploaded.text)")
                let source = try #require(try uploaded.json["fileSource"])
                #expect((source["cryptoArgs"] != nil) == isEncrypted)
                let message: JSONValue = [
                    "fileSource": source, "msgContent": ["type": "file", "text": ""], "mentions": [:],
                ]
                let noted = try await desk.post(
                    "/v1/remote-hosts/1/users/\(alice)/chats/local/1/messages",
                    ["composedMessages": [message]]
                )
                let file = try #require(
                    try noted.json["chatItems"]?[0]?["chatItem"]?["file"]?["fileId"]?.integerValue,
                    "\(noted.text)"
                )
                #expect(try await own.call("GET", "/v1/users/\(alice)/files/\(file)/content").body == bytes)
                let content = "/v1/remote-hosts/1/users/\(alice)/files/\(file)/content"
                #expect(try await desk.call("GET", content).body == bytes)
                #expect(
                    try await desk.call("GET", content, headers: [("Range", "bytes=5-9")]).body == Array(bytes[5...9])
                )
                // The local copy is deleted, so the file is requested from the phone.
                let copies =
                    FileManager.default.enumerator(atPath: pair.gateway.folder)?.compactMap { $0 as? String } ?? []
                for copy in copies where copy.hasSuffix(source["filePath"]?.stringValue ?? "?") {
                    try FileManager.default.removeItem(atPath: pair.gateway.folder + "/" + copy)
                }
                #expect(try await desk.call("GET", content).body == bytes)
            }
            #expect(try await desk.call("GET", "/v1/remote-hosts/1/users/\(alice)/files/99/content").status == 404)
            try await desk.send(
                "POST",
                "/v1/remote-hosts/1/users/\(alice)/files?name=a",
                headers: [("Upload-Complete", "?0")],
                body: bytes
            )
            #expect(try await desk.receiveAnswer().status == 400)
        }
    }

    @Test
    func `Routes of the gateway itself are not served for a phone`() async throws {
        try await withPhone { (pair: ConnectedPhone) async throws in
            let desk = pair.desktopClient
            for path in [
                "/v1/remote-hosts/1/remote-hosts", "/v1/remote-hosts/1/stores", "/v1/remote-hosts/1/core",
                "/v1/remote-hosts/1/metrics", "/v1/remote-hosts/1/nothing",
            ] {
                #expect(try await desk.call("GET", path).status == 404, "\(path)")
            }
            #expect(try await desk.call("GET", "/v1/remote-hosts/2/users").status == 404)
            #expect(try await desk.call("GET", "/v1/remote-hosts/1/network/config").status != 200)
        }
    }

    @Test
    func `A repeated request to a phone with an idempotency key sends one message`() async throws {
        try await withPhone { pair in
            let (desk, own, alice, contact) = (pair.desktopClient, pair.own, pair.alice, pair.bobContactID)
            for isRepeated in [false, true] {
                let once = try await desk.post(
                    pair.messagesPath,
                    textMessage("once"),
                    headers: [("Idempotency-Key", "k")]
                )
                #expect(
                    once.status == 201 && (once.header("idempotent-replayed") == "true") == isRepeated,
                    "\(once.text)"
                )
            }
            let other = try await desk.post(
                pair.messagesPath,
                textMessage("other"),
                headers: [("Idempotency-Key", "k")]
            )
            #expect(other.status == 422)
            let texts = try await own.call("GET", "/v1/users/\(alice)/chats/direct/\(contact)?limit=20").json["chat"]?[
                "chatItems"
            ]?.arrayValue
            #expect(texts?.count { $0["meta"]?["itemText"] == "once" } == 1)
        }
    }

    @Test
    func `Only administrators of the store can use a phone`() async throws {
        try await withPhone { pair in
            let alice = pair.alice
            let file = KeyFile(folder: pair.gateway.folder)
            let reader = try file.addKey(name: "reader", scopes: [.read, .write, .events]).key.text
            let bound = try file.addKey(name: "bound", scopes: .admin, userId: 1).key.text
            try await HTTPClient.connect(port: pair.gateway.port, key: bound).waitForStatus(403, at: "/v1/users")
            for key in [reader, bound] {
                #expect(
                    try await HTTPClient.connect(port: pair.gateway.port, key: key).call(
                        "GET",
                        "/v1/remote-hosts/1/users/\(alice)/chats"
                    ).status == 403
                )
            }
        }
    }

    @Test
    func `A key for one phone can use only this phone, within the scopes of the key`() async throws {
        try await withPhone { pair in
            let (desk, alice) = (pair.desktopClient, pair.alice)
            func phoneKey(_ scopes: [JSONValue], phone: Int64) async throws -> HTTPClient {
                let made = try await desk.post(
                    "/v1/keys",
                    ["name": "of a phone", "scopes": .array(scopes), "remoteHostId": .integer(phone)]
                )
                let record = try made.json["record"]
                #expect(made.status == 201 && record?["remoteHostId"] == .integer(phone), "\(made.text)")
                return try await HTTPClient.connect(
                    port: pair.gateway.port,
                    key: try #require(try made.json["key"]?.stringValue)
                )
            }
            let ofPhone = try await phoneKey(["read", "events"], phone: 1)
            try await ofPhone.waitForStatus(200, at: "/v1/remote-hosts/1/users/\(alice)/chats")
            #expect(try await ofPhone.call("GET", "/v1/whoami").json["remoteHostId"] == 1)
            #expect(try await ofPhone.call("GET", "/v1/remote-hosts/1/events?cursor=now").status == 200)
            #expect(try await ofPhone.post(pair.messagesPath, textMessage("no")).status == 403)
            for path in [
                "/v1/users", "/v1/events", "/v1/keys", "/v1/remote-hosts", "/v1/remote-hosts/1/session",
                "/v1/remote-hosts/2/users",
            ] {
                #expect(try await ofPhone.call("GET", path).status == 403, "\(path)")
            }
            #expect(try await desk.post("/v1/keys", ["name": "x", "remoteHostId": 2]).status == 422)
            let otherKey = try KeyFile(folder: pair.gateway.folder).addKey(
                name: "of another phone",
                scopes: [.read, .write, .admin],
                remoteHostId: 2
            ).key.text
            let ofOther = try await HTTPClient.connect(port: pair.gateway.port, key: otherKey)
            try await ofOther.waitForStatus(200, at: "/v1/whoami")
            #expect(try await ofOther.call("GET", "/v1/remote-hosts/1/users").status == 403)
            #expect(try await desk.post("/v1/keys", ["name": "x", "remoteHostId": 1, "userId": 1]).status == 422)
        }
    }

    @Test
    func `If the phone ends the session, the end is reported, and the phone's routes get 404`() async throws {
        try await withPhone { (pair: ConnectedPhone) async throws in
            let (desk, own) = (pair.desktopClient, pair.own)
            #expect(
                try await own.call("GET", "/v1/remote-control/session").json["sessionState"]?["type"] == "connected"
            )
            #expect(try await own.call("DELETE", "/v1/remote-control/session").status == 200)
            #expect(try await own.call("GET", "/v1/remote-control/session").json == [:])
            var deskCursor: String?
            #expect(
                try await waitForEvent("remoteHostStopped", of: desk, after: &deskCursor)["rhStopReason"]?["type"]
                    == "disconnected"
            )
            #expect(
                try await desk.call("GET", "/v1/remote-hosts/1/session").json == [
                    "rhStopReason": ["type": "disconnected"]
                ]
            )
            #expect(try await desk.call("GET", "/v1/remote-hosts/2/session").status == 404)
            #expect(try await desk.call("GET", "/v1/remote-hosts/1/users").status == 404)
            #expect(try await desk.call("GET", "/v1/remote-hosts").json["remoteHosts"]?.arrayValue?.count == 1)
            #expect(try await desk.call("DELETE", "/v1/remote-hosts/1").status == 200)
        }
    }
}
