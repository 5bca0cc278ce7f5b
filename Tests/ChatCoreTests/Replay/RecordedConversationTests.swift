import Testing
import TestSupport

/// The recorded conversations, repeated with cores of this program.
@Suite(.socketTimeLimit) struct RecordedConversationTests {
    @Test(arguments: Replays.conversations)
    func `Answers and events of a conversation with contacts equal the recording`(name: String) async throws {
        try await checkRecording(name)
    }

    @Test(arguments: Replays.groups)
    func `Answers and events of a conversation in groups equal the recording`(name: String) async throws {
        try await checkRecording(name)
    }

    @Test(arguments: Replays.channels)
    func `Answers and events of owning, serving and following a channel equal the recordings`(name: String) async throws
    {
        try await checkRecording(name)
    }

    @Test(arguments: Replays.files)
    func `Answers and events of file transfers equal the recordings`(name: String) async throws {
        try await checkRecording(name)
    }

    @Test(arguments: Replays.devices)
    func `Answers and events of a desktop that uses a phone equal the recording`(name: String) async throws {
        try await checkRecording(name)
    }

    @Test(arguments: Replays.settings)
    func `Answers and events about settings and queries of the user equal the recordings`(name: String) async throws {
        try await checkRecording(name)
    }

    @Test(arguments: Replays.interruptions)
    func `If a core stops, moves or loses its relay, its answers and events equal the recordings`(
        name: String
    ) async throws {
        try await checkRecording(name)
    }

    @Test(arguments: Replays.refusals)
    func `Error answers to invalid commands equal the recordings`(name: String) async throws {
        try await checkRecording(name)
    }

    private func checkRecording(_ name: String) async throws {
        let verdict = try await Replays.shared.verdict(on: name)
        #expect(verdict.comparedCount >= 10)
        for finding in verdict.findings.sorted() {
            Issue.record("\(name): \(finding) (\(verdict.steps[finding] ?? "all steps"))")
        }
    }

    @Test
    func `Each difference accepted for all recordings occurs in a replay, and each named recording is replayed`()
        async throws
    {
        let accepted = try AcceptedDifferences()
        for name in Set(accepted.allDifferences.flatMap(\.recordings)) { #expect(Replays.allRecordings.contains(name)) }
        var found: Set<String> = []
        for name in Replays.allRecordings { found.formUnion(try await Replays.shared.verdict(on: name).differences) }
        for accepted in accepted.generalDifferences
        where !accepted.isOptional && !found.contains(where: accepted.coversDifference) {
            Issue.record("the accepted difference does not occur: \(accepted.difference)")
        }
    }

    @Test
    func `A star in an accepted difference from a recording matches any text`() {
        func accepted(_ difference: String) -> AcceptedDifference {
            AcceptedDifference(recordings: [], difference: difference, reason: "")
        }
        #expect(accepted("* is not told a*c").coversDifference("bob is not told abc"))
        #expect(!accepted("* is not told a*c").coversDifference("bob is told abc"))
        #expect(!accepted("a").coversDifference("ab"))
    }
}

/// Judges each recording once for all tests.
actor Replays {
    static let shared = Replays()

    static let conversations = [
        "calls", "connect-address", "connect-invitation", "connect-short-link", "console-forms", "contact-prefs-info",
        "direct-v7", "messages-content", "messages-direct",
        "messages-pagination", "receipts-statuses", "undeliverable",
    ]
    static let settings = [
        "chat-settings", "diagnostics", "network-config", "notes-folder", "notifications", "servers", "tags", "themes",
        "users",
    ]
    static let interruptions = ["database", "lifecycle", "offline-reconnect", "server-outage", "two-copies"]
    static let refusals = ["errors-parsing", "errors-state", "errors-unknown-ids"]
    static let groups = [
        "business-v7", "connect-business-address", "group-basic", "group-links", "group-moderation",
        "group-profile-prefs", "group-v7", "merged-members",
    ]
    static let channels = ["channel-basic", "channel-moderation", "channel-relays", "channel-web"]
    static let files = ["files-v7", "files-xftp"]
    static let devices = ["remote-control"]
    static let allRecordings = conversations + files + devices + settings + interruptions + refusals + groups + channels

    private var verdicts: [String: Task<Verdict, any Error>] = [:]

    func verdict(on name: String) async throws -> Verdict {
        if let verdict = verdicts[name] { return try await verdict.value }
        let verdict = Task { try await Verdict(on: name, accepted: AcceptedDifferences()) }
        verdicts[name] = verdict
        return try await verdict.value
    }
}

/// Differences that a recording must not have.
///
/// The cores of a conversation run concurrently, and times of relays are whole seconds. So the order of two events at
/// the same moment differs from run to run. A recording with findings is therefore run again, and findings that do not
/// occur in each run are ignored.
struct Verdict: Sendable {
    /// All differences of all runs.
    private(set) var differences: Set<String> = []
    /// Number of answers and events compared in the last run.
    private(set) var comparedCount = 0
    /// Findings of each run.
    private(set) var findings: Set<String> = []
    /// The step of each difference in the last run.
    private(set) var steps: [String: String] = [:]

    private static let runCount = 3

    init(on name: String, accepted: AcceptedDifferences) async throws {
        for run in 1...Self.runCount {
            let outcome = try await Replay.runReplay(of: name, accepted: accepted)
            let found = accepted.replayFaults(in: Set(outcome.differences.keys), of: name)
            differences.formUnion(outcome.differences.keys)
            steps = outcome.differences
            comparedCount = outcome.comparedCount
            findings = run == 1 ? found : findings.intersection(found)
            if findings.isEmpty { return }
        }
    }
}
