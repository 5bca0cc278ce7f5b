import Concurrency
import Foundation
import NIOPosix
import SMP
import SMPRelay
import SQLCipher
import Synchronization
import TestSupport

@testable import Agent

/// A folder that is removed when the object is released.
final class TemporaryFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("agent-\(UUID().uuidString)").path

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// An agent with its database in a temporary folder. It records its events, and a test can wait for them.
final class TestAgent: Sendable {
    struct TimedOut: Error, CustomStringConvertible {
        var waitedFor: String
        var seenEvents: [String]
        var description: String { "no \(waitedFor); seen: \(seenEvents)" }
    }
    /// The error of a handler that refuses an event.
    private struct HandlerEnded: Error {}
    private struct State {
        var events: [AgentEvent] = []
        var waiters: [(Int, CheckedContinuation<Void, Never>)] = []
    }

    let folder: TemporaryFolder
    let agent: Agent
    let user: AgentUserID
    private let state = Mutex(State())
    private let acknowledges: Bool
    private let givesReceipts: Bool

    /// Opens an agent in `folder`, or in a new folder. With `acknowledges` it acknowledges messages as they arrive, and
    /// with `givesReceipts` it also sends receipts. With `endsAt` the handler fails at the message with this text.
    /// `configure` can change all other settings, also the times.
    init(
        _ server: ProtocolServer,
        folder: TemporaryFolder? = nil,
        user: AgentUserID? = nil,
        isService: Bool = false,
        acknowledges: Bool = true,
        queueMode: QueueMode = .messaging,
        versions: ProtocolVersionRange = SupportedVersions.client,
        proxy: ProxyPolicy = ProxyPolicy(),
        givesReceipts: Bool = false,
        endsAt last: String? = nil,
        configure: (inout AgentConfiguration) -> Void = { _ in }
    ) async throws {
        self.givesReceipts = givesReceipts
        self.folder = try folder ?? TemporaryFolder()
        self.acknowledges = acknowledges
        var configuration = AgentConfiguration(
            databasePath: self.folder.path + "/agent.db",
            databaseKey: .raw([UInt8](repeating: 1, count: 32))
        )
        configuration.sendRetry = Backoff.makeRetryBackoff(.milliseconds(20), limit: .milliseconds(200))
        configuration.quotaRetry = Backoff.makeRetryBackoff(.milliseconds(100), limit: .seconds(1))
        configuration.clientConfiguration.reconnectBackoff.initialDelay = .milliseconds(20)
        configuration.clientConfiguration.reconnectBackoff.maxDelay = .milliseconds(200)
        configuration.queueMode = queueMode
        configuration.clientConfiguration.versions = versions
        configuration.proxyPolicy = proxy
        configure(&configuration)
        agent = try await Agent.open(configuration: configuration, group: MultiThreadedEventLoopGroup.singleton)
        if let user {
            self.user = user
        } else {
            self.user = try await agent.createUser(servers: [AgentServer(server)], isService: isService)
        }
        try await agent.start { [weak self] events in
            for event in events {
                await self?.recordEvent(event)
                if case .message(_, _, _, let body) = event, let last, body == Array(last.utf8) { throw HandlerEnded() }
            }
        }
    }

    /// Sets the servers of the user. Nil leaves the present ones.
    func setServers(relays: [AgentServer]? = nil, files: [AgentServer]? = nil) async throws {
        let present = try await agent.database.read { [user] in
            (try readServers(of: user, $0), try readFileServers(of: user, $0))
        }
        try await agent.setServers([
            AgentUserServers(user: user, relays: relays ?? present.0, fileServers: files ?? present.1)
        ])
    }

    private func recordEvent(_ event: AgentEvent) async {
        // The message is acknowledged before the waiting test gets the event, since the test may then close the agent.
        if acknowledges, case .message(let id, let meta, _, _) = event {
            agent.acknowledgeMessages(
                connection: id,
                messageIDs: [meta.recipientInfo.id],
                receipts: givesReceipts ? [meta.recipientInfo.id] : []
            )
        }
        let ready = state.withLock { state in
            state.events.append(event)
            let ready = state.waiters.filter { $0.0 <= state.events.count }
            state.waiters.removeAll { $0.0 <= state.events.count }
            return ready
        }
        for waiting in ready { waiting.1.resume() }
    }

    var events: [AgentEvent] { state.withLock { $0.events } }

    var messageCount: Int { events.count { if case .message = $0 { true } else { false } } }

    /// Waits for the first event for which `pick` returns a value, and returns the value. Earlier events count too.
    func waitForFirst<T: Sendable>(_ what: String, _ pick: @escaping @Sendable (AgentEvent) -> T?) async throws -> T {
        try await waitForAll(what, 1, pick)[0]
    }

    /// Waits for the first `count` values that `pick` returns for events.
    func waitForAll<T: Sendable>(
        _ what: String,
        _ count: Int,
        within seconds: Int = 60,
        _ pick: @escaping @Sendable (AgentEvent) -> T?
    ) async throws -> [T] {
        try await withThrowingTaskGroup(of: [T].self) { group in
            group.addTask {
                while true {
                    let events = self.events
                    let found = events.compactMap(pick)
                    if found.count >= count { return Array(found.prefix(count)) }
                    try Task.checkCancellation()
                    await self.waitForMore(than: events.count)
                }
            }
            group.addTask {
                try await sleepThroughLimit(.seconds(seconds))
                self.resumeWaiters()
                throw TimedOut(waitedFor: what, seenEvents: self.events.map { "\($0)".prefix(60).description })
            }
            defer { group.cancelAll(); resumeWaiters() }
            return try await group.next() ?? []
        }
    }

    private func waitForMore(than count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.events.count > count { return true }
                state.waiters.append((count + 1, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    private func resumeWaiters() {
        let waiting = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiting in waiting { waiting.1.resume() }
    }

    func waitUntilConnected(_ id: ConnectionID) async throws {
        _ = try await waitForFirst("connected") { if case .connected(id) = $0 { true } else { nil } }
    }

    /// Waits for the first `count` message bodies, and returns them as text.
    func waitForTexts(_ count: Int, within seconds: Int = 60) async throws -> [String] {
        try await waitForAll("\(count) messages", count, within: seconds) {
            if case .message(_, _, _, let body) = $0 { String(decoding: body, as: UTF8.self) } else { nil }
        }
    }

    func send(_ texts: [String], on id: ConnectionID) async throws {
        let results = try await agent.sendMessages(
            texts.map {
                OutgoingMessage(connection: id, notify: true, body: Array($0.utf8), externalID: "\(id.text) \($0)")
            }
        )
        for result in results { _ = try result.get() }
    }
}

/// A relay in a temporary folder.
struct TestRelay {
    let folder: TemporaryFolder
    let relay: Relay

    init(
        folder: TemporaryFolder? = nil,
        port: Int = TestPort.takeUnused(),
        quota: Int = 128,
        versions: ProtocolVersionRange = SupportedVersions.relay,
        names: [NameDomain: [UInt8]]? = nil
    ) async throws {
        self.folder = try folder ?? TemporaryFolder()
        var configuration = RelayConfiguration(directory: self.folder.path, port: port)
        configuration.maxMessagesPerQueue = quota
        configuration.versions = versions
        configuration.nameRecords = names
        Spawning.waitForChildren()
        relay = try await Relay.start(configuration: configuration, group: MultiThreadedEventLoopGroup.singleton)
    }

    var address: ProtocolServer { relay.address }
}

/// Connects two agents, and returns each agent's id of the connection.
func connect(_ alice: TestAgent, _ bob: TestAgent) async throws -> (ConnectionID, ConnectionID) {
    let (aliceID, request) = try await alice.agent.createInvitation(user: alice.user)
    let link = try ConnectionRequest(parsing: request.uri)
    let bobID = try await bob.agent.prepareJoin(user: bob.user, request: link)
    _ = try await bob.agent.join(connection: bobID, request: link, connInfo: Array("bob".utf8))
    let confirmation = try await alice.waitForFirst("confirmation") { event -> ConfirmationID? in
        if case .confirmation(aliceID, let id, let info) = event, info == Array("bob".utf8) { id } else { nil }
    }
    try await alice.agent.allow(connection: aliceID, confirmation: confirmation, connInfo: Array("alice".utf8))
    try await alice.waitUntilConnected(aliceID)
    try await bob.waitUntilConnected(bobID)
    return (aliceID, bobID)
}
