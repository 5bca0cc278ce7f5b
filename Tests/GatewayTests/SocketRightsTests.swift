import ChatAPI
import ChatCore
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Scopes of commands over WebSockets")
struct SocketRightsTests {
    @Test
    func `The samples of commands and the catalogue of commands each contain every core command`() throws {
        let names = try CommandSamples.apiCommands.map { try ChatCommand(parsing: $0).name }
        #expect(Set(names) == Set(CommandName.allCases))
        let catalogue = Set(
            try #require(try Fixture.readCatalogue()["commands"]?.arrayValue).compactMap { $0["name"]?.stringValue }
        )
        #expect(Set(CommandName.allCases.map(\.rawValue)).isSubset(of: catalogue))
        for text in CommandSamples.consoleCommands {
            guard case .console = try ChatCommand(parsing: text) else {
                Issue.record("\(text) is not a command that names chats")
                continue
            }
        }
    }

    @Test
    func `Over each WebSocket, a command is refused exactly if the key lacks the required scope`() async throws {
        try await RealGateway.run(serving: { $0.terminalPort = 0 }) { gateway in
            _ = try await gateway.connectClient().createUser("alice")
            let file = KeyFile(folder: gateway.folder)
            // An administrator may send every command. The test does not send them, since they would stop the core and
            // delete its databases.
            #expect(CommandName.allCases.allSatisfy { Scopes.admin.allows(Scopes.requiredScopes(for: $0)) })
            let sets: [(path: String, scopes: Scopes)] = [
                ("/v1/events/ws", .events), ("/v1/events/ws", [.events, .stores]), ("/v1/events/ws", [.events, .read]),
                ("/v1/events/ws", [.events, .write]), ("/v1/events/ws", [.events, .read, .write]),
                ("/", [.events, .read, .write]),
            ]
            for (path, scopes) in sets {
                let key = try file.addKey(name: "one", scopes: scopes).key.text
                try await expectRefusals(scopes, "\(path) \(scopes.names)") {
                    try await WebSocketClient.open(.connect(port: gateway.port, key: key), path + "?cursor=now")
                }
            }
            let port = try #require(gateway.server.terminalPort)
            try await expectRefusals([.events, .read, .write], "without a key") {
                try await WebSocketClient.open(.connect(port: port), "/")
            }
        }
    }

    private func expectRefusals(
        _ scopes: Scopes,
        _ what: String,
        _ open: () async throws -> WebSocketClient
    ) async throws {
        let texts = CommandSamples.apiCommands + CommandSamples.consoleCommands
        let socket = try await open()
        for first in stride(from: 0, to: texts.count, by: 32) {
            let part = Array(texts[first..<min(first + 32, texts.count)])
            for (text, answer) in zip(part, try await socket.receiveAnswers(to: part)) {
                let isRefused = answer.isRefusedForScope
                #expect(
                    isRefused != scopes.allows(Scopes.requiredScopes(for: try ChatCommand(parsing: text))),
                    "\(what): \(text): \(answer.text.prefix(300))"
                )
            }
        }
    }

    /// Commands that have always needed an administrator over HTTP.
    private static let adminCommands = [
        "/_stop", "/_start", "/_app suspend 0", "/_app activate", #"/_db export {"archivePath":"/tmp/stolen.zip"}"#,
        "/db export",
        #"/_db import {"archivePath":"/tmp/stolen.zip"}"#, "/_db delete",
        #"/_db encryption {"currentKey":"a","newKey":"b"}"#, "/db test key a",
        "/_files_folder /tmp/stolen", "/_temp_folder /tmp/stolen", "/remote_hosts_folder /tmp/stolen",
        "/_files_encrypt off",
        #"/set file paths {"appFilesFolder":"/tmp/a","appTempFolder":"/tmp/b","appAssetsFolder":"/tmp/c"}"#,
        "/network socks=off socks-mode=always host-mode=public smp-web-port-servers=preset timeout=9 log=off",
        CategoryCommands.texts["apiSetNetworkConfig"] ?? "",
        #"/_network info {"networkType":"wifi","online":true}"#, "/reconnect", "/_servers 1 []", "/smp smp://a@b",
        "/_operators []",
        "/operators 1:on:smp=storage:xftp=off", "/_accept_conditions 1 1", "/_conditions_notified 1",
        "/get servers summary 1", "/reset servers stats",
        "/_network_statuses", "/sql chat SELECT 1",
    ]

    @Test(arguments: [
        "/", "/v1/events/ws?cursor=now", "terminal", "ticket",
    ])
    func `Commands for the core, the databases or the network are refused without the scope 'admin'`(
        door: String
    ) async throws {
        try await RealGateway.run(serving: { $0.terminalPort = 0 }) { gateway in
            let admin = try await gateway.connectClient()
            _ = try await admin.createUser("alice")
            let key = try KeyFile(folder: gateway.folder).addKey(name: "bot", scopes: [.read, .write, .events]).key.text
            let (http, path): (HTTPClient, String)
            switch door {
            case "terminal": (http, path) = (try await .connect(port: try #require(gateway.server.terminalPort)), "/")
            case "ticket":
                let ticket = try await HTTPClient.connect(port: gateway.port, key: key).call(
                    "POST",
                    "/v1/events/tickets"
                ).json["ticket"]?.stringValue
                (http, path) = (try await .connect(port: gateway.port), "/v1/events/ws?ticket=\(ticket ?? "")")
            default: (http, path) = (try await .connect(port: gateway.port, key: key), door)
            }
            let socket = try await WebSocketClient.open(http, path)
            for (text, answer) in zip(Self.adminCommands, try await socket.receiveAnswers(to: Self.adminCommands)) {
                #expect(answer.isRefusedForScope, "\(text): \(answer.text)")
            }
            #expect(try await admin.call("GET", "/v1/core").json["type"] == "chatRunning")
            #expect(try await admin.call("GET", "/v1/users").json["users"]?.arrayValue?.count == 1)
        }
    }

    @Test
    func `Over a WebSocket, a key for one profile can use only this profile, and cannot use shared settings`()
        async throws
    {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            _ = try await admin.createUser("alice")
            _ = try await admin.createUser("bob")
            let key = try KeyFile(folder: gateway.folder).addKey(
                name: "bob",
                scopes: [.read, .write, .events],
                userId: 2
            )
            .key.text
            // Commands without a user would be executed for the active user, who is Alice.
            _ = try await admin.post("/v1/users/1/activate", [:])
            let socket = try await WebSocketClient.open(
                .connect(port: gateway.port, key: key),
                "/v1/events/ws?cursor=now"
            )
            let allowed = [
                "/_get chats 2 pcc=on", "/contacts", "/profile", #"/_create tag {"text":"Family"}"#, "/_get tags 2",
                "/_mute user 2",
            ]
            for (text, answer) in zip(allowed, try await socket.receiveAnswers(to: allowed)) {
                #expect(answer["type"] != "chatCmdError", "\(text): \(answer.text)")
                #expect(!answer.text.contains("alice"), "\(text): \(answer.text)")
            }
            let refused = [
                "/_get chats 1 pcc=on", "/_get tags 1", "/_delete user 1 del_smp=on",
                #"/_profile 1 {"displayName":"x","fullName":""}"#, "/users", "/u",
                "/_user 1", "/_user 2", "/user alice", "/delete user alice", "/set receipts all off",
                "/_set conn user :1 1", "/_set contact user @1 1",
                "/_get app settings", "/network", "/contact_merge off",
            ]
            for (text, answer) in zip(refused, try await socket.receiveAnswers(to: refused)) {
                #expect(
                    answer["chatError"]?["errorType"]?["message"] == "the key is bound to one profile",
                    "\(text): \(answer.text)"
                )
            }
            #expect(try await admin.call("GET", "/v1/users/1/tags").json["userTags"]?.arrayValue?.isEmpty == true)
        }
    }
}

extension JSONValue {
    fileprivate var isRefusedForScope: Bool {
        self["chatError"]?["errorType"]?["message"]?.stringValue?.hasPrefix("the key lacks the scope") == true
    }
}

extension WebSocketClient {
    /// Sends at most 64 commands at the same time, and returns their answers.
    func receiveAnswers(to texts: [String]) async throws -> [JSONValue] {
        for (index, text) in texts.enumerated() {
            try await send(
                JSONValue.object(JSONObject([("corrId", .string("\(index)")), ("cmd", .string(text))])).text
            )
        }
        var answers: [String: JSONValue] = [:]
        while answers.count < texts.count {
            let message: JSONValue
            do { message = try await receiveJSON() } catch {
                Issue.record("no answer to \(texts.indices.filter { answers["\($0)"] == nil }.map { texts[$0] })")
                throw error
            }
            guard let id = message["corrId"]?.stringValue else { continue }
            answers[id] = message["resp"]
        }
        return texts.indices.map { answers["\($0)"] ?? .null }
    }
}
