import ChatAPI
import ChatProtocol
import Foundation
import JSON
import NIOPosix
import SMP
import SMPRelay
import SimpleXCrypto
import SQLCipher
import StoreSupport
import Synchronization
import Testing
import TestSupport

@testable import ChatCore
@testable import ChatStore

/// A relay on the loopback interface and any number of cores that use it, each in a separate folder.
final class World: Sendable {
    let relay: Relay
    /// Configuration for another start of the relay after a stop.
    let relayConfiguration: RelayConfiguration
    let directory: URL
    static let eventLoopGroup = MultiThreadedEventLoopGroup(numberOfThreads: 2)

    /// - Parameter queueQuota: the maximum number of messages in a queue.
    init(queueQuota: Int = 128) async throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "world-\(UUID().uuidString)")
        let relayFolder = directory.appending(path: "relay")
        try FileManager.default.createDirectory(at: relayFolder, withIntermediateDirectories: true)
        var configuration = RelayConfiguration(
            directory: relayFolder.path,
            host: "127.0.0.1",
            port: TestPort.takeUnused()
        )
        configuration.maxMessagesPerQueue = queueQuota
        relayConfiguration = configuration
        relay = try await Relay.start(configuration: configuration, group: Self.eventLoopGroup)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Opens the core `name`, which is created if necessary, and starts it by default.
    /// - Parameters:
    ///   - key: nil for ``databaseKey(of:)``.
    ///   - servers: nil for the relay of the world.
    func core(
        _ name: String,
        key: DatabaseKey? = nil,
        started: Bool = true,
        servers: [ProtocolServer]? = nil,
        presets: ServerPresets = .relay,
        emitsHostSessionEvents: Bool = false,
        configure: (inout ChatConfiguration) -> Void = { _ in }
    ) async throws -> Core {
        let folder = directory.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var configuration = ChatConfiguration(
            dataDirectory: folder.path,
            databaseKey: key ?? Self.databaseKey(of: name),
            servers: servers ?? [relay.address]
        )
        configuration.serverPresets = presets
        configuration.emitsHostSessionEvents = emitsHostSessionEvents
        configure(&configuration)
        try await EmptyStore.placeDatabases(configuration)
        let controller = try await ChatController.open(configuration, group: Self.eventLoopGroup)
        if started { try await controller.start() }
        return Core(controller, in: self)
    }
}

extension World {
    /// The key of a core. The key is raw, since deriving one from a passphrase is slow.
    static func databaseKey(of name: String) -> DatabaseKey { .raw(Digest.sha256(Array(name.utf8))) }

    /// Makes a core with the user alice, the only one in its world.
    static func makeAlice() async throws -> Core {
        let core = try await World().core("alice")
        try await core.createUser("alice")
        return core
    }

    /// Makes two cores with one user each, who do not know each other.
    func makeStrangers() async throws -> (alice: Core, bob: Core) {
        let (alice, bob) = (try await core("alice"), try await core("bob"))
        try await alice.createUser("alice")
        try await bob.createUser("bob")
        return (alice, bob)
    }

    /// Makes two cores whose first users are contacts of each other.
    func makeConnectedCores() async throws -> (alice: Core, bob: Core) {
        let (alice, bob) = try await makeStrangers()
        try await connectUsers(alice, 1, to: bob, 1)
        return (alice, bob)
    }
}

extension ChatController {
    /// The background worker of a type.
    func findWorker<W: Worker>(_ type: W.Type) throws -> W {
        try #require(workers.lazy.compactMap { $0 as? W }.first)
    }
}

/// A core that tests control by command texts.
final class Core: Sendable {
    let controller: ChatController
    /// The world, which is kept because it owns the folder of the core.
    private let world: World
    /// Events as they were published. The journal loses content that is deleted later.
    private let publishedEntries = Mutex<[UInt64: JournalEntry]>([:])
    /// Events that ``events()`` has read. Waits read them often.
    private let readEvents = Mutex(ReadEvents())

    private struct ReadEvents {
        var lastSeq: UInt64 = 0
        var events: [(user: Int64?, event: JSONValue)] = []
    }

    init(_ controller: ChatController, in world: World) {
        self.controller = controller
        self.world = world
        controller.journal.onPublish { [weak self] entries in
            self?.publishedEntries.withLock { published in for entry in entries { published[entry.cursor.seq] = entry }
            }
        }
    }

    /// Runs a command, and returns the answer or error as JSON.
    @discardableResult
    func run(_ text: String, as user: Int64? = nil) async throws -> JSONValue {
        let result = await controller.send(try ChatCommand(parsing: text), as: user, with: .all)
        switch result {
        case .result(let answer): return try JSONEncoder().encodeValue(answer)
        case .error(let error): return try JSONEncoder().encodeValue(error)
        }
    }

    func createUser(_ name: String, isChatRelay: Bool = false) async throws {
        let relay = isChatRelay ? #","userChatRelay":true"# : ""
        let answer = try await run(
            #"/_create user {"profile":{"displayName":"\#(name)","fullName":""},"pastTimestamp":false\#(relay)}"#
        )
        try #require(answer["type"] == "activeUser", "\(answer)")
    }

    /// The events so far, as `(user, event)`.
    func events() async throws -> [(user: Int64?, event: JSONValue)] {
        let later = try await entries(after: readEvents.withLock { $0.lastSeq }, limit: 10_000).map {
            (seq: $0.cursor.seq, user: $0.userId, event: try JSONValue(parsing: $0.eventJSON, limits: .forOwnText))
        }
        return readEvents.withLock { read in
            for entry in later where entry.seq > read.lastSeq {
                read.events.append((entry.user, entry.event))
                read.lastSeq = entry.seq
            }
            return read.events
        }
    }

    /// Entries of the journal with the events as they were published.
    func entries(after seq: UInt64, limit: Int) async throws -> [JournalEntry] {
        let entries = try await controller.journal.readEntries(after: seq, limit: limit)
        let published = publishedEntries.withLock { $0 }
        return entries.map { published[$0.cursor.seq] ?? $0 }
    }

    /// Calls `news` at each published event.
    func onEvent(_ news: @escaping @Sendable () -> Void) { controller.journal.onPublish { _ in news() } }

    /// Waits until `count` matching events have been emitted.
    @discardableResult
    func wait(
        for type: String,
        user: Int64? = nil,
        count: Int = 1,
        within seconds: Int = 60
    ) async throws -> [JSONValue] {
        let found = try await waitForValue(within: .seconds(seconds), onEvent) {
            let matching = try await events().filter {
                $0.event["type"]?.stringValue == type && (user == nil || $0.user == user)
            }
            return matching.count >= count ? matching.map(\.event) : nil
        }
        if let found { return found }
        let types = try await events().compactMap { $0.event["type"]?.stringValue }
        throw MissingEvent(event: type, toldTypes: types)
    }

    /// Waits until `count` events have reported the status of subscriptions, `active` or `pending`.
    @discardableResult
    func waitForSubscription(_ status: String, count: Int = 1) async throws -> [JSONValue] {
        for told in count... {
            let changes = try await wait(for: "subscriptionStatus", count: told).filter {
                $0["subscriptionStatus"]?["type"]?.stringValue == status
            }
            if changes.count >= count { return changes }
        }
        return []
    }

    struct MissingEvent: Error {
        let event: String
        let toldTypes: [String]
    }
}

/// Runs `body` with the connected cores of alice and bob, and closes them afterwards.
func withConnectedPeople(_ body: (Core, Core) async throws -> Void) async throws {
    let (alice, bob) = try await World().makeConnectedCores()
    try await body(alice, bob)
    await alice.controller.close()
    await bob.controller.close()
}

/// Makes two users contacts by a one-time invitation, and waits until both sides have the event.
func connectUsers(_ one: Core, _ user: Int64, to other: Core, _ otherUser: Int64) async throws {
    let before = try await other.events().count { $0.event["type"] == "contactConnected" && $0.user == otherUser }
    let beforeOne = try await one.events().count { $0.event["type"] == "contactConnected" && $0.user == user }
    let invitation = try await one.run("/_connect \(user) incognito=off", as: user)
    let link = try #require(invitation["connLinkInvitation"]?["connFullLink"]?.stringValue, "\(invitation)")
    let answer = try await other.run("/_connect \(otherUser) incognito=off \(link)", as: otherUser)
    try #require(answer["type"] == "sentConfirmation", "\(answer)")
    try await one.wait(for: "contactConnected", user: user, count: beforeOne + 1)
    try await other.wait(for: "contactConnected", user: otherUser, count: before + 1)
}

/// Waits for the event of a received item with this text.
func waitForText(_ text: String, _ core: Core, user: Int64 = 1) async throws {
    for count in 1... {
        let told = try await core.wait(for: "newChatItems", user: user, count: count)
        let found = told.contains { event in
            (event["chatItems"]?.arrayValue ?? []).contains {
                $0["chatItem"]?["meta"]?["itemText"]?.stringValue == text
                    && $0["chatItem"]?["chatDir"] == ["type": "directRcv"]
            }
        }
        if found { return }
    }
}

/// Sends a text to the first contact, and waits for it. Then all earlier messages have been handled.
func exchangeText(_ sender: Core, _ recipient: Core, _ text: String) async throws {
    try await sender.run("/_send @1 text \(text)")
    try await waitForText(text, recipient)
}

/// The id of the user's first contact.
func firstContactId(of core: Core) async throws -> Int64 {
    try #require(try await core.run("/_contacts 1")["contacts"]?[0]?["contactId"]?.integerValue)
}

/// Sends an event to a contact that this program would not send, but another program could.
func sendEvent(_ event: ChatMessageEvent, _ core: Core, to contactId: Int64) async throws {
    try await core.controller.store.write { tx in
        let user = try #require(try UserRecord.find(1, in: tx.db))
        let connection = try #require(try ContactRecord.get(contactId, user: user, in: tx.db).connection)
        try tx.enqueue(ChatMessage(event: event), to: connection)
    }
}

extension Core {
    /// Waits until events have reported the status for the item of each text.
    /// - Returns: the texts of these events, with repetitions.
    @discardableResult
    func waitForStatus(_ status: String, of texts: [String]) async throws -> [String] {
        var count = 1
        while true {
            let events = try await wait(for: "chatItemsStatusesUpdated", count: count)
            let items = events.flatMap { $0["chatItems"]?.arrayValue ?? [] }.compactMap { $0["chatItem"]?["meta"] }
            let reached = items.filter { $0["itemStatus"]?["type"]?.stringValue == status }.compactMap {
                $0["itemText"]?.stringValue
            }
            .filter(texts.contains)
            if Set(reached).count == texts.count { return reached }
            count = events.count + 1
        }
    }
}

extension JSONValue {
    /// The texts of the items of a chat.
    var itemTexts: [String] {
        (self["chat"]?["chatItems"]?.arrayValue ?? []).compactMap { $0["meta"]?["itemText"]?.stringValue }
    }
    /// The ids of the items of a chat.
    var itemIds: [Int64] {
        (self["chat"]?["chatItems"]?.arrayValue ?? []).compactMap { $0["meta"]?["itemId"]?.integerValue }
    }
    /// The kinds of the chats of a list, without the notes that every user has.
    var chatTypes: [JSONValue] {
        (self["chats"]?.arrayValue ?? []).compactMap { $0["chatInfo"]?["type"] }.filter { $0 != "local" }
    }
    var firstItemId: Int64? { self["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue }
    var errorType: String? { self["errorType"]?["type"]?.stringValue ?? self["storeError"]?["type"]?.stringValue }
}
