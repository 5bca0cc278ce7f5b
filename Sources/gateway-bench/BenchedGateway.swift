import Foundation
import JSON
import NIOCore

/// A gateway that runs in a separate process with a data folder of its own, and the few requests that the benchmark
/// needs.
final class BenchedGateway {
    struct UnexpectedAnswer: Error, CustomStringConvertible {
        var request: String
        var status: Int
        var body: String
        var description: String { "\(request): \(status) \(body.prefix(400))" }
    }

    let folder: String
    let port: Int
    let group: any EventLoopGroup
    private let executable: String
    private let arguments: [String]
    private(set) var child: MeasuredProcess
    private(set) var key = ""
    private(set) var connection: HTTPConnection
    /// Seconds from the start of the process until `/readyz` answered 200.
    private(set) var secondsToReady = 0.0
    /// The number of messages sent to members of channels, as read at the last call of
    /// ``waitUntilChannelMessagesSent(more:)``.
    var sentChannelMessageCount = 0

    /// Starts a gateway on a new or an existing data folder, and waits until it is ready.
    /// - Parameters:
    ///   - relay: the address of a relay in another process; nil for an embedded relay at `relayPort`.
    ///   - more: further arguments of the command `serve`.
    init(
        folder: String,
        port: Int,
        relayPort: Int = 0,
        relay: String? = nil,
        executable: String,
        group: any EventLoopGroup,
        more: [String] = []
    ) async throws {
        self.folder = folder
        self.port = port
        self.group = group
        self.executable = executable
        // The embedded file relay gets a port of its own, because the file relay of another gateway may use the default
        // port.
        let relayArguments =
            try relay.map { ["--no-relay", "--smp-server", $0] }
            ?? ["--relay-port", "\(relayPort)", "--file-relay-port", "\(FreePort.takeNext())"]
        arguments = ["serve", "--data", folder, "--port", "\(port)"] + relayArguments + more
        let start = NIODeadline.now()
        child = try MeasuredProcess(executable, arguments, log: folder + ".log")
        connection = try await Self.waitUntilReady(child, log: folder + ".log", port: port, group: group)
        secondsToReady = Double((NIODeadline.now() - start).nanoseconds) / 1e9
        key = try String(contentsOfFile: folder + "/admin.key", encoding: .utf8).trimmingCharacters(
            in: .whitespacesAndNewlines
        )
    }

    /// Starts the gateway again on the same data folder, after it was stopped.
    func restart() async throws {
        child = try MeasuredProcess(executable, arguments, log: folder + ".log")
        connection = try await Self.waitUntilReady(child, log: folder + ".log", port: port, group: group)
        sentChannelMessageCount = 0
    }

    private static func waitUntilReady(
        _ child: MeasuredProcess,
        log: String,
        port: Int,
        group: any EventLoopGroup
    ) async throws -> HTTPConnection {
        let deadline = NIODeadline.now() + .seconds(20)
        while true {
            try child.checkRunning(log: log)
            do {
                let connection = try await HTTPConnection.openConnection(port: port, group: group)
                if try await connection.sendRequest("GET", "/readyz", key: nil).status == 200 { return connection }
                await connection.close()
            } catch  where NIODeadline.now() < deadline {}
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    func sendRequest(_ method: String, _ path: String, _ body: String? = nil) async throws -> JSONValue {
        let answer = try await connection.sendRequest(method, path, key: key, body: body)
        guard (200..<300).contains(answer.status) else {
            throw UnexpectedAnswer(
                request: "\(method) \(path)",
                status: answer.status,
                body: String(decoding: answer.body, as: UTF8.self)
            )
        }
        return try JSONValue(parsing: answer.body)
    }

    /// Posts the same body to each path, over several connections at the same time.
    func postAll(_ paths: [String], _ body: String, connections: Int = 8) async throws {
        try await withThrowingTaskGroup(of: Void.self) { [port, group, key] tasks in
            for first in 0..<min(connections, paths.count) {
                tasks.addTask {
                    let connection = try await HTTPConnection.openConnection(port: port, group: group)
                    for index in stride(from: first, to: paths.count, by: connections) {
                        let answer = try await connection.sendRequest("POST", paths[index], key: key, body: body)
                        guard (200..<300).contains(answer.status) else {
                            throw UnexpectedAnswer(
                                request: paths[index],
                                status: answer.status,
                                body: String(decoding: answer.body, as: UTF8.self)
                            )
                        }
                    }
                    await connection.close()
                }
            }
            try await tasks.waitForAll()
        }
    }

    /// Creates an API key that can access only one user.
    func createKey(ofUser user: Int) async throws -> String {
        let child = try MeasuredProcess(
            executable,
            ["key", "add", "user-\(user)", "--user", "\(user)", "--data", folder],
            log: folder + ".key.log"
        )
        guard let key = child.waitForLine(containing: "sxgw_") else {
            throw UnexpectedAnswer(request: "key add", status: 0, body: "")
        }
        child.waitUntilEnd()
        // Waits until the gateway has read the changed key file.
        for _ in 0..<500
        where try await connection.sendRequest("GET", "/v1/events?cursor=now&timeout=0", key: key).status == 401 {
            try await Task.sleep(for: .milliseconds(10))
        }
        return key
    }

    func createUser(_ name: String) async throws {
        _ = try await sendRequest("POST", "/v1/users", #"{"profile":{"displayName":"\#(name)","fullName":""}}"#)
    }

    /// Connects users 1 and 2 as new contacts of each other, and waits until each of them has the event
    /// `contactConnected`.
    func connectFirstUsers() async throws {
        let cursor = try await readLatestCursor()
        let invitation = try await sendRequest("POST", "/v1/users/1/connections/invitations", #"{"incognito":false}"#)
        let link = invitation["connLinkInvitation"]?["connFullLink"]?.stringValue ?? ""
        _ = try await sendRequest("POST", "/v1/users/2/connections", #"{"incognito":false,"connLink":"\#(link)"}"#)
        var connected = 0
        try await followEvents(from: cursor) { entry in
            if entry["event"]?["type"]?.stringValue == "contactConnected" { connected += 1 }
            return connected == 2
        }
    }

    func readLatestCursor() async throws -> String {
        try await sendRequest("GET", "/v1/events?cursor=now&timeout=0")["cursor"]?.stringValue ?? ""
    }

    /// Reads events from `cursor` on with long polls, until `isLast` returns true for an event.
    func followEvents(from cursor: String, until isLast: (JSONValue) -> Bool) async throws {
        let stream = try await HTTPConnection.openConnection(port: port, group: group)
        var cursor = cursor
        while true {
            let answer = try await stream.sendRequest(
                "GET",
                "/v1/events?cursor=\(cursor)&timeout=20&limit=1000",
                key: key
            )
            let page = try JSONValue(parsing: answer.body)
            guard let next = page["cursor"]?.stringValue, let entries = page["events"]?.arrayValue else {
                throw UnexpectedAnswer(request: "events", status: answer.status, body: page.text)
            }
            cursor = next
            for entry in entries where isLast(entry) {
                await stream.close()
                return
            }
        }
    }

    /// Returns the JSON body of a request that sends one text message.
    static func makeTextMessage(_ text: String) -> String {
        #"{"composedMessages":[{"msgContent":{"type":"text","text":"\#(text)"},"mentions":{}}]}"#
    }

    /// Opens a new connection for commands, since the gateway closes a connection that was idle for half a minute.
    func reconnect() async throws {
        await connection.close()
        connection = try await HTTPConnection.openConnection(port: port, group: group)
    }

    func stop() async {
        await connection.close()
        child.terminateProcess()
    }
}
