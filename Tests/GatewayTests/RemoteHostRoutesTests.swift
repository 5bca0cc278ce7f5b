import ChatAPI
import ChatCore
import JSON
import TestSupport
import Testing

@testable import Gateway

/// The routes of a connected phone, which here is another gateway.
@Suite(.overSockets) struct RemoteHostRoutesTests {
    private func event(_ type: String, of client: HTTPClient, after cursor: inout String?) async throws -> JSONValue {
        while true {
            let page = try await client.call("GET", "/v1/events?wait=20&limit=1" + (cursor.map { "&cursor=\($0)" } ?? "")).json
            cursor = page["cursor"]?.stringValue
            let event = try #require(page["events"]?[0]?["event"], "\(type) does not come")
            if event["type"]?.stringValue == type { return event }
        }
    }

    /// Pairs them by HTTP on both sides.
    private func pair(_ desk: HTTPClient, _ phone: HTTPClient) async throws {
        var (deskCursor, phoneCursor): (String?, String?) = (nil, nil)
        let started = try await desk.post("/v1/remote-hosts", ["address": ["address": "127.0.0.1", "interface": "lo"]])
        #expect(started.status == 202)
        let link = try #require(try started.json["invitation"]?.stringValue)
        #expect(try await phone.post("/v1/remote-control/connect", ["xrcpInvitation": .string(link)]).status == 202)
        let code = try #require(try await event("remoteCtrlSessionCode", of: phone, after: &phoneCursor)["sessionCode"])
        #expect(try await event("remoteHostSessionCode", of: desk, after: &deskCursor)["sessionCode"] == code)
        let status = try await phone.call("GET", "/v1/remote-control/session").json
        #expect(status["sessionState"] == ["type": "pendingConfirmation", "sessionCode": code])
        let verified = try await phone.post("/v1/remote-control/session/verify", ["sessionCode": code])
        #expect(verified.status == 200, "\(verified.text)")
        _ = try await event("remoteHostConnected", of: desk, after: &deskCursor)
    }

    @Test("a phone is used by the same routes, with its events and models, and only by administrators")
    func phone() async throws {
        try await RealGateway.run { phone in
            try await RealGateway.run { gateway in
                let (desk, own) = (try await gateway.client(), try await phone.client())
                let (alice, bob) = (try await own.user("alice"), try await own.user("bob"))
                _ = try await own.connect(alice, bob)
                _ = try await own.post("/v1/users/\(alice)/activate", [:])
                #expect(try await desk.call("GET", "/v1/remote-hosts/1/users").status == 404)
                try await pair(desk, own)

                #expect(try await desk.call("GET", "/v1/remote-hosts/1/users").json["users"]?.arrayValue?.count == 2)
                let chats = try #require(try await desk.call("GET", "/v1/remote-hosts/1/users/\(alice)/chats").json["chats"]?.arrayValue)
                let contacts = chats.compactMap { $0["chatInfo"]?["contact"]?["contactId"]?.integerValue }
                let contact = try #require(contacts.first)
                let begin = try #require(try await desk.call("GET", "/v1/remote-hosts/1/events?cursor=now&wait=0").json["cursor"]?.stringValue)
                let sent = try await desk.post("/v1/remote-hosts/1/users/\(alice)/chats/direct/\(contact)/messages", textMessage("from afar"))
                #expect(sent.status == 201, "\(sent.text)")
                #expect(sent.header("location")?.hasPrefix("/v1/remote-hosts/1/users/\(alice)/chats/direct/\(contact)") == true, "\(sent.header("location") ?? "")")
                // The phone runs everything as its active user.
                #expect(try await desk.call("GET", "/v1/remote-hosts/1/users/\(bob)/chats/direct/1").status == 409)
                var cursor: String? = begin
                var received: JSONValue?
                while received == nil {
                    let page = try await desk.call("GET", "/v1/remote-hosts/1/events?wait=20&limit=1&cursor=\(cursor ?? "")").json
                    cursor = page["cursor"]?.stringValue
                    let entry = try #require(page["events"]?[0], "no event of the phone comes")
                    if entry["event"]?["type"] == "newChatItems", entry["userId"] == .integer(bob) { received = entry["event"] }
                }
                #expect(received?["chatItems"]?[0]?["chatItem"]?["content"]?["msgContent"]?["text"] == "from afar")
                let model = try await desk.call("GET", "/v1/remote-hosts/1/users/\(alice)/model")
                #expect(model.status == 200 && model.text.contains("from afar"), "\(model.text.prefix(300))")

                // What concerns a gateway itself is not of a phone.
                for path in ["/v1/remote-hosts/1/remote-hosts", "/v1/remote-hosts/1/stores", "/v1/remote-hosts/1/core", "/v1/remote-hosts/1/metrics", "/v1/remote-hosts/1/nothing"] {
                    #expect(try await desk.call("GET", path).status == 404, "\(path)")
                }
                #expect(try await desk.call("GET", "/v1/remote-hosts/2/users").status == 404)
                #expect(try await desk.call("GET", "/v1/remote-hosts/1/network/config").status != 200)
                let repeated = try await desk.post(
                    "/v1/remote-hosts/1/users/\(alice)/chats/direct/\(contact)/messages", textMessage("once"), headers: [("Idempotency-Key", "k")])
                #expect(repeated.status == 400)
                let file = KeyFile(folder: gateway.folder)
                let reader = try file.add(name: "reader", scopes: [.read, .write, .events]).key.text
                let bound = try file.add(name: "bound", scopes: .admin, userId: 1).key.text
                try await HTTPClient.connect(port: gateway.port, key: bound).until(403, at: "/v1/users")
                for key in [reader, bound] {
                    #expect(try await HTTPClient.connect(port: gateway.port, key: key).call("GET", "/v1/remote-hosts/1/users/\(alice)/chats").status == 403)
                }

                #expect(try await own.call("GET", "/v1/remote-control/session").json["sessionState"]?["type"] == "connected")
                #expect(try await own.call("DELETE", "/v1/remote-control/session").status == 200)
                #expect(try await own.call("GET", "/v1/remote-control/session").json == [:])
                var deskCursor: String?
                #expect(try await event("remoteHostStopped", of: desk, after: &deskCursor)["rhStopReason"]?["type"] == "disconnected")
                #expect(try await desk.call("GET", "/v1/remote-hosts/1/users").status == 404)
                #expect(try await desk.call("GET", "/v1/remote-hosts").json["remoteHosts"]?.arrayValue?.count == 1)
                #expect(try await desk.call("DELETE", "/v1/remote-hosts/1").status == 200)
            }
        }
    }
}
