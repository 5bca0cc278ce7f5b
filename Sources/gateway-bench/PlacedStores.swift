import Foundation
import JSON
import NIOCore
import SimpleXCrypto

/// The stores in the benchmark ``measureNodes``: some stores that are used, in pairs of contacts, and many more unused
/// stores.
struct PlacedStores: Codable, Sendable {
    struct Store: Codable, Sendable {
        var id: String
        var key: String
        /// The id of this store's contact, which is a profile in the other store of the pair; 0 for an unused store.
        var contactID = 0
    }

    var relay: String
    var used: [Store] = []
    var idle: [Store] = []

    /// Reads the list of stores that an earlier run has saved; nil when there is none.
    init?(savedIn folder: String) {
        guard let data = FileManager.default.contents(atPath: folder + "/stores.json"),
            let saved = try? Foundation.JSONDecoder().decode(Self.self, from: data)
        else { return nil }
        self = saved
    }

    /// The port in the address of the stores' relay.
    var relayPort: Int? { relay.split(separator: ":").last.flatMap { Int($0) } }

    func saveStores(in folder: String) throws {
        try Foundation.JSONEncoder().encode(self).write(to: URL(fileURLWithPath: folder + "/stores.json"))
    }

    /// Makes the used stores and one template store by requests to a node. The unused stores are copies of the template
    /// store, each with a new key. The copies are made while no node is running.
    init(
        _ relay: String,
        count: Int,
        used: Int,
        folder: String,
        _ start: () async throws -> BenchedGateway
    ) async throws {
        self.relay = relay
        var gateway = try await start()
        let template = try await Self.makeStore(gateway.port, gateway.key, "template", gateway.group)
        self.used = try await Self.makePairs(gateway.port, gateway.key, used / 2, gateway.group)
        await gateway.stop()
        for _ in self.used.count..<count { idle.append(try Self.copyStore(template.id, in: folder + "/stores")) }
        // This start and stop create the node's data folder, so that all later starts are like usual starts.
        gateway = try await start()
        await gateway.stop()
    }

    private static func sendRequest(
        _ connection: HTTPConnection,
        _ method: String,
        _ path: String,
        _ key: String,
        _ body: String? = nil
    ) async throws -> JSONValue {
        let answer = try await connection.sendRequest(method, path, key: key, body: body)
        guard (200..<300).contains(answer.status) else {
            throw BenchedGateway.UnexpectedAnswer(
                request: "\(method) \(path)",
                status: answer.status,
                body: String(decoding: answer.body, as: UTF8.self)
            )
        }
        return try JSONValue(parsing: answer.body)
    }

    /// Creates a store with one profile by requests to a node.
    private static func makeStore(
        _ port: Int,
        _ key: String,
        _ name: String,
        _ group: any EventLoopGroup
    ) async throws -> Store {
        let connection = try await HTTPConnection.openConnection(port: port, group: group)
        let made = try await sendRequest(connection, "POST", "/v1/stores", key, #"{"name":"\#(name)"}"#)
        guard let id = made["store"]?["storeId"]?.stringValue, let own = made["key"]?.stringValue else {
            throw HTTPConnection.Failure.notHTTP
        }
        _ = try await sendRequest(
            connection,
            "POST",
            "/v1/users",
            own,
            #"{"profile":{"displayName":"\#(name)","fullName":""}}"#
        )
        await connection.close()
        return Store(id: id, key: own)
    }

    private static func makePairs(
        _ port: Int,
        _ key: String,
        _ count: Int,
        _ group: any EventLoopGroup
    ) async throws -> [Store] {
        try await withThrowingTaskGroup(of: [Store].self) { tasks in
            for first in 0..<min(4, count) {
                tasks.addTask {
                    var stores: [Store] = []
                    for index in stride(from: first, to: count, by: 4) {
                        stores += try await makePair(port, key, index, group)
                    }
                    return stores
                }
            }
            return try await tasks.reduce(into: []) { $0 += $1 }
        }
    }

    private static func makePair(
        _ port: Int,
        _ key: String,
        _ index: Int,
        _ group: any EventLoopGroup
    ) async throws -> [Store] {
        var stores: [Store] = []
        for name in ["alice", "bob"] { stores.append(try await makeStore(port, key, "\(name)-\(index)", group)) }
        let connection = try await HTTPConnection.openConnection(port: port, group: group)
        let invitation = try await sendRequest(
            connection,
            "POST",
            "/v1/users/1/connections/invitations",
            stores[0].key,
            #"{"incognito":false}"#
        )
        let link = invitation["connLinkInvitation"]?["connFullLink"]?.stringValue ?? ""
        _ = try await sendRequest(
            connection,
            "POST",
            "/v1/users/1/connections",
            stores[1].key,
            #"{"incognito":false,"connLink":"\#(link)"}"#
        )
        for (index, store) in stores.enumerated() {
            var cursor = ""
            while stores[index].contactID == 0 {
                let page = try await sendRequest(
                    connection,
                    "GET",
                    "/v1/events?timeout=20&types=contactConnected\(cursor)",
                    store.key
                )
                cursor = "&cursor=" + (page["cursor"]?.stringValue ?? "")
                for entry in page["events"]?.arrayValue ?? [] {
                    stores[index].contactID = Int(clamping: entry["event"]?["contact"]?["contactId"]?.integerValue ?? 0)
                }
            }
        }
        await connection.close()
        return stores
    }

    /// Copies the files of a store, as the restoration of a backup does, and gives the copy a new id and a new key.
    private static func copyStore(_ template: String, in folder: String) throws -> Store {
        let letters = Array("abcdefghijkmnpqrstuvwxyz23456789".utf8)
        let id = String(decoding: (0..<15).map { _ in letters.randomElement() ?? letters[0] }, as: UTF8.self)
        let key = "sxgw_\(id)_" + Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255) }, padding: false)
        try FileManager.default.copyItem(atPath: "\(folder)/\(template)", toPath: "\(folder)/\(id)")
        let keys =
            #"{"keys":[{"id":"\#(id.prefix(8))","name":"admin","scopes":["admin"],"created":1,"sha256":"\#(Base64URL.encode(Digest.sha256(Array(key.utf8))))"}]}"#
        try keys.write(toFile: "\(folder)/\(id)/keys.json", atomically: true, encoding: .utf8)
        return Store(id: id, key: key)
    }
}

/// A relay in a separate process, for stores that a later run uses again. The addresses of the queues of these stores
/// contain the port of the relay, so the relay of a later run listens on the same port.
struct KeptRelay {
    let child: MeasuredProcess
    let address: String
    let port: Int

    /// Starts the relay. Creates the folder, and empties it if no earlier run has saved its stores there.
    init(folder: String, executable: String) throws {
        let saved = PlacedStores(savedIn: folder)
        if saved == nil { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let freePort = try FreePort.takeNext()
        port = saved?.relayPort ?? freePort
        child = try MeasuredProcess(
            executable,
            ["relay", "--data", folder + "/relay", "--port", "\(port)"],
            log: folder + "/relay.log"
        )
        guard let line = child.waitForLine(containing: "Relay:"),
            let address = line.split(separator: " ").last.map(String.init)
        else { throw HTTPConnection.Failure.closed }
        self.address = address
    }
}
