import ChatAPI
import Dispatch
import Foundation
import JSON
import Synchronization
import Testing
import TestSupport

@testable import Agent
@testable import ChatCore
@testable import SQLCipher

/// Power failures at any commit of a core that sends and receives. Each of the two databases loses the bytes that were
/// not synced at the failure.
@Suite(.timeLimit(.minutes(30)), .faultTests) struct PowerLossTests {
    @Test(arguments: 0..<8)
    func `A power failure loses no data that were answered or published, and each message arrives once`(
        part: Int
    ) async throws {
        var random = SeededRandom(part: part)
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        let (victim, other, name) = part.isMultiple(of: 2) ? (alice, bob, "alice") : (bob, alice, "bob")
        let disk = CommittedDisk(
            world.directory.appending(path: "restored"),
            failsAt: Int.random(in: 3..<50, using: &random)
        )
        try await disk.watchDatabase(victim.controller.store.database)
        try await disk.watchDatabase(victim.controller.services.agent.database)

        // Both sides send messages one after the other until the power of one of them fails.
        let answered = Mutex<[String]>([])
        let hasFailed = Mutex(false)
        let dead = Task {
            for number in 0..<1_000 where !hasFailed.withLock({ $0 }) {
                try await victim.run("/_send @1 text victim \(number)")
                answered.withLock { $0.append("victim \(number)") }
            }
        }
        let living = Task { for number in 0..<10 { try await other.run("/_send @1 text other \(number)") } }
        await disk.waitForFailure()
        hasFailed.withLock { $0 = true }
        let published = try await victim.entries(after: 0, limit: .max)

        let restored = try await world.core("restored", key: World.databaseKey(of: name))
        let kept = try await restored.controller.journal.readEntries(after: 0, limit: .max)
        #expect(kept.prefix(published.count).map(\.eventJSON) == published.map(\.eventJSON))
        try await living.value
        for number in 0..<3 { try await restored.run("/_send @1 text restored \(number)") }
        try await waitForText("restored 2", other)
        try await waitForText("other 9", restored)
        let ownTexts = try await sentOnce(restored, other)
        #expect(try await sentOnce(other, restored) == (0..<10).map { "other \($0)" })
        #expect(ownTexts.starts(with: answered.withLock { $0 }))
        #expect(ownTexts.suffix(3) == (0..<3).map { "restored \($0)" })

        await restored.controller.close()
        disk.releaseCommits()
        _ = try? await dead.value
        for core in [victim, other] { await core.controller.close() }
    }

    /// Waits until all sent messages have the receipt status, and compares them with the received messages.
    private func sentOnce(_ sender: Core, _ recipient: Core) async throws -> [String] {
        func items(of core: Core, _ direction: String) async throws -> [JSONValue] {
            let chat = try await core.run("/_get chat @1 count=1000")
            return (chat["chat"]?["chatItems"]?.arrayValue ?? []).filter {
                $0["chatDir"]?["type"]?.stringValue == direction && $0["content"]?["msgContent"] != nil
            }
        }
        try await waitUntil("all messages have their receipts") {
            try await items(of: sender, "directSnd").allSatisfy { $0["meta"]?["itemStatus"]?["type"] == "sndRcvd" }
        }
        func texts(_ items: [JSONValue]) -> [String] { items.compactMap { $0["meta"]?["itemText"]?.stringValue } }
        let sent = try await texts(items(of: sender, "directSnd"))
        #expect(try await texts(items(of: recipient, "directRcv")) == sent)
        return sent
    }
}

/// The disk of a core: its databases after their last commits. Nothing is committed after the failure, so that no
/// effect that needs a commit leaves the core.
private final class CommittedDisk: Sendable {
    private struct State {
        var commitCount = 0
        /// Commits that have begun before the failure.
        var underwayCount = 0
        var hasFailed = false
    }
    private let folder: URL
    private let failingCommit: Int
    private let state = Mutex(State())
    private let continueSemaphore = DispatchSemaphore(value: 0)
    private let (failureSignal, fail) = AsyncStream.makeStream(of: Void.self)

    init(_ folder: URL, failsAt last: Int) {
        self.folder = folder
        self.failingCommit = last
    }

    func watchDatabase(_ database: Database) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = database.path
        database.file.onCommit.withLock { $0 = { [self] step in step == .before ? beginCommit() : copyFiles(path) } }
        try await database.write { try $0.execute("CREATE TABLE kept (id INTEGER PRIMARY KEY)") }
    }

    private func beginCommit() {
        let waits = state.withLock { state in
            state.commitCount += 1
            if state.commitCount == failingCommit { state.hasFailed = true }
            if !state.hasFailed { state.underwayCount += 1 } else if state.underwayCount == 0 { fail.finish() }
            return state.hasFailed
        }
        guard waits else { return }
        continueSemaphore.wait()
        continueSemaphore.signal()
    }

    /// Copies the files of a database after a commit. Also called for a commit that was underway when the power failed.
    private func copyFiles(_ path: String) {
        state.withLock { state in
            // Commits that were stopped at the failure are ignored. The test lets them continue after its checks.
            guard state.underwayCount > 0 else { return }
            for suffix in ["", "-wal"] {
                let name = URL(fileURLWithPath: path + suffix)
                do { try Data(contentsOf: name).write(to: folder.appending(path: name.lastPathComponent)) } catch {
                    Issue.record(error)
                }
            }
            state.underwayCount -= 1
            if state.hasFailed, state.underwayCount == 0 { fail.finish() }
        }
    }

    func waitForFailure() async { for await _ in failureSignal {} }

    func releaseCommits() { continueSemaphore.signal() }
}
