import ChatCore
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Answers that clients do not read", .socketTimeLimit)
struct UnreadAnswersTests {
    @Test
    func `A client may use at most half of the memory for unread answers, and always at least a sixteenth`() {
        let answers = UnreadAnswers(limit: 1600)
        let first = answers.countBytes(799, of: "first")
        #expect(!answers.isFull("first"))
        let more = answers.countBytes(1, of: "first")
        #expect(answers.isFull("first") && !answers.isFull("second"))
        let second = answers.countBytes(800, of: "second")
        #expect(answers.countedBytes == 1600)
        #expect(!answers.isFull("third"))
        let third = answers.countBytes(100, of: "third")
        #expect(answers.isFull("third") && !answers.isFull("fourth"))
        withExtendedLifetime((first, more, second, third)) {}
    }

    @Test
    func `A client may run half of all permitted uploads, and the last quarter is kept for clients without uploads`() {
        let uploads = UploadLimit(8)
        #expect((0..<6).map { _ in uploads.beginUpload("first") } == [true, true, true, true, false, false])
        #expect((0..<3).map { _ in uploads.beginUpload("second") } == [true, true, false])
        #expect(
            uploads.beginUpload("third") && !uploads.beginUpload("third") && uploads.beginUpload("fourth")
                && !uploads.beginUpload("fifth")
        )
        uploads.endUpload("first")
        #expect(!uploads.beginUpload("first") && uploads.beginUpload("fifth"))
    }

    @Test
    func `An upload that is moved from one client to a second counts only for the second, unless the move is refused`()
    {
        let uploads = UploadLimit(4)
        #expect(uploads.beginUpload("") && uploads.beginUpload("first") && uploads.beginUpload("first"))
        #expect(!uploads.moveUpload(from: "", to: "first"))
        #expect(uploads.moveUpload(from: "", to: "second"))
        #expect(uploads.beginUpload("") && !uploads.beginUpload("third"))
        uploads.endUpload("second")
        #expect(uploads.beginUpload("third"))
    }

    @Test
    func `An answer counts toward its client's memory limit until the answer is released`() {
        let answers = UnreadAnswers(limit: 100)
        do {
            let share = answers.countBytes(100, of: "one")
            withExtendedLifetime(share) { #expect(answers.isFull("one")) }
        }
        #expect(answers.countedBytes == 0 && !answers.isFull("one"))
    }

    @Test
    func `The requests of a client with too many unread answers are refused without effect`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let other = try KeyFile(folder: gateway.folder).addKey(name: "other", scopes: [.read, .write, .events])
            let socket = try await WebSocketClient.open(
                .connect(port: gateway.port, key: other.key.text),
                "/v1/events/ws?cursor=now"
            )
            let answers = gateway.server.unreadAnswers
            do {
                let share = answers.countBytes(answers.maxClientBytes, of: other.record.id)
                let refused = try await HTTPClient.connect(port: gateway.port, key: other.key.text).post(
                    "/v1/users",
                    ["profile": ["displayName": "bob", "fullName": ""]]
                )
                #expect(refused.status == 429)
                #expect(refused.header("retry-after") == "1")
                try await socket.send(#"{"corrId":"1","cmd":"/create user carol"}"#)
                let answer = try await socket.receiveJSON()
                #expect(answer["corrId"] == "1" && answer["resp"]?["type"] == "chatCmdError")
                let users = try await client.call("GET", "/v1/users").json["users"]?.arrayValue
                #expect(users?.count == 1)
                withExtendedLifetime(share) {}
            }
            try await socket.send(#"{"corrId":"2","cmd":"/create user carol"}"#)
            #expect(try await socket.receiveJSON()["resp"]?["type"] == "activeUser")
        }
    }

    @Test
    func `An incomplete large request counts toward its client's memory limit`() async throws {
        try await RealGateway.run { gateway in
            let (answers, client) = (gateway.server.unreadAnswers, try await gateway.connectClient())
            let key = try KeyFile(folder: gateway.folder).addKey(
                name: "other",
                scopes: [.read, .write, .events, .admin]
            )
            let body =
                Array(#"{"profile":{"displayName":"bob","fullName":""}}"#.utf8) + [UInt8](repeating: 32, count: 500_000)
            func begin() async throws -> HTTPClient {
                let sender = try await HTTPClient.connect(port: gateway.port, key: key.key.text)
                let head =
                    "POST /v1/users HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(key.key.text)\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
                try await sender.connection.send(Array(head.utf8) + body.prefix(300_000))
                return sender
            }
            let (whole, refused) = (try await begin(), try await begin())
            try await waitUntil("both requests are counted") { answers.countedBytes >= 2 * 200_000 }
            try await whole.connection.send(Array(body.dropFirst(300_000)))
            #expect(try await whole.receiveAnswer().status == 201)
            try await waitUntil("one request is counted") { (200_000...300_000).contains(answers.countedBytes) }
            do {
                let share = answers.countBytes(answers.maxClientBytes, of: key.record.id)
                try await refused.connection.send(Array(body.dropFirst(300_000)))
                #expect(try await refused.receiveAnswer().status == 429)
                withExtendedLifetime(share) {}
            }
            try await waitUntil("no request is counted") { answers.countedBytes == 0 }
            let socket = try await WebSocketClient.open(
                .connect(port: gateway.port, key: key.key.text),
                "/v1/events/ws?cursor=now"
            )
            try await socket.http.connection.send(
                Array(WebSocketClient.makeFrame(1, [UInt8](repeating: 32, count: 1_000_000)).dropLast(10))
            )
            try await waitUntil("the frame is counted") { answers.countedBytes == 1_000_000 }
            await socket.http.connection.close()
            try await waitUntil("the frame is no longer counted") { answers.countedBytes == 0 }
            #expect(try await client.call("GET", "/v1/users").status == 200)
        }
    }

    /// Creates notes of 15 KB each.
    private func createNotes(_ notes: Int, _ client: HTTPClient, user: Int64) async throws -> Int64 {
        let chats = try await client.call("GET", "/v1/users/\(user)/chats").json["chats"]?.arrayValue ?? []
        let folders = chats.compactMap { $0["chatInfo"]?["noteFolder"]?["noteFolderId"]?.integerValue }
        let folder = try #require(folders.first)
        let note: JSONValue = [
            "msgContent": ["type": "text", "text": .string(String(repeating: "a", count: 15_000))], "mentions": [:],
        ]
        for _ in 0..<notes / 50 {
            let body: JSONValue = ["composedMessages": .array(Array(repeating: note, count: 50))]
            let answer = try await client.post("/v1/users/\(user)/chats/local/\(folder)/messages", body)
            #expect(answer.status == 201)
        }
        return folder
    }

    @Test
    func `A slow WebSocket client gets all answers, and at most three are in memory at a time`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let folder = try await createNotes(100, client, user: client.createUser("alice"))
            let socket = try await WebSocketClient.open(gateway.connectClient(), "/v1/events/ws?cursor=now")
            for id in 0..<24 {
                try await socket.send(#"{"corrId":"\#(id)","cmd":"/_get chat *\#(folder) count=1000"}"#)
            }
            var ids: Set<String> = []
            for _ in 0..<24 {
                let answer = try await socket.receiveText()
                #expect(answer.count > 1_500_000)
                #expect(gateway.server.unreadAnswers.countedBytes <= 3 * answer.count)
                ids.insert(try JSONValue(parsing: answer)["corrId"]?.stringValue ?? "")
            }
            #expect(ids.count == 24)
            try await waitUntil("no answer waits") { gateway.server.unreadAnswers.countedBytes == 0 }
        }
    }

    @Test
    func `An unread answer over HTTP counts toward the memory limit until its connection ends`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let user = try await client.createUser("alice")
            _ = try await createNotes(400, client, user: user)
            // The answer to this request is made for one client, and is not shared with others.
            let unread = try await RawConnection.open(port: gateway.port)
            try await unread.pauseReading()
            try await unread.send(
                "GET /v1/users/\(user)/messages?limit=1000 HTTP/1.1\r\nHost: 127.0.0.1:\(gateway.port)\r\nAuthorization: Bearer \(gateway.key)\r\n\r\n"
            )
            try await waitUntil("the answer is counted") { gateway.server.unreadAnswers.countedBytes > 6_000_000 }
            await unread.close()
            try await waitUntil("the answer is no longer counted") { gateway.server.unreadAnswers.countedBytes == 0 }
        }
    }

    @Test(arguments: ["/_get chat *1 count=1002", "/_get items count=1002", "/_get chat *1 initial=1002"])
    func `A command over a WebSocket that requests more than 1,001 items is refused`(text: String) async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let socket = try await WebSocketClient.open(gateway.connectClient(), "/v1/events/ws?cursor=now")
            let answer = try await socket.receiveAnswers(to: [text])[0]
            #expect(answer.text.contains("count may be at most 1001"))
        }
    }
}
