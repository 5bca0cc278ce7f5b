import ChatAPI
import Foundation
import JSON
import SMP
import SMPRelay
import SimpleXCrypto
import Synchronization
import XFTPTestSupport

@testable import ChatCore
@testable import ChatStore

/// A run of the commands of a recording with cores of this program. Each command waits until the events that preceded
/// it in the recording have arrived. The run records how answers and events differ.
final class Replay {
    let recording: Recording
    /// The longest wait for an event of the recording.
    private let patience: Duration
    let world: World
    /// The relay that was started in the place of the world's relay.
    var relay: Relay?
    /// The file server of the recording.
    private var files: FileServer?
    var participants: [String: Participant] = [:]
    private var learned = Substitutions()
    private var differences: Set<String> = []
    private var compared = 0
    private var later = LaterCategories()
    /// Accepted differences. The run does not wait for their events.
    private let accepted: [AcceptedDifference]
    private let bell = Bell()
    /// The keys of the databases. A database without an entry has a key of the world.
    var keys: [String: DatabaseKey] = [:]

    struct Outcome: Sendable {
        var differences: Set<String>
        /// Number of compared answers and events.
        var compared: Int
    }

    /// - Parameter patience: the longest wait for an event of the recording.
    static func outcome(
        of name: String,
        accepted: AcceptedDifferences,
        patience: Duration = .seconds(60)
    ) async throws -> Outcome {
        let replay = try await Replay(Recording(name), accepted.own(of: name) + accepted.general, patience)
        try await replay.run()
        return Outcome(differences: replay.differences, compared: replay.compared)
    }

    private init(_ recording: Recording, _ accepted: [AcceptedDifference], _ patience: Duration) async throws {
        self.recording = recording
        self.accepted = accepted
        self.patience = patience
        world = try await World()
    }

    private func run() async throws {
        let data = world.directory.appending(path: "data")
        learned.learn("/data/", is: data.path + "/", atLeast: 0)
        let server = try await FileServer()
        files = server
        if let address = recording.fileServer {
            learned.learn(address, is: server.server.str)
            // The address is also requested with another scheme.
            learned.learn(Self.authority(of: address), is: Self.authority(of: server.server.str))
        }
        for client in recording.clients where !recording.isCopy(client) {
            try FileManager.default.createDirectory(
                at: data.appending(path: "\(recording.name)/\(client)"),
                withIntermediateDirectories: true
            )
            if recording.isUnencrypted { keys[client] = DatabaseKey.none }
            let participant = Participant(try await open(client, started: !recording.beginsStopped(client)))
            try await participant.core.createUser(client, isChatRelay: recording.isChatRelay(client))
            participants[client] = participant
        }
        if let address = recording.relayAddress {
            learned.learn(address, is: world.relay.address.description)
            learned.learn(Self.host(of: address), is: Self.host(of: world.relay.address.description), atLeast: 0)
        }
        for (position, step) in recording.steps.enumerated() {
            switch step {
            case .event(let client, let event):
                if let event = later.supportedPart(of: event, for: client) {
                    participants[client]?.expect(event, at: position)
                }
            case .remark(let text):
                try await settle()
                try await act(on: text)
            case .command(let client, let text, let answer):
                try await settle()
                try await ask(client, text, answer)
            }
        }
        try await settle(everything: true)
        for (client, participant) in participants.sorted(by: { $0.key < $1.key }) {
            for event in participant.unexpected where !participant.mayBeMissing(event) {
                differences.insert(Self.extraEvent(client, event))
            }
            differences.formUnion(participant.disorder.map { "\(client) is told \($0)" })
            await participant.core.controller.close()
        }
        await relay?.stop()
        await files?.stop()
    }

    func open(_ client: String, started: Bool = true) async throws -> Core {
        let servers = files.map { [world.relay.address, $0.server] }
        // This server replaces a server in the public network, which a test must not use.
        let notifications = try ProtocolServer(parsing: Self.notificationServer.key + "@127.0.0.1:1")
        learned.learn(Self.notificationServer.key + Self.notificationServer.hosts, is: notifications.str)
        let core = try await world.core(
            client,
            key: keys[client],
            started: started,
            servers: servers,
            emitsHosts: recording.emitsHosts
        ) {
            $0.notificationServers = [notifications]
        }
        core.controller.journal.onPublish { [bell] _ in bell.ring() }
        // The original stores files unencrypted by default.
        core.controller.services.folders.setFileEncryption(false)
        return core
    }

    /// The address of the notification server in the recordings.
    private static let notificationServer = (
        key: "ntf://KmpZNNXiVZJx_G2T7jRUmDFxWXM3OAnunz3uLT0tqAA=",
        hosts: "@ntf3.simplex.im,pxculznuryunjdvtvh6s6szmanyadumpbmvevgdpe4wk5c65unyt4yid.onion"
    )

    private static func authority(of address: String) -> String { String(address.drop { $0 != "/" }.dropFirst(2)) }
    private static func host(of address: String) -> String { String(address.drop { $0 != "@" }.dropFirst()) }

    private func ask(_ client: String, _ recorded: String, _ answer: JSONValue) async throws {
        guard let core = participants[client]?.core else { return }
        if let leftOut = accepted.first(where: { $0.leavesOut(recorded) }) {
            differences.insert(leftOut.difference)
            return
        }
        var text = learned.applied(to: recorded, of: client)
        for difference in accepted {
            guard let other = difference.replacement(for: recorded) else { continue }
            text = learned.applied(to: other, of: client)
            differences.insert(difference.difference)
        }
        let name = Self.name(of: recorded)
        try putFiles(of: answer, core)
        if try await damage(core, recorded) { return }
        guard !later.leavesOut(text) else { return leaveOut(recorded, name, answer, client) }
        let result: APIResult<ChatResponse>
        if text.hasPrefix("/_get chat #") { try await spread(core) }
        do {
            result = await core.controller.send(try ChatCommand(parsing: text), with: .all)
        } catch CommandParseError.unsupported {
            leaveOut(recorded, name, answer, client)
            return
        } catch {
            result = .error(CommandParseError.malformed.chatError)
        }
        switch result {
        case .error(let error):
            if error.notImplementedCommand != nil {
                leaveOut(recorded, name, answer, client)
                return
            }
            let ours = try JSONEncoder().encodeValue(error)
            if later.category(of: recorded) != nil { return leaveOut(recorded, name, answer, client) }
            guard let expected = answer["chatError"] else {
                differences.insert(
                    "\(name) is refused (\(EventSignature.tags(of: ours))) where it was answered \(answer["type"]?.text ?? "")"
                )
                return
            }
            if EventSignature.tags(of: expected) != EventSignature.tags(of: ours) {
                differences.insert(
                    "\(name) is refused with \(EventSignature.tags(of: ours)) for \(EventSignature.tags(of: expected))"
                )
            } else {
                compare(expected, ours, client, at: "chatError")
            }
        case .result(let response):
            let ours = try JSONEncoder().encodeValue(response)
            if ours["type"] != answer["type"] {
                let expected =
                    answer["chatError"].map { "refused with " + EventSignature.tags(of: $0) } ?? answer["type"]?
                    .stringValue ?? ""
                differences.insert("\(name) is answered \(ours["type"]?.stringValue ?? "") for \(expected)")
            } else {
                compare(answer, ours, client, at: ours["type"]?.stringValue ?? "")
            }
        }
    }

    /// Writes the files that the command sends, with the sizes of the recorded files.
    private func putFiles(of answer: JSONValue, _ core: Core) throws {
        for element in answer["chatItems"]?.arrayValue ?? [] {
            guard let file = element["chatItem"]?["file"], let name = file["fileSource"]?["filePath"]?.stringValue,
                !name.contains("/"),
                let size = file["fileSize"]?.integerValue, core.stored(name) == nil
            else { continue }
            try core.put(name, sample(Int(size)))
        }
    }

    /// The times at which items were sent, also of items that were deleted later.
    private var sent: [[UInt8]: Int64] = [:]

    /// Items of a group are sorted by time, and received items have whole seconds. In the recording most events were at
    /// least a second apart, but here many are in the same second. So the items get times in the order of their
    /// arrival, and items sent before the chat existed get times in the order of sending.
    private func spread(_ core: Core) async throws {
        for participant in participants.values where participant.core.controller.isReady {
            let items = try await participant.core.controller.store.read { db in
                try db.query(
                    "SELECT shared_msg_id, item_ts FROM chat_items WHERE item_sent = 1 AND shared_msg_id IS NOT NULL"
                )
                .map { (try $0.blob("shared_msg_id"), try $0.int64("item_ts")) }
            }
            for (id, time) in items { sent[id] = time }
        }
        let group = ChatKey.Kind.group.rawValue
        try await core.controller.store.write { [sent] tx in
            try tx.db.execute(
                "UPDATE chat_items SET order_ts = created_at WHERE chat_type = ? AND abs(created_at - item_ts) < 5000000000",
                [group]
            )
            for (id, time) in sent {
                try tx.db.execute(
                    """
                    UPDATE chat_items SET order_ts = ? WHERE chat_type = ? AND shared_msg_id = ?
                      AND ? < (SELECT min(created_at) FROM chat_items AS own WHERE own.chat_type = chat_items.chat_type AND own.chat_id = chat_items.chat_id)
                    """,
                    [time, group, id, time]
                )
            }
        }
    }

    /// Accepts a missing answer only for commands of categories that are not supported.
    private func leaveOut(_ command: String, _ name: String, _ answer: JSONValue, _ client: String) {
        if later.category(of: command) == nil { differences.insert("\(name) is not served") }
        later.leaveOut(answer: answer, of: client)
    }

    private func compare(
        _ recorded: JSONValue,
        _ ours: JSONValue,
        _ client: String,
        at place: String,
        event: String? = nil
    ) {
        var comparison = ShapeComparison(client: client, learned: learned, later: later, event: event)
        comparison.compare(recorded, ours, at: place)
        learned = comparison.learned
        compared += 1
        differences.formUnion(comparison.differences)
    }

    /// Waits until all recorded events so far have arrived. A missing event is a difference.
    /// - Parameter everything: whether to wait also for accepted events that the recording does not have.
    private func settle(everything: Bool = false) async throws {
        let news = bell.rings(for: patience)
        for await _ in news {
            if try await isSettled(everything: everything) { break }
        }
        for (client, participant) in participants {
            for event in participant.stopWaiting() { differences.insert(Self.missingEvent(client, event)) }
        }
    }

    /// Reads the new events, and returns whether no event is missing.
    private func isSettled(everything: Bool) async throws -> Bool {
        var isSettled = true
        for (client, participant) in participants {
            for (recorded, ours) in try await participant.matchNewEvents() {
                compare(recorded, ours, client, at: ours["type"]?.stringValue ?? "", event: ours["type"]?.stringValue)
            }
            if participant.expected.contains(where: { !isAccepted(Self.missingEvent(client, $0)) }) {
                isSettled = false
            }
            for event in participant.unexpected where everything && !participant.mayBeMissing(event) {
                differences.insert(Self.extraEvent(client, event))
            }
        }
        guard everything, isSettled else { return isSettled }
        return accepted.allSatisfy { accepted in
            accepted.recordings.isEmpty || accepted.isAtTimes || !accepted.difference.contains(" is told ")
                || differences.contains(where: accepted.covers)
        }
    }

    private func isAccepted(_ difference: String) -> Bool { accepted.contains { $0.covers(difference) } }

    private static func extraEvent(_ client: String, _ event: JSONValue) -> String {
        "\(client) is told \(EventSignature.of(event))"
    }
    private static func missingEvent(_ client: String, _ event: JSONValue) -> String {
        "\(client) is not told \(EventSignature.of(event))"
    }

    /// Returns the words of a command before its arguments.
    private static func name(of command: String) -> String {
        let words = command.split(separator: " ", omittingEmptySubsequences: false)
        guard let first = words.first else { return command }
        guard first.hasPrefix("/") else { return "«\(first.prefix(1))…»" }
        let more = words.dropFirst().prefix { $0.wholeMatch(of: /[a-z]+/) != nil }.prefix(2)
        let rest = words.dropFirst(more.count + 1).first ?? ""
        // Direct chats, groups and notes belong to different categories.
        let kind = rest.wholeMatch(of: /[@#*:][0-9]+/) != nil ? [rest.prefix(1)] : []
        return ([first] + more + kind).joined(separator: " ")
    }
}

/// Wakes tasks that wait for events.
private final class Bell: Sendable {
    private let listener = Mutex<AsyncStream<Void>.Continuation?>(nil)

    func ring() { listener.withLock { _ = $0?.yield() } }

    /// Emits a signal immediately and at each event, and ends after the time.
    func rings(for time: Duration) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let timer = Task {
            try await Task.sleep(for: time)
            continuation.finish()
        }
        continuation.onTermination = { _ in timer.cancel() }
        continuation.yield()
        listener.withLock { $0 = continuation }
        return stream
    }
}
