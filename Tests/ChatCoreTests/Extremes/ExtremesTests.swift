import ChatAPI
import Foundation
import TestSupport
import Testing

@testable import ChatCore
@testable import SQLCipher

/// Numbers, texts and bytes in the databases that this program has not written.
///
/// A trap ends the process of all tests: the last lines of the output name the columns. All trials take minutes, so a
/// run makes one of eight. `SXGW_EXTREMES=all` makes all of them, and `SXGW_EXTREMES=chat.users.user_id` those of a
/// column.
@Suite("Extreme values in each column of both databases", .overSockets, .faults)
struct ExtremesTests {
    /// The trials that run beside each other.
    static let shards = 8

    /// Tables without which hardly anything can be read: one column of them has extremes at a time. One column of each
    /// other table has them together.
    private static let general: Set<String> = [
        "chat.users", "chat.contacts", "chat.contact_profiles", "chat.groups", "chat.group_members",
        "chat.connections", "chat.chat_items", "chat.events", "chat.journal_meta", "chat.sqlite_sequence", "chat.files",
        "agent.connections", "agent.users",
    ]

    /// Reading commands about connections that synthetic rows name as deleted, about a token of no push service, and
    /// those that are not implemented.
    private static let unanswered: Set = [
        "/_info @1", "/_get code @1", "/_get code #1 2", "/_get link #1", "/_ntf get",
        "/debug locks", "/get workers details", "/get workers", "/get subs", "/get queues", "/get subs details",
    ]

    @Test("A store with rows in each table starts and answers every other reading command")
    func complete() async throws {
        let store = try await ExtremeStore.shared.value
        #expect(store.empty == [])
        let commands = ExtremeCommands.reading(store.items).compactMap { try? ChatCommand(parsing: $0) }
        let readers = Set(CommandName.allCases.filter { Scopes.required(for: $0) == .read })
        #expect(readers.subtracting(commands.map(\.name)) == ExtremeCommands.waiting)
        let outcome = try await store.serve(with: [])
        #expect(outcome.reason == nil)
        let refused = Set(outcome.refused.compactMap { $0.components(separatedBy: ": error").first })
        #expect(refused.subtracting(Self.unanswered) == [])
    }

    @Test("A store with an extreme value in a column is served, or refused with the reason", arguments: 0..<shards)
    func extremes(shard: Int) async throws {
        let store = try await ExtremeStore.shared.value
        let trials = Self.trials(store.columns)
        for (number, trial) in trials.enumerated() where number % Self.shards == shard { try await serve(trial, store) }
    }

    /// Columns that keep the store from being opened would hide others: each half is served alone then.
    private func serve(_ trial: [ExtremeColumn], _ store: ExtremeStore) async throws {
        print("extremes:", trial.map(\.description).joined(separator: ", "))
        fflush(nil)
        guard let reason = try await store.serve(with: trial).reason else { return }
        #expect(!reason.isEmpty)
        guard trial.count > 1 else { return }
        for half in [trial.prefix(trial.count / 2), trial.dropFirst(trial.count / 2)] {
            try await serve(Array(half), store)
        }
    }

    private static func trials(_ columns: [ExtremeColumn]) -> [[ExtremeColumn]] {
        let asked = ProcessInfo.processInfo.environment["SXGW_EXTREMES"]
        if let asked, asked != "all" { return columns.filter { $0.name.hasPrefix(asked) }.map { [$0] } }
        let tables = Dictionary(grouping: columns) { "\($0.half).\($0.table)" }.sorted { $0.key < $1.key }
        let alone = tables.filter { general.contains($0.key) }.flatMap(\.value).map { [$0] }
        let others = tables.filter { !general.contains($0.key) }.map(\.value)
        let together = (0..<(others.map(\.count).max() ?? 0)).map { place in
            others.filter { place < $0.count }.map { $0[place] }
        }
        let all = alone + together
        return asked == nil ? stride(from: 0, to: all.count, by: 8).map { all[$0] } : all
    }
}
