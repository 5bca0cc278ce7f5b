import JSON
import TestSupport
import Testing

/// Answers to pages that have only tickets, no key, and cannot read the status of a stream.
@Suite(.socketTimeLimit) struct BrowserTests {
    private let streamHeaders = [("Accept", "text/event-stream")]

    @Test
    func `A web page with a ticket and without a key can read the state, sessions and files`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            let page = try await HTTPClient.connect(port: gateway.port)
            let session = try #require(
                try await client.call("POST", "/v1/users/\(alice)/sessions").json["sessionId"]?.stringValue
            )
            let paths = [
                "/v1/users/\(alice)/model", "/v1/users/\(alice)/sessions", "/v1/users/\(alice)/sessions/\(session)",
            ]
            for path in paths {
                let ticket = try await client.requestTicket(path)
                for _ in 1...2 {
                    #expect(try await page.call("GET", "\(path)?ticket=\(ticket)").status == 200, "\(path)")
                }
                #expect(try await page.call("GET", "/v1/users?ticket=\(ticket)").status == 401)
            }
            let file = "/v1/users/\(alice)/files/1/content"
            #expect(try await page.call("GET", "\(file)?ticket=\(client.requestTicket(file))").status == 404)
            #expect(try await page.call("GET", "\(file)?ticket=sxgt_none").status == 401)
            // A request that changes the session needs a key, so no ticket is made for this path.
            let items = "/v1/users/\(alice)/sessions/\(session)/messages"
            #expect(try await client.post("/v1/events/tickets", ["path": .string(items)]).status == 422)
        }
    }

    @Test
    func `A stream or WebSocket with an expired cursor gets the event 'gap', and a plain request gets 410 or 404`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            let model = "/v1/users/\(alice)/model"
            #expect(try await client.call("GET", model).status == 200)
            let expired = try await client.call("GET", "\(model)/changes?cursor=deadbeef-5")
            #expect(expired.status == 410)
            let id = try #require(try expired.json["oldest"]?.stringValue)
            let oldest: JSONValue = ["event": ["type": "gap", "oldest": .string(id)]]
            let answer = try await client.call("GET", "\(model)/changes?cursor=deadbeef-5", headers: streamHeaders)
            #expect(answer.status == 200)
            #expect(answer.text == "event: gap\nid: \(id)\ndata: \(oldest.text)\n\n")
            let socket = try await WebSocketClient.open(client, "\(model)/changes/ws?cursor=deadbeef-5")
            #expect(try await socket.receiveJSON() == oldest)
            #expect(try await socket.receiveCloseCode() == 4410)

            let other = try await gateway.connectClient()
            let session = try await other.call("POST", "/v1/users/\(alice)/sessions").json
            let (path, cursor) = try (
                "/v1/users/\(alice)/sessions/" + #require(session["sessionId"]?.stringValue),
                #require(session["id"]?.stringValue)
            )
            let stale = try await other.call("GET", "\(path)/changes?cursor=deadbeef-5", headers: streamHeaders)
            #expect(stale.text.contains(#""oldest":"\#(cursor)""#))
            #expect(try await other.call("DELETE", path).status == 204)
            let gap: JSONValue = ["event": ["type": "gap"]]
            let ended = try await other.call("GET", "\(path)/changes?cursor=\(cursor)", headers: streamHeaders)
            #expect(ended.status == 200)
            #expect(ended.text == "event: gap\ndata: \(gap.text)\n\n")
            #expect(try await other.call("GET", "\(path)/changes?cursor=\(cursor)").status == 404)
            let last = try await WebSocketClient.open(other, "\(path)/changes/ws?cursor=\(cursor)")
            #expect(try await last.receiveJSON() == gap)
            #expect(try await last.receiveCloseCode() == 4410)
            #expect(
                try await gateway.connectClient().call(
                    "GET",
                    "/v1/users/99/model/changes?cursor=a-1",
                    headers: streamHeaders
                )
                .status
                    == 404
            )
        }
    }
}

extension HTTPClient {
    fileprivate func requestTicket(_ path: String) async throws -> String {
        let answer = try await post("/v1/events/tickets", ["path": .string(path)]).json
        return try #require(answer["ticket"]?.stringValue)
    }
}
