import Testing
import TestSupport

/// The recorded conversations, held again by cores of our own.
@Suite(.overSockets) struct RecordedConversationTests {
    @Test("A conversation with contacts goes as it was recorded", arguments: Replays.conversations)
    func conversation(name: String) async throws { try await check(name) }

    @Test("A conversation in groups goes as it was recorded", arguments: Replays.groups)
    func group(name: String) async throws { try await check(name) }

    @Test("Files go as they were recorded", arguments: Replays.files)
    func files(name: String) async throws { try await check(name) }

    @Test("A desktop uses a phone as it was recorded", arguments: Replays.devices)
    func devices(name: String) async throws { try await check(name) }

    @Test("What is set and asked about oneself is answered as it was recorded", arguments: Replays.settings)
    func settings(name: String) async throws { try await check(name) }

    @Test("A core that stops, moves or loses its relay goes on as it was recorded", arguments: Replays.interruptions)
    func interruption(name: String) async throws { try await check(name) }

    @Test("What is wrong is refused as it was recorded", arguments: Replays.refusals)
    func refusal(name: String) async throws { try await check(name) }

    private func check(_ name: String) async throws {
        let outcome = try await Replays.shared.outcome(of: name)
        let found = outcome.differences
        #expect(outcome.compared >= 10)
        let accepted = try AcceptedDifferences()
        let own = accepted.own(of: name)
        for difference in found.sorted() where !(own + accepted.general).contains(where: { $0.covers(difference) }) {
            Issue.record("\(name): \(difference)")
        }
        for unused in own where !unused.isAtTimes && !found.contains(where: unused.covers) {
            Issue.record("\(name): accepted, but it does not occur: \(unused.difference)")
        }
    }

    @Test("Every difference that is accepted in all recordings occurs, and every recording that is named is run")
    func general() async throws {
        let accepted = try AcceptedDifferences()
        for name in Set(accepted.all.flatMap(\.recordings)) { #expect(Replays.all.contains(name)) }
        var found: Set<String> = []
        for name in Replays.all { found.formUnion(try await Replays.shared.outcome(of: name).differences) }
        for accepted in accepted.general where !found.contains(where: accepted.covers) {
            Issue.record("accepted, but it does not occur: \(accepted.difference)")
        }
    }

    @Test("A star in an accepted difference stands for anything")
    func stars() {
        func accepted(_ difference: String) -> AcceptedDifference { AcceptedDifference(recordings: [], difference: difference, reason: "") }
        #expect(accepted("* is not told a*c").covers("bob is not told abc"))
        #expect(!accepted("* is not told a*c").covers("bob is told abc"))
        #expect(!accepted("a").covers("ab"))
    }
}

/// Each recording is run once for all tests.
actor Replays {
    static let shared = Replays()

    static let conversations = [
        "calls", "connect-address", "connect-invitation", "connect-short-link", "console-forms", "contact-prefs-info", "direct-v7", "messages-content", "messages-direct",
        "messages-pagination", "receipts-statuses", "undeliverable",
    ]
    static let settings = ["chat-settings", "diagnostics", "network-config", "notes-folder", "notifications", "servers", "tags", "themes", "users"]
    static let interruptions = ["database", "lifecycle", "offline-reconnect", "server-outage", "two-copies"]
    static let refusals = ["errors-parsing", "errors-state", "errors-unknown-ids"]
    static let groups = [
        "business-v7", "connect-business-address", "group-basic", "group-links", "group-moderation", "group-profile-prefs", "group-v7", "merged-members",
    ]
    static let files = ["files-xftp"]
    static let devices = ["remote-control"]
    static let all = conversations + files + devices + settings + interruptions + refusals + groups

    private var runs: [String: Task<Replay.Outcome, any Error>] = [:]

    func outcome(of name: String) async throws -> Replay.Outcome {
        if let run = runs[name] { return try await run.value }
        let run = Task { try await Replay.outcome(of: name, accepted: AcceptedDifferences()) }
        runs[name] = run
        return try await run.value
    }
}
