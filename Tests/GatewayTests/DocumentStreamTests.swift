import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Changes of several state documents on one stream", .socketTimeLimit)
struct DocumentStreamTests {
    @Test(arguments: ["lines", "events", "socket"])
    func `A client that applies the changes of two state documents from one stream has the server's documents`(
        _ form: String
    ) async throws {
        try await RealGateway.run { gateway in
            let documents = try await DocumentClient(gateway)
            var followed = try await documents.startFollowing()
            let next: () async throws -> JSONValue
            if form == "socket" {
                let socket = try await WebSocketClient.open(
                    gateway.connectClient(),
                    makeTarget(followed, documents.paths, "/v1/changes/ws")
                )
                next = { try await socket.receiveJSON() }
            } else {
                let stream = try await EntryStream(
                    gateway.connectClient(),
                    makeTarget(followed, documents.paths),
                    lines: form == "lines"
                )
                next = { try await stream.readEntry() }
            }
            for index in 0..<4 { try await documents.changeBoth("note \(index)") }
            try await followed.catchUp(documents, next)
            #expect(followed.otherEvents == ["followed", "followed"])
        }
    }

    @Test
    func `A browser that connects again with the id of the last event gets every change exactly once`() async throws {
        try await RealGateway.run { gateway in
            let documents = try await DocumentClient(gateway)
            var followed = try await documents.startFollowing()
            let target = makeTarget(followed, documents.paths)
            let lost = try await gateway.connectClient()
            let stream = try await EntryStream(lost, target)
            try await documents.changeBoth("before")
            try await followed.catchUp(documents) { try await stream.readEntry() }
            #expect(stream.lastEventID == documents.paths.compactMap { followed.cursors[$0] }.joined(separator: ","))
            await lost.connection.close()
            for index in 0..<3 { try await documents.changeBoth("meanwhile \(index)") }
            let again = try await EntryStream(gateway.connectClient(), target, after: stream.lastEventID)
            try await documents.changeBoth("after")
            try await followed.catchUp(documents) { try await again.readEntry() }
        }
    }

    @Test
    func `A stream refuses a state document that is unknown or forbidden to the key, and sends the other documents`()
        async throws
    {
        try await RealGateway.run { gateway in
            let documents = try await DocumentClient(gateway)
            let bob = try await documents.client.createUser("bob")
            let key = try KeyFile(folder: gateway.folder).addKey(
                name: "alice",
                scopes: [.read, .events],
                userId: documents.userID
            ).key
            let own = try await HTTPClient.connect(port: gateway.port, key: key.text)
            try await own.waitForStatus(200, at: documents.modelPath)
            let foreign = "/v1/users/\(bob)/model"
            let hostile = [
                "/", "//", "/v1", "/v1/events", "/v1/changes", "/v1/users", "/v1/users/0/model", "/v1/users/x/model",
                "/v1/users/\(bob)/model/changes", "/v1/users/%2e%2e/model", "/%zz", "/v1/users/%00/model",
                "/v1/remote-hosts/1/users/1/model", "/a\nid: b\n\nevent: c\ndata: {}", "/\"\\\u{2028}",
            ]
            let unknown = "/v1/users/\(documents.userID)/sessions/none"
            var followed = try await documents.startFollowing()
            let names = [documents.modelPath, foreign, unknown] + hostile
            let cursors = [try #require(followed.cursors[documents.modelPath])] + names.dropFirst().map { _ in "a-1" }
            let stream = try await EntryStream(own, makeTarget(names, cursors))
            var problems: [String: JSONValue] = [:]
            while problems.count < names.count - 1 {
                let entry = try await stream.readEntry()
                guard entry["event"]?["type"] == "ended" else {
                    #expect(entry["document"] == .string(documents.modelPath))
                    continue
                }
                #expect(stream.lastEventName == "ended")
                problems[try #require(entry["document"]?.stringValue)] = entry["event"]?["problem"]
            }
            #expect(Set(problems.keys) == Set(names.dropFirst()))
            #expect(problems[foreign]?["status"] == 403 && problems[unknown]?["status"] == 404)
            for name in hostile {
                #expect([400, 403, 404].contains(problems[name]?["status"]), "\(name): \(problems[name] ?? .null)")
            }
            // The key is also refused at the route of the document itself.
            let other = try await HTTPClient.connect(port: gateway.port, key: key.text)
            #expect(try await other.call("GET", foreign).status == 403)
            try await documents.changeBoth("still followed")
            let goal = try await documents.readCursor(documents.modelPath)
            while followed.cursors[documents.modelPath] != goal {
                try followed.applyEntry(try await stream.readEntry())
            }
            #expect(stream.lastEventID == ([goal] + cursors.dropFirst()).joined(separator: ","))
        }
    }

    @Test
    func `An expired cursor or a deleted session ends only one document of a stream, and other documents continue`()
        async throws
    {
        try await RealGateway.run { gateway in
            let documents = try await DocumentClient(gateway)
            let (model, session) = (
                try await documents.readCursor(documents.modelPath),
                try await documents.readCursor(documents.sessionPath)
            )
            let stream = try await EntryStream(
                gateway.connectClient(),
                makeTarget(documents.paths, ["deadbeef-5", session])
            )
            let socket = try await WebSocketClient.open(
                gateway.connectClient(),
                makeTarget(documents.paths, [model, session], "/v1/changes/ws")
            )
            var entries: [JSONValue] = []
            while entries.count < 2 { entries.append(try await stream.readEntry()) }
            let late = try #require(entries.first { $0["document"] == .string(documents.modelPath) })
            #expect(late["event"]?["problem"]?["code"] == "cursorExpired")
            #expect(late["event"]?["problem"]?["oldest"]?.stringValue != nil)
            for _ in 0..<2 { #expect(try await socket.receiveJSON()["event"]?["type"] == "followed") }
            #expect(try await documents.client.call("DELETE", documents.sessionPath).status == 204)
            for entry in [try await stream.readEntry(), try await socket.receiveJSON()] {
                #expect(entry["document"] == .string(documents.sessionPath))
                #expect(entry["event"]?["type"] == "ended")
                #expect(entry["event"]?["problem"]?["status"] == 410)
            }
            _ = try await documents.client.put("/v1/users/\(documents.userID)/model/drafts/local/1", ["message": "on"])
            let entry = try await socket.receiveJSON()
            #expect(entry["document"] == .string(documents.modelPath) && entry["event"]?["type"] == "modelPatch")
        }
    }

    @Test
    func `A client can add state documents to an open WebSocket, and remove documents from the WebSocket`() async throws
    {
        try await RealGateway.run { gateway in
            let documents = try await DocumentClient(gateway)
            let start = try await documents.startFollowing()
            func follow(_ name: String) -> String {
                let message: JSONValue = ["follow": .string(name), "cursor": .string(start.cursors[name] ?? "")]
                return message.text
            }
            let socket = try await WebSocketClient.open(gateway.connectClient(), "/v1/changes/ws")
            try await socket.send(follow(documents.modelPath))
            let first = try await socket.receiveJSON()
            #expect(first["event"] == ["type": "followed"])
            #expect(first["id"]?.stringValue == start.cursors[documents.modelPath])
            try await documents.changeBoth("one")
            #expect(try await socket.receiveJSON()["event"]?["type"] == "modelPatch")
            let gone: JSONValue = ["unfollow": .string(documents.modelPath)]
            try await socket.send(gone.text)
            try await socket.send(follow(documents.sessionPath))
            var entry = try await socket.receiveJSON()
            while entry["document"] != .string(documents.sessionPath) { entry = try await socket.receiveJSON() }
            #expect(entry["event"]?["type"] == "followed")
            // The client no longer follows the model, so it gets only changes of the session.
            try await documents.changeBoth("two")
            let end = try await documents.readCursor(documents.sessionPath)
            while entry["id"]?.stringValue != end {
                entry = try await socket.receiveJSON()
                #expect(entry["document"] == .string(documents.sessionPath))
            }
            // A document can be followed again from an earlier cursor.
            var again = start
            try await socket.send(follow(documents.modelPath))
            let goal = try await documents.readCursor(documents.modelPath)
            while again.cursors[documents.modelPath] != goal {
                let entry = try await socket.receiveJSON()
                if entry["document"] == .string(documents.modelPath) { try again.applyEntry(entry) }
            }
            let content = try await documents.client.call("GET", documents.modelPath).json["model"]
            #expect(again.contents[documents.modelPath]?.withSortedMembers == content?.withSortedMembers)
        }
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"follow":"/v1/users/1/model"}"#, #"{"follow":1,"cursor":"a-1"}"#,
        #"{"follow":"/v1/users/1/model","cursor":"a,b"}"#, #"{"follow":"model","cursor":"a-1"}"#,
        #"{"unfollow":"/a","cursor":"a-1"}"#, #"{"corrId":"1","cmd":"/users"}"#,
    ])
    func `A WebSocket for changes of state documents is closed by a message that is not a valid command`(
        _ message: String
    ) async throws {
        try await RealGateway.run { gateway in
            let socket = try await WebSocketClient.open(gateway.connectClient(), "/v1/changes/ws")
            try await socket.send(message)
            #expect(try await socket.receiveCloseCode() == 1008)
        }
    }

    @Test
    func `A stream refuses a document above the maximal number of documents of one stream`() async throws {
        try await RealGateway.run(serving: { $0.maxDocumentsPerStream = 2 }) { gateway in
            let documents = try await DocumentClient(gateway)
            let start = try await documents.startFollowing()
            let third = documents.modelPath + "x"
            let many = makeTarget(documents.paths + [third], ["a-1", "a-1", "a-1"])
            #expect(try await documents.client.call("GET", many).status == 400)
            let socket = try await WebSocketClient.open(
                gateway.connectClient(),
                makeTarget(start, documents.paths, "/v1/changes/ws")
            )
            for _ in 0..<2 { #expect(try await socket.receiveJSON()["event"]?["type"] == "followed") }
            let follow: JSONValue = ["follow": .string(third), "cursor": "a-1"]
            try await socket.send(follow.text)
            let entry = try await socket.receiveJSON()
            #expect(entry["document"] == .string(third) && entry["event"]?["problem"]?["status"] == 409)
            let unfollow: JSONValue = ["unfollow": .string(documents.sessionPath)]
            try await socket.send(unfollow.text)
            try await socket.send(follow.text)
            #expect(try await socket.receiveJSON()["event"]?["problem"]?["status"] == 404)
        }
    }

    @Test
    func `A request for a stream with an invalid list of documents or cursors is refused`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let long = "/" + String(repeating: "a", count: 256)
            for query in [
                "", "?documents=", "?documents=/a", "?documents=/a&cursor=a-1,a-2", "?documents=/a,/a&cursor=a-1,a-1",
                "?documents=a&cursor=a-1", "?documents=/a,&cursor=a-1,a-1", "?documents=\(long)&cursor=a-1",
                "?documents=/a&cursor=\(long.dropFirst())", "?documents=/a&cursor=%0A", "?cursor=a-1",
                "?documents=/a&cursor=a-1&types=callEnded",
            ] {
                #expect(try await client.call("GET", "/v1/changes" + query).status == 400, "\(query)")
            }
            let events = [("Accept", "text/event-stream"), ("Last-Event-ID", "a-1,a-2")]
            #expect(
                try await client.call("GET", "/v1/changes?documents=/a&cursor=a-1", headers: events).status == 400
            )
            #expect(try await client.call("GET", "/v1/changes/ws").status == 426)
            #expect(try await HTTPClient.connect(port: gateway.port).call("GET", "/v1/changes").status == 401)
        }
    }

    @Test
    func `A web page follows several state documents with one ticket until the key of the ticket is revoked`()
        async throws
    {
        try await RealGateway.run { gateway in
            let documents = try await DocumentClient(gateway)
            let (key, record) = try KeyFile(folder: gateway.folder).addKey(name: "page", scopes: [.read, .events])
            let own = try await HTTPClient.connect(port: gateway.port, key: key.text)
            try await own.waitForStatus(200, at: documents.modelPath)
            func ticket(_ path: String) async throws -> String {
                let answer = try await own.post("/v1/events/tickets", ["path": .string(path)]).json
                return try #require(answer["ticket"]?.stringValue)
            }
            let followed = try await documents.startFollowing()
            let page = { () async throws -> HTTPClient in try await .connect(port: gateway.port) }
            let opened = try await makeTarget(followed, documents.paths) + "&ticket=" + ticket("/v1/changes")
            let former = try await page()
            let stream = try await EntryStream(former, opened)
            for _ in 0..<2 { #expect(try await stream.readEntry()["event"]?["type"] == "followed") }
            // The page connects again with the same ticket, so its former stream ends.
            let again = try await EntryStream(page(), opened)
            while try await former.receiveChunk() != nil {}
            let socket = try await WebSocketClient.open(
                page(),
                makeTarget(followed, documents.paths, "/v1/changes/ws") + "&ticket=" + ticket("/v1/changes/ws")
            )
            for _ in 0..<2 {
                #expect(try await again.readEntry()["event"]?["type"] == "followed")
                #expect(try await socket.receiveJSON()["event"]?["type"] == "followed")
            }
            #expect(try await documents.client.call("DELETE", "/v1/keys/\(record.id)").status == 204)
            #expect(try await again.readEntry() == ["event": ["type": "keyEnded"]])
            #expect(again.lastEventName == "keyEnded")
            #expect(try await socket.receiveJSON() == ["event": ["type": "keyEnded"]])
            #expect(try await socket.receiveClose() == ["4401", "keyEnded"])
        }
    }

    @Test
    func `A client that stops reading a stream gets 'cursorExpired' for its document, and delays no other client`()
        async throws
    {
        let long = String(repeating: "draft ", count: 30_000)
        try await RealGateway.run { gateway in
            let documents = try await DocumentClient(gateway)
            var quick = try await ModelFollower(documents.client, documents.modelPath)
            let slow = try await gateway.connectClient()
            try await slow.send(
                "GET",
                makeTarget([documents.modelPath], [quick.cursor]),
                headers: [("Accept", "application/x-ndjson")]
            )
            #expect(try await slow.receiveHead().status == 200)
            try await slow.connection.pauseReading()
            let count = 120
            for index in 0..<count {
                let body: JSONValue = ["message": .string("\(index) \(long)")]
                _ = try await documents.client.put("/v1/users/\(documents.userID)/model/drafts/local/1", body)
                if index % 2 == 0 { try await quick.advance() }
            }
            try await quick.advance { $0["drafts"]?["*1"]?["message"]?.stringValue?.hasPrefix("\(count - 1) ") == true }
            try await slow.connection.resumeReading()
            let received = try await slow.connection.receive { buffer, _ -> Int? in
                let end = String(decoding: buffer.suffix(4_000), as: UTF8.self)
                return end.contains("\"code\":\"cursorExpired\"") ? buffer.count : nil
            }
            #expect(received < count * long.utf8.count / 2)
        }
    }

    @Test
    func `A slow reader of many documents gets every change of each document in order`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let services = try GatewayServices.makeInMemory(folder)
        let (count, changes, size) = (services.configuration.maxDocumentsPerStream, 12, 50_000)
        let hubs = (0..<count).map { _ in
            let journal = MemoryJournal()
            let text = String(repeating: "x", count: size)
            for change in 1...changes {
                journal.publish(events: [#"{"type":"modelPatch","n":\#(change),"x":"\#(text)"}"#])
            }
            return EventHub(source: journal)
        }
        let context = RouteContext(
            request: HTTPRequest(method: "GET", path: "/v1/changes"),
            route: try #require(RouteTable.all.first { $0.operationID == "followDocuments" }),
            parameters: [:],
            principal: nil,
            services: services
        )
        let output = HTTPStream(capacity: DocumentStream.maxWaitingBytes)
        let stream = DocumentStream(context, .http(HTTPEventSink(stream: output, outputForm: .lines, epoch: "test"))) {
            name async throws(ProblemDetails) in
            guard let number = Int(name.dropFirst()), hubs.indices.contains(number) else {
                throw ProblemDetails(.notFound, "There is no such document.")
            }
            return hubs[number]
        }
        output.setHandlers(drain: { stream.resumeSending() }, close: { stream.close() })
        #expect(
            stream.start(with: try (0..<count).map { try #require(FollowedDocument(name: "/\($0)", cursor: "test-0")) })
        )
        var (text, seen, most) = ([UInt8](), [String: [Int64]](), 0)
        let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: 1 << 16)
        defer { buffer.deallocate() }
        while seen.values.reduce(0, { $0 + $1.count }) < count * changes {
            try await waitUntil("the stream has output") { output.waitingBytes > 0 }
            most = max(most, output.waitingBytes)
            let read = output.read(into: buffer, capacity: 1 << 16)
            guard read > 0 else { continue }
            text += UnsafeRawBufferPointer(start: buffer, count: read)
            while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(text[..<end])
                text.removeSubrange(...end)
                // An empty line is the heartbeat of a stream that was silent for a long time.
                guard !line.isEmpty else { continue }
                let entry = try JSONValue(parsing: line)
                guard let name = entry["document"]?.stringValue, let number = entry["event"]?["n"]?.integerValue else {
                    #expect(entry["event"]?["type"] == "followed")
                    continue
                }
                seen[name, default: []].append(number)
            }
        }
        // The bytes may exceed the limit by one change, and by the short first entry of each document.
        #expect(most <= DocumentStream.maxWaitingBytes + size + count * 512, "\(most)")
        #expect(seen.count == count && seen.values.allSatisfy { $0 == (1...Int64(changes)).map(\.self) })
        output.didDisconnect()
    }
}
