import Testing
import TestSupport

/// The recorded conversations, held again by cores of our own.
@Suite(.timeLimit(.minutes(5))) struct RecordedConversationTests {
    @Test("A recorded conversation goes as it was recorded, but for the differences that are accepted", arguments: try Replays.names)
    func replay(name: String) async throws {
        let result = try await Replays.shared.result(of: name)
        let (accepted, everywhere) = (try AcceptedDifferences(of: name), try Replays.everywhere())
        for difference in result.differences.sorted() where !(accepted.all + everywhere).contains(where: { $0.covers(difference) }) {
            Issue.record("\(name): \(difference)")
        }
        for unused in accepted.certain where !result.differences.contains(where: unused.covers) {
            Issue.record("\(name): accepted, but it does not occur: \(unused.difference)")
        }
        for command in result.notServed.subtracting(accepted.notServed).sorted() {
            Issue.record("\(name): not served, and not listed so: \(command)")
        }
        for command in accepted.notServed.subtracting(result.notServed).sorted() {
            Issue.record("\(name): served; take it off the list: \(command)")
        }
    }

    @Test("Every difference that is accepted in all recordings occurs in one of them")
    func general() async throws {
        var differences: Set<String> = []
        for name in try Replays.names { differences.formUnion(try await Replays.shared.result(of: name).differences) }
        for accepted in try Replays.everywhere() where !differences.contains(where: accepted.covers) {
            Issue.record("accepted, but it does not occur: \(accepted.difference)")
        }
    }

    @Test("A star in an accepted difference stands for anything")
    func stars() {
        let accepted = AcceptedDifference("* is not told a*c", "")
        #expect(accepted.covers("bob is not told abc"))
        #expect(!accepted.covers("bob is told abc"))
        #expect(!AcceptedDifference("a", "").covers("ab"))
    }
}

/// Each recording is run once for all tests.
actor Replays {
    static let shared = Replays()

    /// The recordings that are run: those that have a file of accepted differences.
    static var names: [String] {
        get throws { try Fixture.names(in: "replay").filter { $0 != "everywhere" } }
    }

    static func everywhere() throws -> [AcceptedDifference] { try AcceptedDifferences(of: "everywhere").certain }

    private var runs: [String: Task<Replay.Result, any Error>] = [:]

    func result(of name: String) async throws -> Replay.Result {
        if let run = runs[name] { return try await run.value }
        let run = Task { try await Replay.run(name, accepted: AcceptedDifferences(of: name), everywhere: Replays.everywhere()) }
        runs[name] = run
        return try await run.value
    }
}
