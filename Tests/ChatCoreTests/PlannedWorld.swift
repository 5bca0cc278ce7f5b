import ChatAPI
import JSON
import SMP
import Synchronization
import TestSupport
import Testing
import XFTPTestSupport

@testable import ChatCore

/// Two contacts, alice and bob. Alice sends messages later, by a clock that stands still until a test moves it.
final class PlannedWorld: Sendable {
    let world: World
    let bob: Core
    private let aliceCore: Mutex<Core>
    private let clockTime = Mutex(Timestamp.now)

    var alice: Core { aliceCore.withLock { $0 } }
    var controller: ChatController { alice.controller }
    var now: Timestamp { clockTime.withLock { $0 } }
    let caller = PlannedCaller(userId: 1, keyId: "key", rights: .all)

    private let servers: [ProtocolServer]?

    private init(_ world: World, _ alice: Core, _ bob: Core, _ servers: [ProtocolServer]?) {
        self.world = world
        self.servers = servers
        aliceCore = Mutex(alice)
        self.bob = bob
    }

    /// Runs `body`, and closes the cores afterwards.
    /// - Parameters:
    ///   - connected: whether alice and bob are contacts.
    ///   - files: the server for files; nil if the files of messages need not arrive.
    static func withWorld(
        connected: Bool = true,
        files: FileServer? = nil,
        _ body: (PlannedWorld) async throws -> Void
    ) async throws {
        let world = try await World()
        let servers = files.map { [world.relay.address, $0.server] }
        let alice = try await world.core("alice", servers: servers)
        let bob = try await world.core("bob", servers: servers)
        try await alice.createUser("alice")
        try await bob.createUser("bob")
        if connected { try await connectUsers(alice, 1, to: bob, 1) }
        let planned = PlannedWorld(world, alice, bob, servers)
        try await planned.restart()
        try await body(planned)
        await planned.controller.close()
        await bob.controller.close()
    }

    /// Closes the core of alice, and opens it again.
    /// - Parameter seconds: the time for which the core is closed.
    func restart(after seconds: Int64 = 0) async throws {
        await controller.close()
        advanceClock(by: seconds)
        let again = try await world.core("alice", servers: servers) { $0.plannedMessageClock = { self.now } }
        again.controller.setPlannedRightsLookup { _ in .valid(.all) }
        aliceCore.withLock { $0 = again }
    }

    func advanceClock(by seconds: Int64) { clockTime.withLock { $0 = $0.adding(seconds: seconds) } }

    /// Sends what is due, and returns when nothing more is due.
    func sendDueMessages() async throws { _ = try await controller.plannedMessageWorker.runRound() }

    /// Schedules a text to the first contact.
    func scheduleText(
        _ text: String,
        to receivers: PlannedRequest.Receivers = .chats([ChatRef(chatType: .direct, chatId: 1)]),
        in seconds: Int64? = nil,
        by other: PlannedCaller? = nil
    ) async throws -> PlannedMessage {
        let request = PlannedRequest(
            .scheduled,
            to: receivers,
            PlannedContent(messages: [Self.makeTextMessage(text)]),
            at: seconds.map { now.adding(seconds: $0) }
        )
        return try await controller.planMessages(request, by: other ?? caller) { _ in nil }
    }

    func findScheduled(_ id: Int64) async throws -> PlannedMessage? {
        try await controller.findPlannedMessage(id, .scheduled, for: caller)
    }

    static func makeTextMessage(_ text: String) -> ComposedMessage {
        ComposedMessage(msgContent: .text(text: text), mentions: [:])
    }

    /// The texts that bob has received from alice, in their order.
    func receivedTexts() async throws -> [String] {
        let events = try await bob.events().map(\.event).filter { $0["type"] == "newChatItems" }
        let items: [JSONValue] = events.flatMap { $0["chatItems"]?.arrayValue ?? [] }
        let received = items.filter { $0["chatItem"]?["chatDir"] == ["type": "directRcv"] }
        return received.compactMap { $0["chatItem"]?["content"]?["msgContent"]?["text"]?.stringValue }
    }

    /// The texts in the tables of messages that are sent later.
    func storedTexts() async throws -> [String] {
        try await controller.store.read { db in
            try db.query("SELECT content FROM planned_messages WHERE content IS NOT NULL").map {
                try $0.string("content")
            }
        }
    }
}
