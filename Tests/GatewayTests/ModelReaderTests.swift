import Foundation
import Gateway
import JSON
import TestSupport
import Testing

@Suite("Readers of a state", .socketTimeLimit)
struct ModelReaderTests {
    private struct Entry {
        let id: String
        let patch: JSONValue
    }

    private func parseEntry(_ json: JSONValue) throws -> Entry {
        Entry(id: try #require(json["id"]?.stringValue), patch: try #require(json["event"]?["patch"]))
    }

    private func readLines(_ gateway: RealGateway, _ target: String, until last: String) async throws -> [Entry] {
        let client = try await gateway.connectClient()
        try await client.send("GET", target, headers: [("Accept", "application/x-ndjson")])
        #expect(try await client.receiveHead().status == 200)
        var (entries, buffer): ([Entry], [UInt8]) = ([], [])
        while entries.last?.id != last {
            buffer += try #require(try await client.receiveChunk())
            while let end = buffer.firstIndex(of: 10) {
                if end > 0 { entries.append(try parseEntry(JSONValue(parsing: Array(buffer[..<end])))) }
                buffer.removeSubrange(...end)
            }
        }
        return entries
    }

    private func readServerSentEvents(
        _ gateway: RealGateway,
        _ target: String,
        after id: String? = nil,
        until last: String
    ) async throws -> [Entry] {
        let client = try await gateway.connectClient()
        try await client.send(
            "GET",
            target,
            headers: [("Accept", "text/event-stream")] + (id.map { [("Last-Event-ID", $0)] } ?? [])
        )
        #expect(try await client.receiveHead().status == 200)
        var text = ""
        while !text.contains("id: \(last)\n") || !text.hasSuffix("\n\n") {
            text += String(decoding: try #require(try await client.receiveChunk()), as: UTF8.self)
        }
        return try text.split(separator: "\n\n").filter { $0.hasPrefix("id: ") }.map { event in
            let parts = event.split(separator: "\n")
            #expect(parts.count == 2)
            let entry = try parseEntry(JSONValue(parsing: Array(parts[1].dropFirst("data: ".count).utf8)))
            #expect(parts[0] == "id: \(entry.id)")
            return entry
        }
    }

    private func readSocket(_ gateway: RealGateway, _ target: String, until last: String) async throws -> [Entry] {
        let socket = try await WebSocketClient.open(gateway.connectClient(), target)
        var entries: [Entry] = []
        while entries.last?.id != last { entries.append(try parseEntry(try await socket.receiveJSON())) }
        return entries
    }

    private func readPages(
        _ client: HTTPClient,
        _ target: String,
        after start: String,
        until last: String
    ) async throws -> [Entry] {
        var (entries, cursor): ([Entry], String) = ([], start)
        while cursor != last {
            let page = try await client.call("GET", "\(target)?cursor=\(cursor)&limit=3&timeout=5").json
            entries += try (page["events"]?.arrayValue ?? []).map(parseEntry)
            cursor = try #require(page["cursor"]?.stringValue)
        }
        return entries
    }

    @Test(arguments: [true, false])
    func `Every transport sends the same patches after a cursor, and the patches produce the server's state`(
        ofSession: Bool
    ) async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            let session = try #require(try await client.call("POST", "/v1/users/\(alice)/sessions").header("location"))
            _ = try await client.put(session + "/chat", ["chatType": "local", "chatId": 1])
            let (path, member) = ofSession ? (session, "session") : ("/v1/users/\(alice)/model", "model")
            let start = try await client.call("GET", path).json
            let first = try #require(start["id"]?.stringValue)
            for index in 0..<6 {
                _ = try await client.post("/v1/users/\(alice)/chats/local/1/messages", textMessage("note \(index)"))
                _ = try await client.put(
                    "/v1/users/\(alice)/model/drafts/local/1",
                    ["message": .string("draft \(index)")]
                )
                // This request publishes the patch, so that each round has its own patch.
                _ = try await client.call("GET", path)
            }
            let end = try await client.call("GET", path).json
            let last = try #require(end["id"]?.stringValue)
            let told = [
                try await readPages(client, path + "/changes", after: first, until: last),
                try await readLines(gateway, "\(path)/changes?cursor=\(first)", until: last),
                try await readServerSentEvents(gateway, "\(path)/changes?cursor=\(first)", until: last),
                try await readServerSentEvents(gateway, "\(path)/changes", after: first, until: last),
                try await readSocket(gateway, "\(path)/changes/ws?cursor=\(first)", until: last),
            ]
            #expect(told[0].count >= 6)
            for entries in told {
                #expect(entries.map(\.id) == told[0].map(\.id))
                var document = try #require(start[member])
                for entry in entries { document = try document.applying(JSONPatch(entry.patch)) }
                #expect(document.withSortedMembers == end[member]?.withSortedMembers)
            }
            // With a cursor in the middle of the list, only the later entries are sent.
            let middle = told[0][2].id
            let rest = Array(told[0].map(\.id).dropFirst(3))
            #expect(
                try await readServerSentEvents(gateway, "\(path)/changes?cursor=\(first)", after: middle, until: last)
                    .map(\.id)
                    == rest
            )
            #expect(try await readSocket(gateway, "\(path)/changes/ws?cursor=\(middle)", until: last).map(\.id) == rest)
        }
    }

    @Test
    func `Rapid changes of a profile's state are combined into at most five patches per second`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            var follower = try await ModelFollower(client, "/v1/users/\(alice)/model")
            let begin = ContinuousClock.now
            for index in 0..<60 {
                _ = try await client.post("/v1/users/\(alice)/chats/local/1/messages", textMessage("note \(index)"))
            }
            try await follower.advance { $0["chats"]?[0]?["chatItems"]?[0]?["meta"]?["itemText"] == "note 59" }
            let elapsed = (ContinuousClock.now - begin) / .milliseconds(200)
            #expect(
                follower.patchCount > 0 && Double(follower.patchCount) <= elapsed + 2,
                "\(follower.patchCount) in \(elapsed) fifths of a second"
            )
        }
    }

    /// Drafts so long that a few of them exceed the system's buffers for a connection.
    private static let longText = String(repeating: "draft ", count: 30_000)

    @Test(arguments: ["lines", "events", "socket"])
    func `A client that stops reading gets a gap instead of missed patches, and does not delay other clients`(
        _ form: String
    ) async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            var quick = try await ModelFollower(client, "/v1/users/\(alice)/model")
            let (slow, target) = (try await gateway.connectClient(), "/v1/users/\(alice)/model/changes")
            switch form {
            case "socket": _ = try await WebSocketClient.open(slow, "\(target)/ws?cursor=\(quick.cursor)")
            default:
                try await slow.send(
                    "GET",
                    "\(target)?cursor=\(quick.cursor)",
                    headers: [("Accept", form == "lines" ? "application/x-ndjson" : "text/event-stream")]
                )
                #expect(try await slow.receiveHead().status == 200)
            }
            try await slow.connection.pauseReading()
            let count = 120
            for index in 0..<count {
                let body: JSONValue = ["message": .string("\(index) \(Self.longText)")]
                _ = try await client.put("/v1/users/\(alice)/model/drafts/local/1", body)
                if index % 2 == 0 { try await quick.advance() }
            }
            try await quick.advance { $0["drafts"]?["*1"]?["message"]?.stringValue?.hasPrefix("\(count - 1) ") == true }
            try await slow.connection.resumeReading()
            let (received, text) = try await slow.connection.receive { buffer, _ -> (Int, String)? in
                let newest = Data(buffer.suffix(2 * Self.longText.utf8.count))
                guard newest.range(of: Data("\"\(count - 1) draft".utf8)) != nil else { return nil }
                return (buffer.count, String(decoding: buffer, as: UTF8.self))
            }
            #expect(text.contains("\"type\":\"gap\""))
            #expect(received < count * Self.longText.utf8.count / 2)
        }
    }
}
