import Foundation
import TestSupport
import Testing

@testable import Agent

/// A relay whose disk was restored to an older state.
@Suite(.socketTimeLimit) struct RolledBackRelayTests {
    @Test
    func `If a relay is restored from a backup and repeats received messages, the messages are not shown again`()
        async throws
    {
        var relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (aliceID, _) = try await connect(alice, bob)
        await bob.agent.close()
        try await alice.send(["1", "2", "3"], on: aliceID)
        _ = try await alice.waitForAll("sent", 3) { if case .sent = $0 { true } else { nil } }
        let old = try await copyData(&relay)
        let again = try await TestAgent(relay.address, folder: bob.folder, user: bob.user)
        #expect(try await again.waitForTexts(3) == ["1", "2", "3"])
        try await restoreData(old, &relay)
        try await alice.send(["4"], on: aliceID)
        #expect(try await again.waitForTexts(4) == ["1", "2", "3", "4"])
        #expect(again.integrities == Array(repeating: .ok, count: 4))
    }

    @Test
    func `If a relay is restored from a backup and lacks some messages, the messages are reported as skipped`()
        async throws
    {
        var relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (aliceID, _) = try await connect(alice, bob)
        try await alice.send(["1"], on: aliceID)
        #expect(try await bob.waitForTexts(1) == ["1"])
        await bob.agent.close()
        let old = try await copyData(&relay)
        try await alice.send(["2", "3"], on: aliceID)
        _ = try await alice.waitForAll("sent", 3) { if case .sent = $0 { true } else { nil } }
        try await restoreData(old, &relay)
        try await alice.send(["4"], on: aliceID)
        let again = try await TestAgent(relay.address, folder: bob.folder, user: bob.user)
        #expect(try await again.waitForTexts(1) == ["4"])
        guard case .skipped(let from, let to)? = again.integrities.first else {
            Issue.record("\(again.integrities)")
            return
        }
        #expect(to - from == 1)
    }

    /// Copies the present data of the relay on disk.
    private func copyData(_ relay: inout TestRelay) async throws -> TemporaryFolder {
        let copy = try TemporaryFolder()
        try await withStoppedRelay(&relay) { folder in
            try FileManager.default.removeItem(atPath: copy.path)
            try FileManager.default.copyItem(atPath: folder.path, toPath: copy.path)
        }
        return copy
    }

    private func restoreData(_ old: TemporaryFolder, _ relay: inout TestRelay) async throws {
        try await withStoppedRelay(&relay) { folder in
            try FileManager.default.removeItem(atPath: folder.path)
            try FileManager.default.copyItem(atPath: old.path, toPath: folder.path)
        }
    }

    /// Stops the relay, calls `body` with its folder, and starts the relay again.
    private func withStoppedRelay(_ relay: inout TestRelay, _ body: (TemporaryFolder) throws -> Void) async throws {
        await relay.relay.stopAndWait()
        try body(relay.folder)
        relay = try await TestRelay(folder: relay.folder, port: Int(relay.address.portNumber ?? 0))
    }
}

extension TestAgent {
    fileprivate var integrities: [MessageIntegrity] {
        events.compactMap { if case .message(_, let meta, _, _) = $0 { meta.integrity } else { nil } }
    }
}
