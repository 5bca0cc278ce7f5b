import ChatAPI
import Foundation
import TestSupport
import Testing

@testable import ChatCore
@testable import SQLCipher

/// Trials with extreme numbers, texts and bytes in the databases, as no program writes them.
///
/// A crash ends the process of all tests. Then the last lines of the output name the columns. All trials together take
/// minutes, so a run makes an eighth of them. `SXGW_EXTREMES=all` makes all trials, and
/// `SXGW_EXTREMES=chat.users.user_id` the trials of one column.
@Suite("Extreme values in each column of both databases", .socketTimeLimit, .faultTests)
struct ExtremesTests {
    /// The number of groups of trials that run in parallel.
    static let shardCount = 8

    /// Tables that almost every command reads. Only one column of these tables has extreme values at a time. All other
    /// tables have one such column each at the same time.
    private static let generalTables: Set<String> = [
        "chat.users", "chat.contacts", "chat.contact_profiles", "chat.groups", "chat.group_members",
        "chat.connections", "chat.chat_items", "chat.events", "chat.journal_meta", "chat.sqlite_sequence", "chat.files",
        "agent.connections", "agent.users",
    ]

    /// Reading commands that fail even without extreme values: about connections that synthetic rows describe as
    /// deleted, about a token of an unknown push service, and commands that are not implemented.
    private static let unansweredCommands: Set = [
        "/_info @1", "/_get code @1", "/_get code #1 2", "/_get link #1", "/_ntf get",
        "/get queues", "/get subs details",
    ]

    @Test
    func `A store with rows in each table of both databases starts, and answers commands that read data`() async throws
    {
        let store = try await ExtremeStore.sharedStore.value
        #expect(store.emptyTables == [])
        let commands = ExtremeCommands.readingCommands(store.itemByChat).compactMap { try? ChatCommand(parsing: $0) }
        let readers = Set(CommandName.allCases.filter { Scopes.requiredScopes(for: $0) == .read })
        #expect(readers.subtracting(commands.map(\.name)) == ExtremeCommands.waitingCommands)
        let outcome = try await store.serveCopy(with: [])
        #expect(outcome.refusalReason == nil)
        let refused = Set(outcome.refusedCommands.compactMap { $0.components(separatedBy: ": error").first })
        #expect(refused.subtracting(Self.unansweredCommands) == [])
    }

    @Test(arguments: 0..<shardCount)
    func `A store with an extreme value in a database column answers commands, or is refused with a reason`(
        shard: Int
    ) async throws {
        let store = try await ExtremeStore.sharedStore.value
        let trials = Self.makeTrials(store.columns)
        for (number, trial) in trials.enumerated() where number % Self.shardCount == shard {
            try await tryColumns(trial, store)
        }
    }

    /// Serves a store with extreme values in several columns. A column that prevents the opening would hide other
    /// faults, so each half of the columns is then tried separately.
    private func tryColumns(_ trial: [ExtremeColumn], _ store: ExtremeStore) async throws {
        print("extremes:", trial.map(\.description).joined(separator: ", "))
        fflush(nil)
        guard let reason = try await store.serveCopy(with: trial).refusalReason else { return }
        #expect(!reason.isEmpty)
        guard trial.count > 1 else { return }
        for half in [trial.prefix(trial.count / 2), trial.dropFirst(trial.count / 2)] {
            try await tryColumns(Array(half), store)
        }
    }

    private static func makeTrials(_ columns: [ExtremeColumn]) -> [[ExtremeColumn]] {
        let asked = ProcessInfo.processInfo.environment["SXGW_EXTREMES"]
        if let asked, asked != "all" { return columns.filter { $0.name.hasPrefix(asked) }.map { [$0] } }
        let tables = Dictionary(grouping: columns) { "\($0.half).\($0.table)" }.sorted { $0.key < $1.key }
        let alone: [[ExtremeColumn]] = tables.filter { generalTables.contains($0.key) }.flatMap(\.value).map { [$0] }
        let others: [[ExtremeColumn]] = tables.filter { !generalTables.contains($0.key) }.map(\.value)
        let longest = others.map(\.count).max() ?? 0
        let together: [[ExtremeColumn]] = (0..<longest).map { place in
            others.filter { place < $0.count }.map { $0[place] }
        }
        let all = alone + together
        return asked == nil ? stride(from: 0, to: all.count, by: 8).map { all[$0] } : all
    }
}
