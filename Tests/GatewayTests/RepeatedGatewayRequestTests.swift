import Foundation
import JSON
import SimpleXCrypto
import TestSupport
import Testing

@testable import ChatCore
@testable import Gateway

@Suite(.socketTimeLimit) struct RepeatedGatewayRequestTests {
    private func idempotencyHeaders(_ text: String) -> [(String, String)] { [("Idempotency-Key", text)] }

    @Test
    func `A repeated request creates no second key, webhook or secret, even after a restart`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let hook: JSONValue = ["url": "https://example.org/hook"]
        let requests: [(path: String, body: JSONValue, status: Int)] = [
            ("/v1/keys", ["name": "bot"], 201), ("/v1/webhooks", hook, 201),
        ]
        func send(
            _ client: HTTPClient,
            _ changes: [(path: String, body: JSONValue, status: Int)]
        ) async throws
            -> [[UInt8]]
        {
            var bodies: [[UInt8]] = []
            for (number, change) in (requests + changes).enumerated() {
                let answer = try await client.post(change.path, change.body, headers: idempotencyHeaders("\(number)"))
                #expect(answer.status == change.status, "\(change.path): \(answer.text)")
                bodies.append(answer.body)
            }
            return bodies
        }
        var changes: [(path: String, body: JSONValue, status: Int)] = []
        let first = try await RealGateway.run(in: folder) { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let made = try await send(client, []).map { try JSONValue(parsing: $0) }
            let keyID = try #require(made[0]["record"]?["keyId"]?.stringValue)
            let hookID = try #require(made[1]["webhook"]?["webhookId"]?.stringValue)
            changes = [
                ("/v1/keys/\(keyID)/rotate", [:], 200), ("/v1/webhooks/\(hookID)/rotate", [:], 200),
                ("/v1/webhooks/\(hookID)/replay", ["cursor": "now"], 202),
            ]
            let first = try await send(client, changes)
            #expect(try await send(client, changes) == first)
            let again = try await client.post("/v1/keys", ["name": "bot"], headers: idempotencyHeaders("0"))
            #expect(again.header("idempotent-replayed") == "true" && again.header("cache-control") == "no-store")
            #expect(again.header("location") == "/v1/keys/\(keyID)")
            for (number, path) in ["/v1/keys", "/v1/webhooks"].enumerated() {
                let body: JSONValue = ["name": "other", "url": "https://example.org/other"]
                let other = try await client.post(
                    path,
                    number == 0 ? ["name": "other"] : body,
                    headers: idempotencyHeaders("\(number)")
                )
                #expect(try other.json["code"] == "idempotencyKeyReused", "\(other.text)")
            }
            let file = try String(contentsOfFile: gateway.folder + "/keys.json", encoding: .utf8)
            for answer in [first[0], first[2]] {
                let secret = try #require(try JSONValue(parsing: answer)["key"]?.stringValue)
                #expect(!file.contains(secret))
            }
            return first
        }
        try await RealGateway.run(in: folder) { gateway in
            let client = try await gateway.connectClient()
            #expect(try await send(client, changes) == first)
            #expect(try await client.call("GET", "/v1/keys").json["keys"]?.arrayValue?.count == 2)
            #expect(try await client.call("GET", "/v1/webhooks").json["webhooks"]?.arrayValue?.count == 1)
        }
    }

    @Test
    func `A repeated request opens no second session, and its idempotency key is refused at another route`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let user = try await client.createUser("alice")
            let path = "/v1/users/\(user)/sessions"
            let first = try await client.post(path, [:], headers: idempotencyHeaders("one"))
            let again = try await client.post(path, [:], headers: idempotencyHeaders("one"))
            #expect(first.status == 201 && again.status == 201 && again.body == first.body, "\(again.text)")
            #expect(try await client.call("GET", path).json["sessions"]?.arrayValue?.count == 1)
            #expect(try await client.post(path, [:], headers: idempotencyHeaders("two")).body != first.body)

            let ticket = try await client.post("/v1/events/tickets", [:], headers: idempotencyHeaders("one"))
            #expect(try ticket.json["code"] == "idempotencyKeyReused")
        }
    }

    @Test
    func `A repeated request to lock a store has no effect after the store has been unlocked`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let store = try await gateway.makeStore("Bob")
            let path = "/v1/stores/\(store.id)"
            let locked = try await client.post(path + "/lock", [:], headers: idempotencyHeaders("one"))
            #expect(locked.status == 200, "\(locked.text)")
            #expect(try await client.post(path + "/unlock", [:]).status == 200)
            let again = try await client.post(path + "/lock", [:], headers: idempotencyHeaders("one"))
            #expect(again.body == locked.body && again.header("idempotent-replayed") == "true")
            #expect(try await gateway.readState(of: store.id) == "unlocked")
        }
    }

    @Test
    func `A repeated upload stores no second file, and other contents with the same idempotency key are refused`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let user = try await client.createUser("alice")
            func upload(_ contents: String, _ header: String = "one") async throws -> HTTPClient.Answer {
                try await client.call(
                    "POST",
                    "/v1/users/\(user)/files?name=a.txt",
                    headers: idempotencyHeaders(header) + [("Content-Type", "text/plain")],
                    body: contents
                )
            }
            let first = try await upload("hello")
            let again = try await upload("hello")
            #expect(first.status == 201 && again.status == 201 && again.body == first.body, "\(again.text)")
            #expect(again.header("idempotent-replayed") == "true")
            #expect(try await upload("other").json["code"] == "idempotencyKeyReused")
            #expect(try await upload("hello", "two").body != first.body)
        }
    }

    @Test
    func `Exactly the problems with the status 429 or 503 have the header 'Retry-After'`() {
        for code in ProblemDetails.Code.allCases {
            let headers = ProblemDetails(code).response(requestId: "").headers.filter { $0.name == "Retry-After" }
            #expect(headers.count == ([429, 503].contains(code.status) ? 1 : 0), "\(code)")
        }
        #expect(
            ProblemDetails.tooMuchUnreadProblem.response(requestId: "").headers.count { $0.name == "Retry-After" } == 1
        )
    }

    @Test
    func `A stored answer is returned only to a request with the same API key and body`() throws {
        func request(_ apiKey: String, body: UInt8) throws -> SealedAnswerRequest {
            try #require(
                SealedAnswerRequest(
                    key: [1],
                    fingerprint: [body],
                    idempotencyKey: "k",
                    apiKey: SecretBytes(Array(apiKey.utf8))
                )
            )
        }
        let answer = HTTPResponse(status: 201, json: Array("{}".utf8))
        let box = try request("a", body: 1).sealAnswer(answer)
        #expect(try request("a", body: 1).openAnswer(in: box).status == 201)
        for (other, code) in [
            (try request("b", body: 1), ProblemDetails.Code.conflict),
            (try request("a", body: 2), .idempotencyKeyReused),
        ] {
            do throws(ProblemDetails) {
                _ = try other.openAnswer(in: box)
                Issue.record("The box was opened.")
            } catch {
                #expect(error.code == code)
            }
        }
    }

    @Test
    func `A stored answer in memory is removed after its lifetime`() throws {
        let requests = IdempotentRequests()
        let request = try #require(
            SealedAnswerRequest(key: [1], fingerprint: [1], idempotencyKey: "k", apiKey: SecretBytes([1]))
        )
        requests.keepAnswerBox([1, 2], to: request, of: "a", for: 60)
        #expect(requests.findAnswerBox(of: request) == [1, 2])
        requests.keepAnswerBox([3], to: request, of: "a", for: 0)
        #expect(requests.findAnswerBox(of: request) == nil)
    }

    @Test
    func `The stored answers of one API key take at most half of the permitted files`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let requests = StoreRequestAnswers(path: folder.path + "/requests")
        try FileManager.default.createDirectory(atPath: requests.path, withIntermediateDirectories: true)
        for number in 0..<StoreRequestAnswers.maxAnswersPerKey {
            let kept: JSONValue = ["store": "", "owner": "a", "until": 9_999_999_999, "box": "AA"]
            try Data(kept.encodeText()).write(to: URL(filePath: requests.path + "/\(number)"))
        }
        let request = try #require(
            SealedAnswerRequest(key: [1], fingerprint: [1], idempotencyKey: "k", apiKey: SecretBytes([1]))
        )
        let problem = #expect(throws: ProblemDetails.self) { try requests.findAnswerBox(of: request, for: "a") }
        #expect(problem?.code == .tooManyRequests)
        #expect(try requests.findAnswerBox(of: request, for: "b") == nil)
        try requests.keepAnswer([1], to: request, of: "", for: "b")
        // A repeated request gets its stored answer, even at the limit of stored answers.
        #expect(try requests.findAnswerBox(of: request, for: "a") != nil)
    }

    @Test
    func `The stored answers of one API key take at most half of the memory for answers`() throws {
        let requests = IdempotentRequests()
        func keep(_ number: UInt8, of owner: String, for seconds: Int64) throws {
            let request = try #require(
                SealedAnswerRequest(key: [number], fingerprint: [1], idempotencyKey: "k", apiKey: SecretBytes([1]))
            )
            requests.keepAnswerBox([UInt8](repeating: 0, count: 4 << 20), to: request, of: owner, for: seconds)
        }
        try keep(1, of: "a", for: 60)
        #expect(requests.hasRoomForAnswer("a"))
        try keep(2, of: "a", for: 60)
        #expect(!requests.hasRoomForAnswer("a") && requests.hasRoomForAnswer("b"))
        try keep(2, of: "a", for: 0)
        #expect(requests.hasRoomForAnswer("a"))
        for number: UInt8 in [3, 4, 5] { try keep(number, of: "b", for: 60) }
        #expect(!requests.hasRoomForAnswer("b") && !requests.hasRoomForAnswer("c"))
    }
}
