import Foundation
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite(.socketTimeLimit) struct BodyTests {
    @Test
    func `Every route can parse a body that is valid by the schema in the contract`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            _ = try await client.createUser("bob")
            for route in Route.commandRoutes {
                guard let body = route.sampleBody else { continue }
                let answer = try await client.callRoute(route, id: "99")
                let isUnderstood = try answer.status != 400 && (answer.status != 422 || answer.json["chatError"] != nil)
                #expect(
                    isUnderstood && answer.status < 500,
                    "\(route.operationID) \(body.text): \(answer.text)"
                )
            }
        }
    }

    @Test
    func `Every route can parse its example body in the contract`() async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectClient()
            for route in Route.commandRoutes {
                let body = Contract.servedContract.findOperation(route)?["requestBody"]?["content"]?["application/json"]
                guard let example = body?["example"] else { continue }
                let target = route.path(id: "1") + route.requiredQuery
                let answer = try await client.call(route.method.rawValue, target, body: example.text)
                // The gateway refuses some requests before the core gets the command, for example because link previews
                // are off here. So an answer without an error of the core is accepted too.
                let isUnderstood = try answer.json["chatError"] != nil || answer.status != 400 && answer.status != 422
                #expect(isUnderstood, "\(route.operationID): \(answer.text)")
            }
        }
    }

    @Test(arguments: [
        Array("no json".utf8), Array("[1]".utf8), Array("\"text\"".utf8), Array("{".utf8), Array("{}{}".utf8),
        Array(#"{"a":1,"a":2}"#.utf8),
        Array(#"{"a":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8), [0xFF, 0xFE, 0x7B, 0],
        Array(#"{"a":"\u0000"}"#.utf8),
        Array(#"{"a":"#.utf8) + [UInt8](repeating: 0x5B, count: 10_000) + [UInt8](repeating: 0x5D, count: 10_000)
            + Array("}".utf8),
        Array(String(repeating: #"{"a":"#, count: 10_000).utf8) + Array("1".utf8)
            + [UInt8](repeating: 0x7D, count: 10_000),
    ])
    func `A body that is not JSON, not an object, not UTF-8, too deep or of wrong types is refused at every route`(
        body: [UInt8]
    ) async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectClient()
            for route in Route.commandRoutes where route.sampleBody?.objectValue?.isEmpty == false {
                try await client.send(route.method.rawValue, route.path(id: "1"), body: body)
                let answer = try await client.receiveAnswer()
                #expect(answer.status == 400, "\(route.operationID): \(answer.text)")
            }
        }
    }

    @Test
    func `A body is refused if one of its JSON members has a wrong type`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            for route in Route.commandRoutes {
                guard
                    let members = Contract.servedContract.findOperation(route).flatMap({
                        Contract.servedContract.findBodySchema($0)
                    })?[
                        "properties"
                    ]?.objectValue
                else { continue }
                for name in members.keys {
                    var body = route.sampleBody?.objectValue ?? JSONObject()
                    body[name] = [[[]]]
                    let answer = try await client.call(
                        route.method.rawValue,
                        route.path(id: "1"),
                        body: JSONValue.object(body).text
                    )
                    #expect(
                        answer.status == 422 || answer.status == 404,
                        "\(route.operationID) \(name): \(answer.text)"
                    )
                    if answer.status == 422 {
                        #expect(answer.text.contains(name), "\(route.operationID) \(name): \(answer.text)")
                    }
                }
            }
        }
    }

    @Test
    func `The rest of a body above the limit is read and discarded, up to a maximal number of bytes`() {
        var (intake, body) = (BodyIntake(patience: 16 << 20), HTTPBody())
        let chunk = [UInt8](repeating: 32, count: 64 << 10)
        func send() -> Bool { chunk.withUnsafeBytes { intake.appendBytes($0, into: &body) } }
        // At first nothing may be kept, as for the body of a refused request.
        #expect(send() && body.isEmpty && intake.isDropped)
        intake = BodyIntake(patience: 16 << 20)
        intake.maxBytes = 1 << 20
        for number in 1...16 { #expect(send() && body.count == number << 16 && !intake.isDropped) }
        #expect(send() && body.isEmpty && intake.isDropped)
        var read = intake.droppedBytes
        while send() { read += chunk.count }
        #expect(read == 16 << 20 && body.isEmpty)
        #expect(!send() && body.isEmpty)
    }

    @Test
    func `The server still answers after three concurrent chunked bodies of 100 MiB`() async throws {
        try await ServedGateway.run { served in
            let clients = try await withThrowingTaskGroup(of: HTTPClient.self) { group in
                for _ in 0..<3 {
                    let client = try await served.connectClient()
                    group.addTask {
                        try await client.send("POST", "/v1/users", headers: [("Transfer-Encoding", "chunked")])
                        let chunk =
                            Array("100000\r\n".utf8) + [UInt8](repeating: 32, count: 1 << 20) + Array("\r\n".utf8)
                        // The server may close the connection before all chunks are sent, so errors are ignored.
                        for _ in 0..<100 { try? await client.connection.send(chunk) }
                        return client
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for client in clients { await client.connection.close() }
            #expect(try await served.connectClient().call("GET", "/livez").status == 200)
        }
    }

    @Test
    func `A request fails if its body arrives too slowly or if its client disconnects before the end`() async throws {
        try await ServedGateway.run({ $0.http.requestTimeoutSeconds = 1 }) { served in
            let dripping = try await served.connectClient()
            try await dripping.connection.send(
                "POST /v1/users HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(served.key)\r\nContent-Length: 1000\r\n\r\n{"
            )
            let drip = Task {
                while !Task.isCancelled {
                    try await dripping.connection.send(" ")
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
            let half = try await served.connectClient()
            try await half.connection.send(
                "POST /v1/users HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(served.key)\r\nContent-Length: 9\r\n\r\n{"
            )
            try await half.connection.finishSending()
            for connection in [half.connection, dripping.connection] {
                let rest = try await connection.receiveRest()
                #expect(!String(decoding: rest, as: UTF8.self).contains(" 2"))
            }
            drip.cancel()
            try await served.waitUntilAnswering()
        }
    }
}
