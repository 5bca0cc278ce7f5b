import Foundation
import JSON
import TestSupport
import Testing

/// Tests the answers and effects of commands while the disk becomes full at some of their writes. With
/// `SXGW_LONG_TESTS`, the tests try each write.
@Suite(.faultTests) struct FullDiskCommandTests {
    @Test(.timeLimit(.minutes(30)))
    func `Messages that are sent on a full disk arrive once and in order when the disk has free space again`()
        async throws
    {
        try await FullDiskWorld.run { world, node in
            try await world.connectUsers()
            for user in 0..<2 {
                let text = "first of \(user)"
                let messages = world.chatPath(user) + "/messages"
                let writes = try await world.countWrites(of: "POST", messages, textMessages([text])) {
                    try await world.isReceived(text, from: user)
                }
                world.recordSentText(text, by: user)
                for moment in FullDisk.faultMoments(of: writes, otherwise: [0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9]) {
                    let text = "\(user) \(moment)"
                    try await world.sendWhileFull("POST", messages, textMessages([text]), full: moment) {
                        try await world.isReceived(text, from: user)
                    }
                    world.recordSentText(text, by: user)
                }
            }
            try await world.expectAllArrived()
            await node.restart()
            try await world.expectAllArrived()
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `On a full disk, a stop, a kill and failed starts lose no message that was answered with 201`() async throws {
        try await FullDiskWorld.run { world, node in
            try await world.connectUsers()
            let messages = world.chatPath(0) + "/messages"
            let writes = try await world.countWrites(of: "POST", messages, textMessages(["first"])) {
                try await world.isReceived("first", from: 0)
            }
            world.recordSentText("first", by: 0)
            for (number, part) in [0.9, 0.7, 0.5, 0.3].enumerated() {
                let (text, signal) = ("\(number)", number % 2 == 0 ? SIGTERM : SIGKILL)
                world.disk.fill(after: Int(Double(writes) * part))
                let answer = try await node.call("POST", messages, textMessages([text]))
                if answer.status == 201 {
                    try await waitUntil("\(text) is received, or the disk refused a write") {
                        if world.disk.refusalCount > 0 { return true }
                        return try await world.isReceived(text, from: 0)
                    }
                }
                if answer.status == 201 { world.recordSentText(text, by: 0) }
                world.disk.fill(after: 0)
                let running = try await node.waitUntilRunning()
                running.program.signal(signal)
                #expect(
                    await running.program.waitForEnd().exitCode == (signal == SIGTERM ? 0 : 1000 + signal),
                    "\(text)"
                )
                for room in 0..<3 {
                    world.disk.fill(after: room)
                    let program = try Program(
                        [
                            "serve", "--data", world.folder.path + "/data", "--port", "0", "--relay-port",
                            "\(world.port)", "--file-relay-port", "0",
                        ],
                        environment: world.disk.environment
                    )
                    if (try? await program.waitForLine("Relay:")) != nil { program.signal(SIGTERM) }
                    let ending = await program.waitForEnd()
                    #expect(
                        ending.exitCode == 0 || (ending.exitCode == 1 && world.disk.refusalCount > 0),
                        "\(text), \(room): \(ending)"
                    )
                    let isOpening = [
                        "a database cannot be opened", "the databases cannot be opened", "the relay does not start",
                    ].contains { ending.errors.contains($0) }
                    #expect(
                        !isOpening || ending.errors.contains("there is no room on the disk"),
                        "\(text), \(room): \(ending)"
                    )
                }
                world.disk.freeSpace()
                await node.restart()
                try await world.expectAllArrived()
            }
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `On a full disk, each change of messages, settings, tags or users is complete or has no effect`()
        async throws
    {
        try await FullDiskWorld.run { world, node in
            try await world.connectUsers()
            let chat = world.chatPath(0)
            let item =
                try await node.callForObject("POST", chat + "/messages", textMessages(["hello"]))["chatItems"]?[0]?[
                    "chatItem"
                ]?["meta"]?["itemId"]?.integerValue ?? 0
            func shown() async throws -> JSONValue? {
                try await node.callForObject("GET", chat + "?limit=50")["chat"]?["chatItems"]?.arrayValue?.first {
                    $0["meta"]?["itemId"]?.integerValue == item
                }
            }
            try await world.sendAtEveryMoment(
                "PATCH",
                chat + "/messages/\(item)",
                { ["updatedMessage": textMessages(["hello \($0)"])["composedMessages"]?[0] ?? .null] }
            ) {
                try await shown()?["content"]?["msgContent"]?["text"]?.stringValue == "hello \($0)"
            }
            try await world.sendAtEveryMoment("PATCH", chat, { ["ttlSeconds": .integer(86_400 + Int64($0))] }) {
                try await node.callForObject("GET", chat + "?limit=1")["chat"]?["chatInfo"]?["contact"]?["chatItemTTL"]?
                    .integerValue == 86_400 + Int64($0)
            }
            try await world.sendAtEveryMoment("PATCH", "/v1/users/1", { ["ttlSeconds": .integer(86_400 + Int64($0))] })
            {
                try await node.callForObject("GET", "/v1/users/1/ttl")["chatItemTTL"]?.integerValue == 86_400
                    + Int64($0)
            }
            try await world.sendAtEveryMoment("POST", "/v1/users/1/tags", { ["text": .string("tag \($0)")] }) {
                number in
                try await node.callForObject("GET", "/v1/users/1/tags")["userTags"]?.arrayValue?.filter {
                    $0["chatTagText"]?.stringValue == "tag \(number)"
                }.count == 1
            }
            try await world.sendAtEveryMoment(
                "POST",
                "/v1/users",
                { ["profile": ["displayName": .string("user \($0)"), "fullName": ""]] }
            ) { number in
                try await node.callForObject("GET", "/v1/users")["users"]?.arrayValue?.filter {
                    $0["user"]?["localDisplayName"]?.stringValue == "user \(number)"
                }.count == 1
            }
            try await world.sendAtEveryMoment(
                "DELETE",
                {
                    let made = try await node.callForObject(
                        "POST",
                        "/v1/users/1/chats/local/1/messages",
                        textMessages(["note \($0)"])
                    )
                    let note = made["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue ?? 0
                    return ("/v1/users/1/chats/local/1/messages?itemIds=\(note)&mode=internal", nil)
                }
            ) { _ in
                try await node.callForObject("GET", "/v1/users/1/chats/local/1?limit=50")["chat"]?["chatItems"]?
                    .arrayValue?
                    .isEmpty == true
            }
            await node.restart()
            #expect(try await shown()?["meta"]?["itemEdited"] == true)
            world.recordSentText("still there", by: 1)
            _ = try await node.callForObject("POST", world.chatPath(1) + "/messages", textMessages(["still there"]))
            try await waitUntil("the last message is received") { try await world.isReceived("still there", from: 1) }
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `A connection to a contact that was begun on a full disk is completed when the disk has free space`()
        async throws
    {
        try await FullDiskWorld.run { world, node in
            for name in ["alice", "bob"] {
                _ = try await node.callForObject(
                    "POST",
                    "/v1/users",
                    ["profile": ["displayName": .string(name), "fullName": ""]]
                )
            }
            let before = world.disk.writeCount
            try await world.connectIncognito(full: nil)
            for moment in FullDisk.faultMoments(of: world.disk.writeCount - before, every: 3, otherwise: [0.3, 0.7]) {
                try await world.connectIncognito(full: moment)
                world.disk.freeSpace()
            }
            await node.restart()
            try await waitUntil("all connections are ready") {
                let contacts = try await node.callForObject("GET", "/v1/users/1/contacts")["contacts"]?.arrayValue ?? []
                return contacts.count > 1
                    && contacts.allSatisfy { $0["activeConn"]?["connStatus"]?["type"] == "ready" }
            }
        }
    }
}
