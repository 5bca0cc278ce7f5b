import Foundation
import JSON
import TestSupport
import Testing

@Suite(.socketTimeLimit, .faultTests) struct KillTests {
    static let messageCount = 500
    static let batchSize = 10

    @Test
    func `Messages between two gateways arrive once and in order, even if the gateways are killed at any moment`()
        async throws
    {
        let chance = SharedRandom()
        try await Folder.withNewFolder { folder in
            let port = TestPort.takeUnused()
            let one = Node(folder: folder.path + "/one", ["--relay-port", "\(port)"])
            let relay = try #require(try await one.waitUntilRunning().relay)
            let other = Node(folder: folder.path + "/other", ["--no-relay", "--smp-server", relay])
            do {
                try await exchangeMessages([one, other], chance)
            } catch {
                await one.stop()
                await other.stop()
                throw error
            }
            await one.stop()
            await other.stop()
        }
    }

    private func exchangeMessages(_ nodes: [Node], _ chance: SharedRandom) async throws {
        let contacts = try await nodes[0].connectUsers(to: nodes[1])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (side, name) in ["one", "other"].enumerated() {
                group.addTask { try await sendMessages(name, nodes, side, contact: contacts[side], chance) }
                group.addTask { try await expectReceived(nodes[side], from: side == 0 ? "other" : "one") }
            }
            try await group.waitForAll()
        }
        for (side, node) in nodes.enumerated() {
            // Now all messages have arrived: both journals have an event for each message, and the chats have each
            // message once.
            await node.restart()
            let texts = try await node.readTexts(of: contacts[side])
            for name in ["one", "other"] {
                #expect(texts.filter { $0.hasPrefix(name + " ") } == (0..<Self.messageCount).map { "\(name) \($0)" })
            }
            try await expectReceived(node, from: side == 0 ? "other" : "one")
        }
    }

    /// Posts the messages of one side in order, and sometimes kills a process during a request.
    private func sendMessages(
        _ name: String,
        _ nodes: [Node],
        _ side: Int,
        contact: Int64,
        _ chance: SharedRandom
    ) async throws {
        for start in stride(from: 0, to: Self.messageCount, by: Self.batchSize) {
            let body = textMessages((start..<start + Self.batchSize).map { "\(name) \($0)" })
            async let answer = nodes[side].call(
                "POST",
                "/v1/users/1/chats/direct/\(contact)/messages",
                body,
                idempotencyKey: "\(name) \(start)"
            )
            if chance.randomNumber(8) == 0 {
                // The kill is within the duration of a request.
                try await chance.sleepRandomly(in: 0..<40_000)
                await nodes[chance.randomNumber(2)].restart()
            }
            let status = try await answer
            guard status.status == 201 else {
                throw Program.UnexpectedOutput(
                    description: "\(status.status) \(String(decoding: status.body, as: UTF8.self))"
                )
            }
        }
    }

    /// Checks that the journal has each message once, in order.
    private func expectReceived(_ node: Node, from name: String) async throws {
        var texts: [String] = []
        var items = Set<Int64>()
        try await node.readJournal { entry in
            guard let event = entry["event"], event["type"] == "newChatItems" else { return false }
            for item in event["chatItems"]?.arrayValue ?? [] {
                guard let item = item["chatItem"], let text = item["content"]?["msgContent"]?["text"]?.stringValue,
                    text.hasPrefix(name + " ")
                else { continue }
                let isNew = items.insert(item["meta"]?["itemId"]?.integerValue ?? 0).inserted
                #expect(isNew)
                texts.append(text)
            }
            return texts.count >= Self.messageCount
        }
        #expect(texts == (0..<Self.messageCount).map { "\(name) \($0)" })
    }
}
