import JSON
import Testing
import TestSupport

@testable import ChatCore

/// The commands of a recorded conversation, run here in their order: each answer is the recorded one, but for ids, times and keys.
@Suite struct ReplayTests {
    @Test("A conversation of texts, quotes, edits, live and disappearing messages, reactions and deletions goes as recorded")
    func direct() async throws {
        let compared = try await replay("messages-direct", from: #""hello""#) { command in
            switch command {
            // Forms with names are of the console. They are put in such that the ids go on as recorded.
            case "@bob console form": "/_send @1 text console form"
            case "! @bob (console form) console edit": "/_update item @1 21 live=off text console edit"
            case #"\ @bob plain text form"#: "/_delete item @1 20 broadcast"
            // The other chats of the list are presets of the original.
            default: command.hasPrefix("/_get chats") ? nil : command
            }
        }
        #expect(compared > 50)
    }

    @Test("Every kind of content is answered as recorded, without the files")
    func content() async throws {
        let compared = try await replay("messages-content", from: #""a picture""#) { command in
            // Content filters of direct chats are newer than the recording, which refuses them.
            guard !command.hasPrefix("/_get"), !command.contains("nofile") else { return nil }
            guard command.contains("fileSource"), let json = command.range(of: " json ") else { return command }
            let messages = try JSONValue(parsing: String(command[json.upperBound...])).arrayValue ?? []
            let withoutFiles = messages.map { message in
                var message = message.objectValue ?? JSONObject()
                message["fileSource"] = nil
                return JSONValue.object(message)
            }
            return "\(command[..<json.upperBound])\(JSONValue.array(withoutFiles).text)"
        }
        #expect(compared > 8)
    }

    /// - Parameter translate: the command that is run for a recorded one; nil for none.
    /// - Returns: how many answers were compared.
    private func replay(
        _ name: String, from marker: String, _ translate: (String) throws -> String?
    ) async throws -> Int {
        let lines = try Fixture.transcript(name)
        let world = try await World()
        let cores = ["alice": try await world.core("alice"), "bob": try await world.core("bob")]
        for (name, core) in cores { try await core.createUser(name) }
        try await connect(#require(cores["alice"]), 1, to: #require(cores["bob"]), 1)
        let beginning = try #require(lines.firstIndex { $0["cmd"]?.stringValue?.contains(marker) == true })
        var told: [String: [String: Int]] = [:]
        var compared = 0
        for (index, line) in lines.enumerated() {
            guard let client = line["client"]?.stringValue, let core = cores[client] else { continue }
            if line["dir"] == "event", let type = line["json"]?["type"]?.stringValue { told[client, default: [:]][type, default: 0] += 1 }
            guard index >= beginning, line["dir"] == "cmd", let recorded = line["cmd"]?.stringValue, let corrId = line["corrId"] else { continue }
            for (name, counts) in told {
                for (type, count) in counts where Self.awaited.contains(type) { try await cores[name]?.wait(for: type, count: count) }
            }
            guard let command = try translate(recorded), command.hasPrefix("/_") else { continue }
            let expected = try #require(lines[index...].first { $0["dir"] == "resp" && $0["corrId"] == corrId }?["json"])
            guard let ours = try? await core.run(command.replacing("@4", with: "@1")) else {
                // What cannot be parsed is answered in this way by adapters.
                #expect(expected["chatError"]?["errorType"]?["type"] == "commandError", "\(command)")
                continue
            }
            let theirs = expected["type"] == "chatCmdError" ? expected["chatError"] ?? [:] : expected
            #expect(comparable(ours) == comparable(theirs), "\(command.prefix(200))")
            compared += 1
        }
        for core in cores.values { await core.controller.close() }
        return compared
    }

    /// Events that come once for each cause, so that they tell how far the other side is.
    private static let awaited: Set<String> = [
        "newChatItems", "chatItemUpdated", "chatItemsDeleted", "chatItemReaction", "chatItemDeletedNotFound",
        "agentConnsDeleted", "contactDisabled",
    ]

    /// What is of each store, or depends on how fast the other side is.
    private static let masked: Set<String> = [
        "user", "user_", "contact", "itemTs", "createdAt", "updatedAt", "chatTs", "itemVersionTs", "sentAt", "deletedTs", "deleteAt",
        "itemSharedMsgId", "sharedMsgId", "itemStatus",
    ]

    private func comparable(_ value: JSONValue) -> JSONValue {
        guard let object = value.objectValue else { return value.arrayValue.map { .array($0.map(comparable)) } ?? value }
        var result = JSONObject()
        for key in object.keys.sorted() where key != "sentViaProxy" && key != "file" {
            result[key] = Self.masked.contains(key) ? "…" : object[key].map(comparable)
        }
        return .object(result)
    }
}
