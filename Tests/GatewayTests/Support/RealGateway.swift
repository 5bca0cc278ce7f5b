import ChatCore
import Files
import Foundation
import JSON
import Logging
import NIOPosix
import SMP
import SMPRelay
import StoreSupport
import TestSupport
import Testing

@testable import Gateway

/// A gateway with a real core and a real relay in one folder.
struct RealGateway {
    let port: Int
    let key: String
    let folder: String
    let core: ChatController
    /// The core that the routes use. It is made without a function that opens new databases, so it stays closed after a
    /// command has replaced the databases of `core`.
    let storeCore: StoreCore
    let relay: Relay
    let server: GatewayServer

    func connectClient() async throws -> HTTPClient { try await .connect(port: port, key: key) }

    /// Starts a gateway, calls `body` with it, and stops it in order.
    @discardableResult
    static func run<T>(
        in folder: TemporaryFolder,
        relayPort: Int = TestPort.takeUnused(),
        change: (inout ChatConfiguration) throws -> Void = { _ in },
        serving: (inout GatewayConfiguration) -> Void = { _ in },
        storing: (inout StoreSettings) -> Void = { _ in },
        _ body: (RealGateway) async throws -> T
    ) async throws -> T {
        let group = MultiThreadedEventLoopGroup.singleton
        let relayFolder = folder.path + "/relay"
        try FileManager.default.createDirectory(atPath: relayFolder, withIntermediateDirectories: true)
        Spawning.waitForChildren()
        let relay = try await Relay.start(
            configuration: RelayConfiguration(directory: relayFolder, port: relayPort),
            group: group
        )
        var chat = ChatConfiguration(
            dataDirectory: folder.path,
            databaseKey: .raw([UInt8](repeating: 7, count: 32)),
            servers: [relay.address]
        )
        try change(&chat)
        try await EmptyStore.placeDatabases(chat)
        let core = try await ChatController.open(chat, group: group)
        try await core.start()
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let storeCore = StoreCore(core, log: log)
        var configuration = GatewayConfiguration.patientConfiguration(folder: folder.path)
        serving(&configuration)
        var stores = StoreSettings(chat: chat, folder: folder.path + "/stores")
        // In tests passwords need no expensive hash and no hidden duration.
        stores.appPasswordCost = .least
        stores.unlockDurationStepMicroseconds = 0
        storing(&stores)
        let server = try await GatewayServer.start(
            configuration,
            core: storeCore,
            stores: stores,
            group: group,
            log: log
        )
        let key = String(decoding: try DiskFiles.readFile("\(folder.path)/admin.key") ?? [], as: UTF8.self)
            .trimmingNewline
        func stop() async {
            await server.stop()
            await core.close()
            await relay.stopAndWait()
        }
        do {
            let result = try await body(
                RealGateway(
                    port: server.port,
                    key: key,
                    folder: folder.path,
                    core: core,
                    storeCore: storeCore,
                    relay: relay,
                    server: server
                )
            )
            await stop()
            return result
        } catch {
            await stop()
            throw error
        }
    }

    @discardableResult
    static func run<T>(
        change: (inout ChatConfiguration) throws -> Void = { _ in },
        serving: (inout GatewayConfiguration) -> Void = { _ in },
        storing: (inout StoreSettings) -> Void = { _ in },
        _ body: (RealGateway) async throws -> T
    ) async throws -> T {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        return try await run(in: folder, change: change, serving: serving, storing: storing, body)
    }
}

extension HTTPClient {
    func put(_ target: String, _ body: JSONValue) async throws -> Answer {
        try await call("PUT", target, body: body.text)
    }

    func patch(_ target: String, _ body: JSONValue, ifMatch: String? = nil) async throws -> Answer {
        try await call("PATCH", target, headers: ifMatch.map { [("If-Match", $0)] } ?? [], body: body.text)
    }

    func post(_ target: String, _ body: JSONValue, headers: [(String, String)] = []) async throws -> Answer {
        try await call("POST", target, headers: headers, body: body.text)
    }

    func createUser(_ name: String) async throws -> Int64 {
        let answer = try await post("/v1/users", ["profile": ["displayName": .string(name), "fullName": ""]])
        return try #require(try answer.json["user"]?["userId"]?.integerValue, "\(answer.text)")
    }

    /// Follows the events after `cursor` up to one of a type.
    func waitForEvent(after cursor: inout String?, _ type: String, user: Int64) async throws -> JSONValue {
        while true {
            let page = try await call("GET", "/v1/events?timeout=20&limit=1" + (cursor.map { "&cursor=\($0)" } ?? ""))
                .json
            cursor = page["cursor"]?.stringValue
            guard let entry = page["events"]?[0] else { throw RawConnection.Failure.timeout }
            if entry["userId"] == .integer(user), let event = entry["event"], event["type"] == .string(type) {
                return event
            }
        }
    }

    /// Connects two profiles of this gateway, and returns the contact ids that they have of each other.
    func connectUsers(_ one: Int64, _ other: Int64) async throws -> (Int64, Int64) {
        let begin = try await call("GET", "/v1/events?cursor=now&timeout=0").json["cursor"]?.stringValue
        let invitation = try await post("/v1/users/\(one)/connections/invitations", ["incognito": false]).json
        let link = invitation["connLinkInvitation"]?["connFullLink"] ?? .null
        _ = try await post("/v1/users/\(other)/connections", ["incognito": false, "connLink": link])
        var cursor = begin
        let first = try await waitForEvent(after: &cursor, "contactConnected", user: one)
        cursor = begin
        let second = try await waitForEvent(after: &cursor, "contactConnected", user: other)
        guard let a = first["contact"]?["contactId"]?.integerValue,
            let b = second["contact"]?["contactId"]?.integerValue
        else {
            throw RawConnection.Failure.closed
        }
        return (a, b)
    }
}

func textMessage(_ text: String) -> JSONValue {
    ["composedMessages": [["msgContent": ["type": "text", "text": .string(text)], "mentions": [:]]]]
}
