import Foundation
import JSON
import TestSupport
import Testing

/// A gateway process on its data folder, which may be killed and restarted during requests.
actor Node {
    struct RunningProcess: Sendable {
        let program: Program
        let url: String
        let relay: String?
        let key: String
    }

    struct Answer: Sendable, CustomStringConvertible {
        let status: Int
        let body: [UInt8]
        let contentType: String
        var json: JSONValue { get throws { try JSONValue(parsing: body) } }
        var description: String { "\(status) \(String(decoding: body, as: UTF8.self))" }
    }

    private let folder: String
    private let arguments: [String]
    private let environment: [String: String]
    private let descriptorLimit: Int?
    private var generation = 0
    private var currentProcess: Task<RunningProcess, any Error>

    init(
        folder: String,
        _ arguments: [String],
        fileLimit: Int? = nil,
        descriptors: Int? = nil,
        environment: [String: String] = [:]
    ) {
        self.folder = folder
        self.arguments = arguments
        self.environment = environment
        self.descriptorLimit = descriptors
        currentProcess = Task { try await Self.start(folder, arguments, environment, fileLimit, descriptors) }
    }

    private static func start(
        _ folder: String,
        _ arguments: [String],
        _ environment: [String: String],
        _ fileLimit: Int?,
        _ descriptors: Int?
    ) async throws -> RunningProcess {
        // A node with a fixed relay port is started again later. Its file relay gets any free port, so that it takes no
        // port of another test.
        let files = arguments.contains("--file-relay-port") ? [] : ["--file-relay-port", "0"]
        let program = try Program(
            ["serve", "--data", folder, "--port", "0"] + files + arguments,
            environment: environment,
            fileLimit: fileLimit,
            descriptors: descriptors
        )
        do {
            let url = try await program.waitForLine("URL:")
            let relay = arguments.contains("--no-relay") ? nil : try await program.waitForLine("Relay:")
            let key = try String(contentsOfFile: folder + "/admin.key", encoding: .utf8).trimmingCharacters(
                in: .whitespacesAndNewlines
            )
            return RunningProcess(program: program, url: url, relay: relay, key: key)
        } catch {
            program.signal(SIGKILL)
            _ = await program.waitForEnd()
            throw error
        }
    }

    func waitUntilRunning() async throws -> RunningProcess { try await currentProcess.value }

    /// Kills the process and starts it on the same folder. Requests wait meanwhile.
    func restart(_ signal: Int32 = SIGKILL) {
        generation += 1
        currentProcess = Task { [currentProcess, folder, arguments, environment, descriptorLimit] in
            let old = try await currentProcess.value
            old.program.signal(signal)
            _ = await old.program.waitForEnd()
            return try await Self.start(folder, arguments, environment, nil, descriptorLimit)
        }
    }

    func stop(_ signal: Int32 = SIGKILL) async {
        guard let running = try? await currentProcess.value else { return }
        running.program.signal(signal)
        _ = await running.program.waitForEnd()
    }

    /// Sends a request, and repeats it at the next process if this process dies.
    /// - Parameter key: another API key than the administrator's key.
    func call(
        _ method: String,
        _ target: String,
        _ body: JSONValue? = nil,
        idempotencyKey: String? = nil,
        as key: String? = nil
    ) async throws -> Answer {
        while true {
            let before = generation
            let running = try await currentProcess.value
            do {
                return try await Self.sendRequest(running, method, target, body, idempotencyKey, key)
            } catch { guard await isReplaced(since: before) else { throw error } }
        }
    }

    /// Sends a request without repetition; nil if the process dies.
    func callOnce(_ method: String, _ target: String, _ body: JSONValue? = nil) async throws -> Answer? {
        let before = generation
        let running = try await currentProcess.value
        do { return try await Self.sendRequest(running, method, target, body, nil, nil) } catch {
            guard await isReplaced(since: before) else { throw error }
            return nil
        }
    }

    /// Repeats ``call`` until the store is open, so that the answer is not 503.
    func callWhenOpen(
        _ method: String,
        _ target: String,
        _ body: JSONValue? = nil,
        as key: String? = nil
    ) async throws -> Answer {
        var answer = try await call(method, target, body, as: key)
        try await waitUntil("the store opens for \(method) \(target)") {
            if answer.status == 503 { answer = try await call(method, target, body, as: key) }
            return answer.status != 503
        }
        return answer
    }

    private static func sendRequest(
        _ running: RunningProcess,
        _ method: String,
        _ target: String,
        _ body: JSONValue?,
        _ idempotencyKey: String?,
        _ key: String?
    ) async throws -> Answer {
        // This header makes the gateway answer long work with its result, also on slow machines.
        var headers = [("Authorization", "Bearer \(key ?? running.key)"), ("Prefer", "wait=86400")]
        if let idempotencyKey { headers.append(("Idempotency-Key", idempotencyKey)) }
        if body != nil { headers.append(("Content-Type", "application/json")) }
        let reply = try await PlainRequest.send(
            method,
            running.url + target,
            headers: headers,
            body: body?.encodeText()
        )
        return Answer(status: reply.status, body: reply.body, contentType: reply.headers["content-type"] ?? "")
    }

    /// Returns whether the node was restarted since `generation` was `before`. Waits a moment for the restart, because
    /// a test may kill the process and restart the node immediately.
    private func isReplaced(since before: Int) async -> Bool {
        try? await waitUntil("a restart", within: .milliseconds(50)) { generation != before }
        return generation != before
    }

    /// Sends a request that must succeed, and returns its response object.
    func callForObject(_ method: String, _ target: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        let answer = try await call(method, target, body)
        guard (200..<300).contains(answer.status) else {
            throw Program.UnexpectedOutput(
                description: "\(method) \(target): \(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
            )
        }
        return try answer.json
    }

    /// Reads the journal from its beginning, and waits for more, until `isLast` is true.
    func readJournal(until isLast: (JSONValue) throws -> Bool) async throws {
        var cursor = ""
        while true {
            let page = try await callForObject("GET", "/v1/events?timeout=20&limit=1000\(cursor)")
            guard let next = page["cursor"]?.stringValue, let events = page["events"]?.arrayValue, !events.isEmpty
            else {
                throw Program.UnexpectedOutput(description: "the journal ended before the expected event")
            }
            cursor = "&cursor=\(next)"
            for entry in events where try isLast(entry) { return }
        }
    }
}

extension Node {
    /// Makes a user at each node and connects them, and returns the contact ids that they have of each other.
    func connectUsers(to other: Node) async throws -> [Int64] {
        for node in [self, other] {
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "someone", "fullName": ""]]
            )
        }
        let invitation = try await callForObject("POST", "/v1/users/1/connections/invitations", ["incognito": false])
        let link = invitation["connLinkInvitation"]?["connFullLink"] ?? .null
        _ = try await other.callForObject("POST", "/v1/users/1/connections", ["incognito": false, "connLink": link])
        return [try await waitForContact(), try await other.waitForContact()]
    }

    private func waitForContact() async throws -> Int64 {
        var contact: Int64 = 0
        try await readJournal { entry in
            guard let event = entry["event"], event["type"] == "contactConnected" else { return false }
            contact = event["contact"]?["contactId"]?.integerValue ?? 0
            return true
        }
        return contact
    }

    /// Returns the texts of a whole chat from the first item on, read page by page.
    func readTexts(of contact: Int64, user: Int = 1) async throws -> [String] {
        var (texts, cursor) = ([String](), "")
        while true {
            let page = try await callForObject("GET", "/v1/users/\(user)/chats/direct/\(contact)?limit=300\(cursor)")
            let items = page["chat"]?["chatItems"]?.arrayValue ?? []
            texts = items.compactMap { $0["content"]?["msgContent"]?["text"]?.stringValue } + texts
            guard let next = page["next"]?.stringValue else { return texts }
            cursor = "&cursor=\(next)"
        }
    }
}

func textMessages(_ texts: [String]) -> JSONValue {
    ["composedMessages": .array(texts.map { ["msgContent": ["type": "text", "text": .string($0)], "mentions": [:]] })]
}

extension Node {
    /// Starts a gateway in the folder and stops it, so that the databases exist.
    static func runOnce(in folder: Folder) async throws {
        let running = try await Node(folder: folder.path + "/data", ["--relay-port", "0"]).waitUntilRunning()
        running.program.signal(SIGTERM)
        #expect(await running.program.waitForEnd().exitCode == 0)
    }
}
