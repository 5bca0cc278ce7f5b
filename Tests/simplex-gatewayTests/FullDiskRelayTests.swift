import Foundation
import JSON
import TestSupport
import Testing

/// Tests of a relay on a full disk, between two gateways with free space.
@Suite(.faultTests) struct FullDiskRelayTests {
    @Test(.timeLimit(.minutes(10)))
    func `Messages through a relay on a full disk arrive once and in order when the disk has free space again`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let disk = try await FullDisk(of: folder.path + "/relay", controlFolder: folder.path)
            let arguments = ["relay", "--data", folder.path + "/relay", "--port", "\(TestPort.takeUnused())"]
            var relay = try Program(arguments, environment: disk.environment)
            let address = try await relay.waitForLine("Relay:")
            let nodes = ["one", "other"].map {
                Node(folder: folder.path + "/" + $0, ["--no-relay", "--smp-server", address])
            }
            do {
                let contacts = try await nodes[0].connectUsers(to: nodes[1])
                var sentTexts: [[String]] = [[], []]
                func say(_ text: String, _ side: Int) async throws {
                    _ = try await nodes[side].callForObject(
                        "POST",
                        "/v1/users/1/chats/direct/\(contacts[side])/messages",
                        textMessages([text])
                    )
                    sentTexts[side].append(text)
                }
                func received() async throws {
                    for side in 0..<2 {
                        var receivedTexts: [String] = []
                        try await nodes[1 - side].readJournal { entry in
                            for item in entry["event"]?["chatItems"]?.arrayValue ?? []
                            where item["chatItem"]?["chatDir"]?["type"] == "directRcv" {
                                if let text = item["chatItem"]?["content"]?["msgContent"]?["text"]?.stringValue {
                                    receivedTexts.append(text)
                                }
                            }
                            return receivedTexts.contains(sentTexts[side].last ?? "")
                        }
                        #expect(receivedTexts == sentTexts[side])
                    }
                }
                var number = 0
                func say(_ side: Int) async throws {
                    number += 1
                    try await say("\(number)", side)
                }
                for moment in 0..<(FullDisk.runsLongTests ? 40 : 5) {
                    disk.fill(after: moment % 8)
                    for side in 0..<2 { try await say(side) }
                    while disk.refusalCount == 0 { try await say(moment % 2) }
                    disk.freeSpace()
                    try await received()
                }
                disk.fill(after: 0)
                for side in 0..<2 { try await say(side) }
                try await waitUntil("the disk refuses a write") { disk.refusalCount > 0 }
                relay.signal(SIGKILL)
                _ = await relay.waitForEnd()
                disk.freeSpace()
                relay = try Program(arguments, environment: disk.environment)
                #expect(try await relay.waitForLine("Relay:") == address)
                try await received()
            } catch {
                for node in nodes { await node.stop() }
                relay.signal(SIGKILL)
                throw error
            }
            for node in nodes { await node.stop() }
            relay.signal(SIGTERM)
            #expect(await relay.waitForEnd().exitCode == 0)
        }
    }

    @Test
    func `A backup request gets 507 while the relay's disk is full, and succeeds when the disk has space again`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let disk = try await FullDisk(of: folder.path + "/data/relay", controlFolder: folder.path)
            let node = Node(folder: folder.path + "/data", ["--relay-port", "0"], environment: disk.environment)
            let other = Node(
                folder: folder.path + "/other",
                ["--no-relay", "--smp-server", try #require(try await node.waitUntilRunning().relay)]
            )
            do {
                _ = try await other.callForObject(
                    "POST",
                    "/v1/users",
                    ["profile": ["displayName": "alice", "fullName": ""]]
                )
                disk.fill(after: 0)
                // The relay must record a new queue, and answers only when the record is written. So this request waits
                // for free space.
                async let invitation = other.call("POST", "/v1/users/1/connections/invitations", ["incognito": false])
                try await waitUntil("the disk refuses a write") { disk.refusalCount > 0 }
                let copy: JSONValue = ["folder": .string(folder.path + "/copy")]
                let refused = try await node.call("POST", "/v1/backup", copy)
                #expect(refused.status == 507, "\(refused)")
                disk.freeSpace()
                try await waitUntil("a copy is made") { try await node.call("POST", "/v1/backup", copy).status == 201 }
                _ = try await invitation
            } catch {
                disk.freeSpace()
                for node in [node, other] { await node.stop() }
                throw error
            }
            for node in [node, other] { await node.stop() }
        }
    }
}
