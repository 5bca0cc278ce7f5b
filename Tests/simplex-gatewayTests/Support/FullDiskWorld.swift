import Foundation
import JSON
import TestSupport
import Testing

/// A gateway with its relay on a disk that becomes full. It has two profiles, which exchange messages.
final class FullDiskWorld {
    let node: Node
    let disk: FullDisk
    let folder: Folder
    let port: Int
    var contacts: [Int64] = [0, 0]
    var sentTexts: [[String]] = [[], []]
    private var lastNumber = 0

    init(_ folder: Folder) async throws {
        self.folder = folder
        disk = try await FullDisk(of: folder.path + "/data", controlFolder: folder.path)
        port = TestPort.takeUnused()
        node = Node(
            folder: folder.path + "/data",
            ["--relay-port", "\(port)", "--file-relay-port", "\(TestPort.takeUnused())"],
            environment: disk.environment
        )
    }

    func recordSentText(_ text: String, by user: Int) { sentTexts[user].append(text) }

    func connectUsers() async throws {
        for name in ["alice", "bob"] {
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": .string(name), "fullName": ""]]
            )
        }
        let invitation = try await node.callForObject(
            "POST",
            "/v1/users/1/connections/invitations",
            ["incognito": false]
        )
        let link = invitation["connLinkInvitation"]?["connFullLink"] ?? .null
        _ = try await node.callForObject("POST", "/v1/users/2/connections", ["incognito": false, "connLink": link])
        var connected: [Int64] = [0, 0]
        try await node.readJournal { entry in
            guard let event = entry["event"], event["type"] == "contactConnected",
                let user = entry["userId"]?.integerValue, 1...2 ~= user
            else { return false }
            connected[Int(user) - 1] = event["contact"]?["contactId"]?.integerValue ?? 0
            return !connected.contains(0)
        }
        contacts = connected
    }

    /// Returns the next unused number.
    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Sends a request to a disk that becomes full after `moment` writes. Then frees the disk, and repeats the request.
    /// - Parameter isDone: returns whether the later effects of the request are complete. The disk is freed when they
    ///   are complete, or when the disk has refused a write.
    /// - Returns: the answer; nil if only the effect of the request is known.
    @discardableResult func sendWhileFull(
        _ method: String,
        _ path: String,
        _ body: JSONValue? = nil,
        full moment: Int,
        as key: String? = nil,
        until isDone: () async throws -> Bool = { true }
    ) async throws -> JSONValue? {
        let id = "\(method) \(path) \(nextNumber())"
        disk.fill(after: moment)
        let answer = try await node.call(method, path, body, idempotencyKey: id, as: key)
        if answer.status < 300 {
            try await waitUntil(
                "\(id), \(moment): the request and its effects are complete, or the disk refused a write"
            ) {
                if disk.refusalCount > 0 { return true }
                return try await isDone()
            }
        }
        let isFull = disk.refusalCount > 0
        if answer.status >= 300 {
            #expect(
                [500, 502, 503, 504, 507].contains(answer.status)
                    && answer.contentType.hasPrefix("application/problem+json"),
                "\(id), \(moment): \(answer)"
            )
            #expect(isFull, "\(id), \(moment): \(answer)")
        }
        if isFull {
            #expect(try await node.call("GET", "/v1/users").status == 200, "\(id), \(moment)")
            let tag = try await node.call("POST", "/v1/users/1/tags", ["text": .string("full \(nextNumber())")])
            #expect(
                tag.status == 507 && tag.contentType.hasPrefix("application/problem+json"),
                "\(id), \(moment): \(tag)"
            )
        }
        disk.freeSpace()
        if answer.status < 300 { return answer.body.isEmpty ? .null : try answer.json }
        let again = try await node.call(method, path, body, idempotencyKey: id, as: key)
        // Only the answer to a POST is stored. A repetition of another request may be refused with 409, and then only
        // its effect is known.
        #expect(again.status < 300 || (method != "POST" && again.status == 409), "\(id), \(moment): \(again)")
        return again.status < 300 && !again.body.isEmpty ? try again.json : nil
    }

    /// Sends the request first with free space, and then again, each time as a new request and with a disk that becomes
    /// full after another number of writes.
    /// - Parameters:
    ///   - body: gets the number of the request.
    ///   - isDone: whether the request with this number has had its effect exactly once.
    func sendAtEveryMoment(
        _ method: String,
        _ path: String,
        _ body: (Int) async throws -> JSONValue,
        isDone: (Int) async throws -> Bool
    ) async throws {
        try await sendAtEveryMoment(method, { (path, try await body($0)) }, isDone: isDone)
    }

    /// Sends the request first with free space, and then again, each time as a new request and with a disk that becomes
    /// full after another number of writes.
    /// - Parameter request: returns the path and the body of the request with the given number.
    func sendAtEveryMoment(
        _ method: String,
        _ request: (Int) async throws -> (path: String, body: JSONValue?),
        isDone: (Int) async throws -> Bool
    ) async throws {
        let first = nextNumber()
        let (path, body) = try await request(first)
        let writes = try await countWrites(of: method, path, body)
        #expect(try await isDone(first), "\(method) \(path)")
        for moment in FullDisk.faultMoments(of: writes) {
            let number = nextNumber()
            let (path, body) = try await request(number)
            try await sendWhileFull(method, path, body, full: moment)
            #expect(try await isDone(number), "\(method) \(path), \(moment)")
        }
    }

    /// Connects the two profiles again, incognito, while the disk is full for a few writes.
    func connectIncognito(full moment: Int?) async throws {
        if let moment { disk.fill(after: moment, refusing: 2 + moment % 4) }
        while true {
            let invitation = try await node.call("POST", "/v1/users/1/connections/invitations", ["incognito": true])
            #expect(invitation.status == 201 || invitation.status >= 500, "\(moment ?? -1): \(invitation)")
            guard invitation.status == 201 else { continue }
            let (invited, link) = (
                try invitation.json["connection"]?["pccConnId"],
                try invitation.json["connLinkInvitation"]?["connFullLink"]
            )
            let asked = try await node.call(
                "POST",
                "/v1/users/2/connections",
                ["incognito": true, "connLink": link ?? .null]
            )
            #expect(asked.status < 300 || asked.status >= 500, "\(moment ?? -1): \(asked)")
            guard asked.status < 300 else { continue }
            let connections = Set(
                [invited, try asked.json["connection"]?["pccConnId"]].compactMap { $0?.integerValue }
            )
            var connected: Set<Int64> = []
            try await node.readJournal { entry in
                guard let event = entry["event"], event["type"] == "contactConnected" else { return false }
                connected.insert(event["contact"]?["activeConn"]?["connId"]?.integerValue ?? 0)
                return connections.isSubset(of: connected)
            }
            return
        }
    }

    /// Returns the number of writes of a request, including its later effects.
    func countWrites(
        of method: String,
        _ path: String,
        _ body: JSONValue? = nil,
        until isDone: () async throws -> Bool = { true }
    ) async throws -> Int {
        let before = disk.writeCount
        _ = try await node.callForObject(method, path, body)
        try await waitUntil("\(method) \(path): the request and its effects are complete") { try await isDone() }
        return disk.writeCount - before
    }

    /// Whether the last message has arrived at the other side.
    func isReceived(_ text: String, from user: Int) async throws -> Bool {
        let page = try await node.callForObject("GET", "\(chatPath(1 - user))?limit=5")
        return (page["chat"]?["chatItems"]?.arrayValue ?? []).contains {
            $0["content"]?["msgContent"]?["text"]?.stringValue == text
        }
    }

    func chatPath(_ user: Int) -> String { "/v1/users/\(user + 1)/chats/direct/\(contacts[user])" }

    /// Checks that all messages reached the other side once and in order, in the chats and in the journal.
    func expectAllArrived() async throws {
        let sentTexts = sentTexts
        let last = [sentTexts[1].last, sentTexts[0].last]
        var receivedTexts: [[String]] = [[], []]
        try await node.readJournal { entry in
            guard let event = entry["event"], event["type"] == "newChatItems", let user = entry["userId"]?.integerValue,
                1...2 ~= user
            else { return false }
            for item in event["chatItems"]?.arrayValue ?? [] where item["chatItem"]?["chatDir"]?["type"] == "directRcv"
            {
                guard let text = item["chatItem"]?["content"]?["msgContent"]?["text"]?.stringValue else { continue }
                receivedTexts[Int(user) - 1].append(text)
            }
            return receivedTexts.indices.allSatisfy { last[$0] == nil || receivedTexts[$0].contains(last[$0] ?? "") }
        }
        #expect(receivedTexts == [sentTexts[1], sentTexts[0]])
        for user in 0..<2 {
            let texts = try await node.readTexts(of: contacts[user], user: user + 1)
            #expect(texts.filter { sentTexts[user].contains($0) } == sentTexts[user])
            #expect(texts.filter { sentTexts[1 - user].contains($0) } == sentTexts[1 - user])
        }
    }
}

extension FullDiskWorld {
    static func run(_ body: (FullDiskWorld, Node) async throws -> Void) async throws {
        try await Folder.withNewFolder { folder in
            let world = try await FullDiskWorld(folder)
            do { try await body(world, world.node) } catch {
                await world.node.stop()
                throw error
            }
            // In the end, the process still runs, and stops without an error.
            let running = try await world.node.waitUntilRunning()
            running.program.signal(SIGTERM)
            #expect(await running.program.waitForEnd().exitCode == 0)
        }
    }
}
