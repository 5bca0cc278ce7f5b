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
    private let maxWait: Duration
    let world: World
    /// The relay that was started in the place of the world's relay.
    var restartedRelay: Relay?
    /// The file server of the recording.
    private var fileServer: FileServer?
    var participants: [String: Participant] = [:]
    private var substitutions = Substitutions()
    /// The differences, each with the step at which it was found first.
    private var differences: [String: String] = [:]
    /// The present step: its number in the recording, the client, and the command or remark.
    private var step = "before the first step"
    private var comparedCount = 0
    private var unsupportedCategories = LaterCategories()
    /// Accepted differences. The run does not wait for their events.
    private let acceptedDifferences: [AcceptedDifference]
    private let eventSignal = EventSignal()
    /// The keys of the databases. A database without an entry has a key of the world.
    var databaseKeys: [String: DatabaseKey] = [:]

    struct Outcome: Sendable {
        /// The differences, each with the step at which it was found first.
        var differences: [String: String]
        /// Number of compared answers and events.
        var comparedCount: Int
    }

    /// - Parameter patience: the longest wait for an event of the recording.
    static func runReplay(
        of name: String,
        accepted: AcceptedDifferences,
        patience: Duration = .seconds(60)
    ) async throws -> Outcome {
        let replay = try await Replay(
            Recording(name),
            accepted.specificDifferences(of: name) + accepted.generalDifferences,
            patience
        )
        try await replay.runCommands()
        return Outcome(differences: replay.differences, comparedCount: replay.comparedCount)
    }

    private init(_ recording: Recording, _ accepted: [AcceptedDifference], _ patience: Duration) async throws {
        self.recording = recording
        self.acceptedDifferences = accepted
        self.maxWait = patience
        world = try await World()
    }

    private func runCommands() async throws {
        let data = world.directory.appending(path: "data")
        substitutions.learnText("/data/", is: data.path + "/", atLeast: 0)
        let server = try await FileServer()
        fileServer = server
        if let address = recording.fileServer {
            substitutions.learnText(address, is: server.server.str)
            // Some texts name this server with another scheme, so the part after the scheme is replaced too.
            substitutions.learnText(
                Self.addressAuthority(of: address),
                is: Self.addressAuthority(of: server.server.str)
            )
        }
        for client in recording.clientNames where !recording.isSecondCopy(client) {
            try FileManager.default.createDirectory(
                at: data.appending(path: "\(recording.name)/\(client)"),
                withIntermediateDirectories: true
            )
            if recording.isUnencrypted { databaseKeys[client] = DatabaseKey.none }
            let participant = Participant(try await openCore(client, started: !recording.beginsStopped(client)))
            try await participant.core.createUser(client, isChatRelay: recording.isChatRelay(client))
            participants[client] = participant
        }
        if let address = recording.relayAddress {
            substitutions.learnText(address, is: world.relay.address.description)
            substitutions.learnText(
                Self.addressHost(of: address),
                is: Self.addressHost(of: world.relay.address.description),
                atLeast: 0
            )
        }
        for (position, step) in recording.steps.enumerated() {
            switch step {
            case .event(let client, let event):
                if let event = unsupportedCategories.supportedPart(of: event, for: client) {
                    participants[client]?.expectEvent(event, at: position)
                }
            case .remark(let text):
                self.step = "step \(position): \(text)"
                try await waitForEvents()
                try await repeatActions(on: text)
            case .command(let client, let text, let answer):
                self.step = "step \(position), \(client): \(text.prefix(60))"
                try await waitForEvents()
                try await runCommand(client, text, answer)
            }
        }
        step = "after the last step"
        try await waitForEvents(everything: true)
        for (client, participant) in participants.sorted(by: { $0.key < $1.key }) {
            for event in participant.unexpectedEvents where !participant.mayBeMissing(event) {
                recordDifference(Self.extraEventText(client, event))
            }
            for order in participant.disorderedEvents { recordDifference("\(client) is told \(order)") }
            await participant.core.controller.close()
        }
        await restartedRelay?.stopAndWait()
        await fileServer?.stop()
    }

    func openCore(_ client: String, started: Bool = true) async throws -> Core {
        let servers = fileServer.map { [world.relay.address, $0.server] }
        // This server replaces a server in the public network, which a test must not use.
        let notifications = try ProtocolServer(parsing: Self.notificationServer.key + "@127.0.0.1:1")
        substitutions.learnText(Self.notificationServer.key + Self.notificationServer.hosts, is: notifications.str)
        let core = try await world.core(
            client,
            key: databaseKeys[client],
            started: started,
            servers: servers,
            emitsHostSessionEvents: recording.reportsHosts
        ) {
            $0.notificationServers = [notifications]
        }
        core.controller.journal.onPublish { [eventSignal] _ in eventSignal.signal() }
        // The original stores files unencrypted by default.
        core.controller.services.folders.setFileEncryption(false)
        return core
    }

    /// The address of the notification server in the recordings.
    private static let notificationServer = (
        key: "ntf://KmpZNNXiVZJx_G2T7jRUmDFxWXM3OAnunz3uLT0tqAA=",
        hosts: "@ntf3.simplex.im,pxculznuryunjdvtvh6s6szmanyadumpbmvevgdpe4wk5c65unyt4yid.onion"
    )

    private static func addressAuthority(of address: String) -> String {
        String(address.drop { $0 != "/" }.dropFirst(2))
    }
    private static func addressHost(of address: String) -> String { String(address.drop { $0 != "@" }.dropFirst()) }

    private func runCommand(_ client: String, _ recorded: String, _ answer: JSONValue) async throws {
        guard let core = participants[client]?.core else { return }
        if let leftOut = acceptedDifferences.first(where: { $0.leavesOutCommand(recorded) }) {
            recordDifference(leftOut.difference)
            return
        }
        var text = substitutions.applied(to: recorded, of: client)
        for difference in acceptedDifferences {
            guard let other = difference.replacementCommand(for: recorded) else { continue }
            text = substitutions.applied(to: other, of: client)
            recordDifference(difference.difference)
        }
        let name = Self.commandName(of: recorded)
        try writeFiles(of: answer, core)
        if try await damageTables(core, recorded) { return }
        guard !unsupportedCategories.isRecorderCommand(text) else {
            return recordMissingAnswer(recorded, name, answer, client)
        }
        let result: APIResult<ChatResponse>
        if text.hasPrefix("/_get chat #") || text.hasPrefix("/_get items") { try await spreadTimes(core) }
        do {
            result = await core.controller.send(try ChatCommand(parsing: text), with: .all)
        } catch CommandParseError.unsupported {
            recordMissingAnswer(recorded, name, answer, client)
            return
        } catch {
            result = .error(CommandParseError.malformed.chatError)
        }
        switch result {
        case .error(let error):
            if error.notImplementedCommand != nil {
                recordMissingAnswer(recorded, name, answer, client)
                return
            }
            let ours = try JSONEncoder().encodeValue(error)
            if unsupportedCategories.category(of: recorded) != nil {
                return recordMissingAnswer(recorded, name, answer, client)
            }
            guard let expected = answer["chatError"] else {
                recordDifference(
                    "\(name) is refused (\(EventSignature.errorTags(of: ours))) where it was answered \(answer["type"]?.text ?? "")"
                )
                return
            }
            if EventSignature.errorTags(of: expected) != EventSignature.errorTags(of: ours) {
                recordDifference(
                    "\(name) is refused with \(EventSignature.errorTags(of: ours)) for \(EventSignature.errorTags(of: expected))"
                )
            } else {
                compareValues(expected, ours, client, at: "chatError")
            }
        case .result(let response):
            let ours = try JSONEncoder().encodeValue(response)
            if ours["type"] != answer["type"] {
                let expected =
                    answer["chatError"].map { "refused with " + EventSignature.errorTags(of: $0) } ?? answer["type"]?
                    .stringValue ?? ""
                recordDifference("\(name) is answered \(ours["type"]?.stringValue ?? "") for \(expected)")
            } else {
                compareValues(answer, ours, client, at: ours["type"]?.stringValue ?? "")
            }
        }
    }

    /// Writes the files that the command sends, with the sizes of the recorded files.
    private func writeFiles(of answer: JSONValue, _ core: Core) throws {
        for element in answer["chatItems"]?.arrayValue ?? [] {
            guard let file = element["chatItem"]?["file"], let name = file["fileSource"]?["filePath"]?.stringValue,
                !name.contains("/"),
                let size = file["fileSize"]?.integerValue, core.readStoredFile(name) == nil
            else { continue }
            try core.writeFile(name, sampleBytes(Int(size)))
        }
    }

    /// The times at which items were sent, also of items that were deleted later.
    private var sentTimes: [[UInt8]: Int64] = [:]

    /// Items of a group are sorted by time, and received items have whole seconds. In the recording most events were at
    /// least a second apart, but here many are in the same second. So the items get times in the order of their
    /// arrival, and items sent before the chat existed get times in the order of sending.
    private func spreadTimes(_ core: Core) async throws {
        for participant in participants.values where participant.core.controller.isReady {
            let items = try await participant.core.controller.store.read { db in
                try db.query(
                    "SELECT shared_msg_id, item_ts FROM chat_items WHERE item_sent = 1 AND shared_msg_id IS NOT NULL"
                )
                .map { (try $0.blob("shared_msg_id"), try $0.int64("item_ts")) }
            }
            for (id, time) in items { sentTimes[id] = time }
        }
        let group = ChatKey.Kind.group.rawValue
        try await core.controller.store.write { [sentTimes] tx in
            try tx.db.execute(
                "UPDATE chat_items SET order_ts = created_at WHERE chat_type = ? AND abs(created_at - item_ts) < 5000000000",
                [group]
            )
            // The items of all chats are sorted by the time of sending.
            try tx.db.execute(
                "UPDATE chat_items SET item_ts = created_at WHERE chat_type = ? AND item_ts BETWEEN created_at - 5000000000 AND created_at",
                [group]
            )
            for (id, time) in sentTimes {
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
    private func recordMissingAnswer(_ command: String, _ name: String, _ answer: JSONValue, _ client: String) {
        if unsupportedCategories.category(of: command) == nil { recordDifference("\(name) is not served") }
        unsupportedCategories.recordMissingResults(answer: answer, of: client)
    }

    private func compareValues(
        _ recorded: JSONValue,
        _ ours: JSONValue,
        _ client: String,
        at place: String,
        event: String? = nil
    ) {
        var comparison = ShapeComparison(
            client: client,
            learned: substitutions,
            later: unsupportedCategories,
            event: event
        )
        comparison.compareShapes(recorded, ours, at: place)
        substitutions = comparison.substitutions
        comparedCount += 1
        for difference in comparison.differences { recordDifference(difference) }
    }

    /// Waits until all recorded events so far have arrived. A missing event is a difference.
    /// - Parameter everything: whether to wait also for accepted events that the recording does not have.
    private func waitForEvents(everything: Bool = false) async throws {
        let news = eventSignal.signals(for: maxWait)
        for await _ in news {
            if try await isSettled(everything: everything) { break }
        }
        for (client, participant) in participants {
            for event in participant.stopWaiting() { recordDifference(Self.missingEventText(client, event)) }
        }
    }

    /// Reads the new events, and returns whether no event is missing.
    private func isSettled(everything: Bool) async throws -> Bool {
        var isSettled = true
        for (client, participant) in participants {
            for (recorded, ours) in try await participant.matchNewEvents() {
                compareValues(
                    recorded,
                    ours,
                    client,
                    at: ours["type"]?.stringValue ?? "",
                    event: ours["type"]?.stringValue
                )
            }
            if participant.expectedEvents.contains(where: { !isAccepted(Self.missingEventText(client, $0)) }) {
                isSettled = false
            }
            for event in participant.unexpectedEvents where everything && !participant.mayBeMissing(event) {
                recordDifference(Self.extraEventText(client, event))
            }
        }
        guard everything, isSettled else { return isSettled }
        return acceptedDifferences.allSatisfy { accepted in
            accepted.recordings.isEmpty || accepted.isOptional || !accepted.difference.contains(" is told ")
                || differences.keys.contains(where: accepted.coversDifference)
        }
    }

    private func recordDifference(_ difference: String) {
        if differences[difference] == nil { differences[difference] = step }
    }

    private func isAccepted(_ difference: String) -> Bool {
        acceptedDifferences.contains { $0.coversDifference(difference) }
    }

    private static func extraEventText(_ client: String, _ event: JSONValue) -> String {
        "\(client) is told \(EventSignature.signature(event))"
    }
    private static func missingEventText(_ client: String, _ event: JSONValue) -> String {
        "\(client) is not told \(EventSignature.signature(event))"
    }

    /// Returns the words of a command before its arguments.
    private static func commandName(of command: String) -> String {
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
private final class EventSignal: Sendable {
    private let waitingContinuation = Mutex<AsyncStream<Void>.Continuation?>(nil)

    func signal() { waitingContinuation.withLock { _ = $0?.yield() } }

    /// Emits a signal immediately and at each event, and ends after the time.
    func signals(for time: Duration) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let timer = Task {
            try await Task.sleep(for: time)
            continuation.finish()
        }
        continuation.onTermination = { _ in timer.cancel() }
        continuation.yield()
        waitingContinuation.withLock { $0 = continuation }
        return stream
    }
}
