import JSON
import TestSupport
import Testing

@testable import Gateway

/// Random input, the same in every run. The server refuses it as the contract states, and never reports an error of its
/// own.
@Suite(.socketTimeLimit) struct FuzzTests {
    @Test
    func `Every route with a body answers randomly damaged bodies as in the contract`() async throws {
        try await RealGateway.run { gateway in
            var client = try await gateway.connectClient()
            client.checksRequests = false
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (ofAlice, _) = try await client.connectUsers(alice, bob)
            var random = SeededRandom(seed: 20)
            // Commands that end a chat or a profile are sent last, since the other commands need both.
            let last: Set = ["deleteChat", "hideUser", "deleteUser"]
            for route in Route.commandRoutes.filter({ !last.contains($0.operationID) })
                + Route.commandRoutes.filter({ last.contains($0.operationID) })
            {
                guard route.method != .get, let body = route.sampleBody else { continue }
                for damaged in (0..<25).map({ _ in body.damaged(&random).encodeText() })
                    + makeMutations(of: body.encodeText(), count: 15, seed: 7)
                {
                    try await client.send(
                        route.method.rawValue,
                        route.path(user: "\(alice)", id: "\(ofAlice)"),
                        body: damaged
                    )
                    let answer = try await client.receiveAnswer()
                    let isInOrder = answer.status < 500 || answer.status == 502
                    #expect(
                        isInOrder,
                        "\(route.operationID) \(String(decoding: damaged, as: UTF8.self)): \(answer.text)"
                    )
                }
            }
            #expect(try await client.call("GET", "/readyz").status == 200)
        }
    }

    @Test
    func `Requests with random query strings get an answer that follows the contract`() async throws {
        try await RealGateway.run { gateway in
            var client = try await gateway.connectClient()
            client.checksRequests = false
            _ = try await client.createUser("alice")
            var random = SeededRandom(seed: 4)
            let names = [
                "limit", "cursor", "around", "initial", "search", "contentType", "direction", "sender", "since",
                "scope", "mode", "notify",
                "itemIds", "pendingConnections", "favorite", "unread",
            ]
            let values = [
                "", "0", "1", "-1", "9223372036854775807", "9223372036854775808", "true", "%", "%00", "%ff",
                "2026-01-01T00:00:00Z", "9999-99-99T99:99:99Z",
                "%27%22%3B--", "%F0%9F%98%80", String(repeating: "a", count: 3000),
            ]
            for route in Route.commandRoutes where route.method == .get {
                for _ in 0..<40 {
                    let query = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                        "\(names.randomElement(using: &random) ?? "")=\(values.randomElement(using: &random) ?? "")"
                    }
                    let target = route.path(id: "1") + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
                    let answer = try await client.call("GET", target)
                    #expect(answer.status < 500, "\(target): \(answer.text)")
                }
            }
        }
    }

    @Test
    func `The server answers other clients after it received damaged HTTP requests`() async throws {
        try await ServedGateway.run({ $0.http.requestTimeoutSeconds = 1 }) { served in
            let request = """
                POST /v1/users?a=%20b HTTP/1.1\r\nHost: 127.0.0.1:\(served.port)\r\nAuthorization: Bearer \(served.key)\r\nContent-Type: application/json\r
                Idempotency-Key: k\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n
                """
            for damaged in makeMutations(of: Array(request.utf8), count: 150, seed: 3) {
                let connection = try await RawConnection.open(port: served.port)
                try? await connection.send(damaged)
                try? await connection.finishSending()
                let answer = (try? await connection.receiveRest()) ?? []
                #expect(answer.isEmpty || answer.starts(with: Array("HTTP/1.".utf8)))
                // A damaged Transfer-Encoding gets 501, which is no error of the server.
                let isServerError =
                    answer.starts(with: Array("HTTP/1.1 5".utf8)) && !answer.starts(with: Array("HTTP/1.1 501".utf8))
                #expect(!isServerError, "\(String(decoding: damaged, as: UTF8.self))")
                await connection.close()
            }
            try await served.waitUntilAnswering()
        }
    }

    @Test
    func `A new WebSocket is answered after other WebSockets have sent random frames`() async throws {
        try await ServedGateway.run { served in
            let frame = WebSocketClient.makeFrame(1, Array(#"{"corrId":"1","cmd":"/u"}"#.utf8))
            for damaged in makeMutations(of: frame, count: 25, seed: 5) {
                let socket = try await WebSocketClient.open(served.connectClient(), "/")
                try? await socket.http.connection.send(damaged)
                try? await socket.http.connection.finishSending()
                _ = try? await socket.http.connection.receiveRest()
                await socket.http.connection.close()
            }
            let socket = try await WebSocketClient.open(served.connectClient(), "/")
            try await socket.send(#"{"corrId":"1","cmd":"/u"}"#)
            let answer = try await socket.receiveJSON()
            #expect(answer["corrId"] == "1")
        }
    }
}

extension JSONValue {
    /// Returns the value with one part replaced, removed or added.
    fileprivate func damaged(_ random: inout SeededRandom) -> JSONValue {
        switch self {
        case .object(var members) where !members.isEmpty && Int.random(in: 0..<6, using: &random) > 0:
            let name = members.keys.randomElement(using: &random) ?? ""
            switch Int.random(in: 0..<6, using: &random) {
            case 0: members[name] = nil
            case 1: members["x" + name] = .randomValue(&random)
            default: members[name] = members[name]?.damaged(&random)
            }
            return .object(members)
        case .array(var items) where !items.isEmpty && Int.random(in: 0..<4, using: &random) > 0:
            items.append(items[0].damaged(&random))
            if Bool.random(using: &random) { items.removeFirst() }
            return .array(items)
        default: return .randomValue(&random)
        }
    }

    private static func randomValue(_ random: inout SeededRandom) -> JSONValue {
        let values: [JSONValue] = [
            .null, true, false, 0, -1, 1, .integer(.max), .integer(.min), .real(1.5), .real(1e300), "", "a",
            "\u{202E}👩‍👩‍👧", .string(String(repeating: "é", count: 20_000)),
            "2026-01-01T00:00:00Z", "simplex:/invitation#/?v=2", [], [[]], [:], ["type": "text", "text": ""],
            ["type": "unknown"], [1, 2, 3], [.integer(.max)],
        ]
        return values.randomElement(using: &random) ?? .null
    }
}
