import JSON
import OutgoingHTTP
import Testing

@testable import Gateway

/// The client's side: the documents that it follows, and the entries that it reads.
extension DocumentStreamTests {
    /// A profile, and the open session of a client in it.
    struct DocumentClient {
        let client: HTTPClient
        let userID: Int64
        let modelPath: String
        let sessionPath: String
        var paths: [String] { [modelPath, sessionPath] }

        init(_ gateway: RealGateway) async throws {
            client = try await gateway.connectClient()
            userID = try await client.createUser("alice")
            modelPath = "/v1/users/\(userID)/model"
            sessionPath = try #require(try await client.call("POST", "/v1/users/\(userID)/sessions").header("location"))
            _ = try await client.put(sessionPath + "/chat", ["chatType": "local", "chatId": 1])
        }

        /// Makes a change in both documents, which is published before the next request.
        func changeBoth(_ text: String) async throws {
            _ = try await client.post("/v1/users/\(userID)/chats/local/1/messages", textMessage(text))
            for name in paths { _ = try await client.call("GET", name) }
        }

        func startFollowing() async throws -> FollowedDocuments {
            var followed = FollowedDocuments()
            for name in paths { try await followed.readDocument(name, client) }
            return followed
        }

        func readCursor(_ name: String) async throws -> String {
            try #require(try await client.call("GET", name).json["id"]?.stringValue)
        }
    }

    /// The documents as a client has them.
    struct FollowedDocuments {
        var contents: [String: JSONValue] = [:]
        var cursors: [String: String] = [:]
        /// The types of the entries, except patches.
        var otherEvents: [String] = []

        mutating func readDocument(_ name: String, _ client: HTTPClient) async throws {
            let answer = try await client.call("GET", name).json
            contents[name] = answer[name.hasSuffix("/model") ? "model" : "session"]
            cursors[name] = answer["id"]?.stringValue
        }

        mutating func applyEntry(_ entry: JSONValue) throws {
            let name = try #require(entry["document"]?.stringValue)
            guard entry["event"]?["type"] == "modelPatch" else {
                otherEvents.append(entry["event"]?["type"]?.stringValue ?? "")
                return
            }
            let content = try #require(contents[name])
            contents[name] = try content.applying(JSONPatch(try #require(entry["event"]?["patch"])))
            cursors[name] = entry["id"]?.stringValue
        }

        /// Reads the present documents of the server, and takes entries until the cursors are the same. Expects that
        /// the contents are then the same too.
        mutating func catchUp(_ documents: DocumentClient, _ next: () async throws -> JSONValue) async throws {
            var goal = FollowedDocuments()
            for name in documents.paths { try await goal.readDocument(name, documents.client) }
            while cursors != goal.cursors { try applyEntry(try await next()) }
            for (name, content) in contents {
                #expect(content.withSortedMembers == goal.contents[name]?.withSortedMembers)
            }
        }
    }

    /// A stream over HTTP.
    final class EntryStream {
        private let client: HTTPClient
        private let separator: String
        private var text = ""
        /// The last id of a Server-Sent Event.
        private(set) var lastEventID: String?
        /// The name of the last Server-Sent Event; nil for a change.
        private(set) var lastEventName: String?

        init(
            _ client: HTTPClient,
            _ target: String,
            lines: Bool = false,
            after id: String? = nil
        ) async throws {
            self.client = client
            separator = lines ? "\n" : "\n\n"
            let accept = ("Accept", lines ? "application/x-ndjson" : "text/event-stream")
            try await client.send("GET", target, headers: [accept] + (id.map { [("Last-Event-ID", $0)] } ?? []))
            #expect(try await client.receiveHead().status == 200)
        }

        func readEntry() async throws -> JSONValue {
            while true {
                guard let end = text.firstRange(of: separator) else {
                    text += String(decoding: try #require(try await client.receiveChunk()), as: UTF8.self)
                    continue
                }
                let event = String(text[..<end.lowerBound])
                text.removeSubrange(..<end.upperBound)
                if event.isEmpty || event == ":" { continue }
                if separator == "\n" { return try JSONValue(parsing: Array(event.utf8)) }
                lastEventName = nil
                var data = JSONValue.null
                for line in event.split(separator: "\n") {
                    let (field, value) = (line.prefix { $0 != ":" }, line.drop { $0 != ":" }.dropFirst(2))
                    switch field {
                    case "id": lastEventID = String(value)
                    case "event": lastEventName = String(value)
                    case "data": data = try JSONValue(parsing: Array(value.utf8))
                    default: Issue.record("\(line)")
                    }
                }
                return data
            }
        }
    }

    func makeTarget(_ names: [String], _ cursors: [String], _ path: String = "/v1/changes") -> String {
        let list = names.joined(separator: ",").utf8.map { byte -> String in
            let digits = String(byte, radix: 16)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }
        return "\(path)?documents=\(list.joined())&cursor=\(cursors.joined(separator: ","))"
    }

    func makeTarget(_ followed: FollowedDocuments, _ names: [String], _ path: String = "/v1/changes") -> String {
        makeTarget(names, names.map { followed.cursors[$0] ?? "" }, path)
    }
}
