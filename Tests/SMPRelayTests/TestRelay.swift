import Foundation
import Logging
import NIOPosix
import SMP
import SMPRelay
import SimpleXCrypto
import Synchronization
import TestSupport
import Testing

/// A relay in a temporary folder, and the sessions to it.
final class TestRelay {
    static let group = MultiThreadedEventLoopGroup.singleton
    static let logger = {
        var logger = Logger(label: "test-relay")
        logger.logLevel = .error
        return logger
    }()
    var configuration: RelayConfiguration
    private(set) var relay: Relay
    private var sessions: [TestSession] = []

    init(_ change: (inout RelayConfiguration) -> Void = { _ in }) async throws {
        var configuration = RelayConfiguration(directory: NSTemporaryDirectory() + "relay-\(UUID().uuidString)")
        configuration.keyAlgorithm = .ed25519
        configuration.port = TestPort.takeUnused()
        change(&configuration)
        self.configuration = configuration
        relay = try await Relay.start(configuration: configuration, group: Self.group, logger: Self.logger)
    }

    func connect(version: UInt16 = 11, service: ServiceCredentials? = nil) async throws -> TestSession {
        let session = try await TestSession(relay.address, version: version, service: service)
        sessions.append(session)
        return session
    }

    /// Stops the relay, calls `meanwhile`, which may change the log, and starts the relay again in the same folder.
    func restart(_ meanwhile: (_ log: URL) throws -> Void = { _ in }) async throws {
        await relay.stopAndWait()
        try meanwhile(logFile)
        Spawning.waitForChildren()
        relay = try await Relay.start(configuration: configuration, group: Self.group, logger: Self.logger)
    }

    var logFile: URL { URL(fileURLWithPath: configuration.directory + "/queues.log") }

    func stop() async throws {
        for session in sessions { await session.session.close() }
        await relay.stopAndWait()
        try FileManager.default.removeItem(atPath: configuration.directory)
    }
}

/// Runs `body` with a relay that is stopped and removed afterwards.
func withRelay(
    _ change: (inout RelayConfiguration) -> Void = { _ in },
    _ body: (TestRelay) async throws -> Void
) async throws {
    let relay = try await TestRelay(change)
    do {
        try await body(relay)
    } catch {
        try? await relay.stop()
        throw error
    }
    try await relay.stop()
}

/// A queue with the data of its recipient and its sender.
struct TestQueue {
    let rcvID: [UInt8]
    let sndID: [UInt8]
    let rcvKey: AuthorizationPrivateKey
    let sndKey: AuthorizationPrivateKey
    let secret: X25519.SharedSecret
}

/// A client session with its received events.
final class TestSession: Sendable {
    let session: SMPSession
    private let events: EventQueue

    init(_ address: ProtocolServer, version: UInt16 = 11, service: ServiceCredentials? = nil) async throws {
        var configuration = SMPClientConfiguration()
        configuration.serviceCredentials = service
        configuration.versions = ProtocolVersionRange(version)
        let events = EventQueue()
        self.events = events
        session = try await SMPSession.connect(to: address, configuration: configuration, group: TestRelay.group) {
            events.add($0)
        }
    }

    /// Sends a command and returns its answer, also if the answer is ERR.
    func send(
        _ command: ClientCommand,
        _ entityID: [UInt8] = [],
        _ key: AuthorizationPrivateKey? = nil
    ) async throws -> BrokerMessage {
        try await send([SMPRequest(command, entityID: entityID, key: key)])[0]
    }

    func send(_ requests: [SMPRequest]) async throws -> [BrokerMessage] {
        try await session.sendRequests(requests).map { result in
            switch result {
            case .success(let message): message
            case .failure(.smp(let error)): .err(error)
            case .failure(let error): throw error
            }
        }
    }

    /// Waits for the next event of a queue. A message that answers ACK is an event as well.
    func nextEvent() async throws -> (entityID: [UInt8], message: BrokerMessage) {
        guard case .received(let entityID, let message) = try await events.nextEvent() else {
            throw SMPClientError.closed
        }
        return (entityID, message)
    }

    /// Returns when the relay has ended the session.
    func waitUntilClosed() async throws {
        while true {
            if case .closed = try await events.nextEvent() { return }
        }
    }

    /// Expects that no event waits. The relay sends in order, so an event would arrive before the answer to PING.
    func expectSilence(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        #expect(try await send(.ping) == .pong, sourceLocation: sourceLocation)
        #expect(events.isEmpty, sourceLocation: sourceLocation)
    }

    // MARK: Steps of many tests

    func createQueue(
        subscribe: Bool = true,
        mode: QueueMode = .messaging,
        password: String? = nil,
        rcvKey: AuthorizationPrivateKey? = nil,
        sndKey: AuthorizationPrivateKey? = nil
    ) async throws -> TestQueue {
        let rcvKey = try rcvKey ?? .ed25519(Ed25519.PrivateKey())
        let sndKey = try sndKey ?? .x25519(X25519.PrivateKey())
        let dhKey = try X25519.PrivateKey()
        let request = NewQueueRequest(
            authKey: rcvKey.publicKey,
            dhKey: dhKey.publicKey,
            password: password,
            subscription: subscribe ? .subscribe : .onlyCreate,
            data: mode == .messaging ? .messaging(nil) : .contact(nil)
        )
        let answer = try await send(.new(request), [], rcvKey)
        guard case .ids(let ids) = answer else { throw UnexpectedAnswer(answer: answer) }
        return TestQueue(
            rcvID: ids.rcvID,
            sndID: ids.sndID,
            rcvKey: rcvKey,
            sndKey: sndKey,
            secret: try dhKey.sharedSecret(with: ids.dhKey)
        )
    }

    func post(_ text: String, to queue: TestQueue, secured: Bool = false) async throws -> BrokerMessage {
        try await send(.send(.none, body: Array(text.utf8)), queue.sndID, secured ? queue.sndKey : nil)
    }

    func acknowledge(_ id: [UInt8], _ queue: TestQueue) async throws -> BrokerMessage {
        try await send(.ack(messageID: id), queue.rcvID, queue.rcvKey)
    }

    /// Waits for the next event, which has to be a message of this queue.
    func nextMessage(_ queue: TestQueue) async throws -> TestMessage {
        let event = try await nextEvent()
        guard event.entityID == queue.rcvID else { throw UnexpectedAnswer(answer: event.message) }
        return try TestMessage(event.message, queue)
    }

    /// Acknowledges messages until the queue is empty, and returns all of them.
    func drainQueue(_ queue: TestQueue, from first: TestMessage) async throws -> [TestMessage] {
        var messages = [first]
        while true {
            let answer = try await acknowledge(messages[messages.count - 1].id, queue)
            if case .ok = answer { return messages }
            // The message of the answer is also an event.
            _ = try await nextEvent()
            messages.append(try TestMessage(answer, queue))
        }
    }
}

struct UnexpectedAnswer: Error {
    let answer: BrokerMessage
}

struct TestMessage: Equatable {
    let id: [UInt8]
    let body: RcvMessageBody

    init(_ message: BrokerMessage, _ queue: TestQueue) throws {
        guard case .msg(let id, let encBody) = message else { throw UnexpectedAnswer(answer: message) }
        self.id = id
        body = try RcvMessageBody(opening: encBody, secret: queue.secret, messageID: id)
    }

    var text: String {
        if case .message(_, _, let body) = body { String(decoding: body, as: UTF8.self) } else { "QUOTA" }
    }
}

/// Queue of session events, for one reader at a time.
final class EventQueue: Sendable {
    private let stream: AsyncStream<SMPSessionEvent>
    private let continuation: AsyncStream<SMPSessionEvent>.Continuation
    private let count = Mutex(0)

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func add(_ event: SMPSessionEvent) {
        count.withLock { $0 += 1 }
        continuation.yield(event)
    }

    var isEmpty: Bool { count.withLock { $0 } == 0 }

    func nextEvent() async throws -> SMPSessionEvent {
        var iterator = stream.makeAsyncIterator()
        guard let event = await iterator.next() else { throw SMPClientError.closed }
        count.withLock { $0 -= 1 }
        return event
    }
}
