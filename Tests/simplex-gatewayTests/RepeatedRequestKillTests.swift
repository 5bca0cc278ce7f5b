import JSON
import TestSupport
import Testing

/// Tests of requests with an idempotency key. The process is killed (-9) at certain writes of its databases, its relay
/// or other files, and the request is repeated after the restart. With `SXGW_LONG_TESTS`, the process is killed at
/// every write.
@Suite(.socketTimeLimit, .faultTests) struct RepeatedRequestKillTests {
    /// Sends a request whose process is killed after a number of writes, and repeats it.
    /// - Returns: the answer to the repetition, which later repetitions get too.
    private func callWithKill(
        _ world: FullDiskWorld,
        _ path: String,
        _ body: JSONValue,
        _ moment: Int,
        _ status: Int
    ) async throws -> JSONValue {
        let id = "\(path) \(world.nextNumber())"
        world.disk.killProcess(after: moment)
        _ = try? await world.node.call("POST", path, body, idempotencyKey: id)
        let isKilled = world.disk.refusalCount > 0
        #expect(isKilled || moment > 0, "\(path): not killed at its first write")
        world.disk.freeSpace()
        if isKilled { await world.node.restart() }
        let again = try await world.node.call("POST", path, body, idempotencyKey: id)
        #expect(again.status == status, "\(path), \(moment): \(again)")
        let replayed = try await world.node.call("POST", path, body, idempotencyKey: id)
        #expect(replayed.status == status && replayed.body == again.body, "\(path), \(moment): \(replayed)")
        return try again.json
    }

    /// Runs the request once without a kill, and then with a kill at each moment.
    private func callAtEveryMoment(
        _ world: FullDiskWorld,
        _ path: (Int) async throws -> String,
        _ body: (Int) async throws -> JSONValue,
        _ status: Int,
        _ check: (Int, JSONValue) async throws -> Void
    ) async throws {
        let first = world.nextNumber()
        let writes = try await world.countWrites(of: "POST", try await path(first), try await body(first))
        for moment in FullDisk.faultMoments(of: writes, otherwise: [0, 0.3, 0.6, 0.9]) {
            let number = world.nextNumber()
            try await check(number, try await callWithKill(world, path(number), body(number), moment, status))
        }
    }

    private func makeUser(_ number: Int) -> JSONValue {
        ["profile": ["displayName": .string("user \(number)"), "fullName": ""]]
    }

    private func readUserIDs(_ node: Node) async throws -> [Int64] {
        try await node.callForObject("GET", "/v1/users")["users"]?.arrayValue?.compactMap {
            $0["user"]?["userId"]?.integerValue
        } ?? []
    }

    @Test
    func `A user and an address are created once, even if the request is repeated after a kill at any write`()
        async throws
    {
        try await FullDiskWorld.run { world, node in
            try await callAtEveryMoment(world, { _ in "/v1/users" }, { makeUser($0) }, 201) { number, answer in
                let all = try await node.callForObject("GET", "/v1/users")["users"]?.arrayValue ?? []
                let named = all.compactMap { $0["user"] }.filter {
                    $0["localDisplayName"]?.stringValue == "user \(number)"
                }
                #expect(named.count == 1 && named.first?["userId"] == answer["user"]?["userId"])
            }
            var users = [Int: Int64]()
            try await callAtEveryMoment(
                world,
                { number in
                    let made = try await node.callForObject("POST", "/v1/users", makeUser(number))
                    let id = try #require(made["user"]?["userId"]?.integerValue)
                    users[number] = id
                    return "/v1/users/\(id)/address"
                },
                { _ in [:] },
                201
            ) { number, answer in
                let shown = try await node.callForObject("GET", "/v1/users/\(users[number] ?? 0)/address")
                #expect(shown["contactLink"]?["connLinkContact"] == answer["connLinkContact"])
            }
        }
    }

    @Test
    func `Invitations, connections and messages are made once if their requests are repeated after a kill`()
        async throws
    {
        try await FullDiskWorld.run { world, node in
            try await world.connectUsers()
            var invitations: [String] = []
            func pending(_ user: Int) async throws -> [String] {
                let chats = try await node.callForObject("GET", "/v1/users/\(user)/chats")["chats"]?.arrayValue ?? []
                return chats.compactMap {
                    $0["chatInfo"]?["contactConnection"]?["connLinkInv"]?["connFullLink"]?.stringValue
                }
            }
            try await callAtEveryMoment(
                world,
                { _ in "/v1/users/1/connections/invitations" },
                { _ in ["incognito": false] },
                201
            ) { _, answer in
                invitations.append(try #require(answer["connLinkInvitation"]?["connFullLink"]?.stringValue))
            }
            // The run that counted the writes has made one invitation more, so one is added to the expected number.
            let made = try await pending(1)
            #expect(made.count == invitations.count + 1 && Set(made).isSuperset(of: invitations))

            var contacts = 1
            try await callAtEveryMoment(
                world,
                { _ in "/v1/users/2/connections" },
                { _ in
                    let invitation = try await node.callForObject(
                        "POST",
                        "/v1/users/1/connections/invitations",
                        ["incognito": true]
                    )
                    contacts += 1
                    return ["incognito": true, "connLink": invitation["connLinkInvitation"] ?? .null]
                },
                202
            ) { _, answer in #expect(answer["type"] == "sentConfirmation") }
            var connected: Set<JSONValue> = []
            try await node.readJournal { entry in
                if entry["userId"] == 2, entry["event"]?["type"] == "contactConnected" {
                    connected.insert(entry["event"]?["contact"]?["contactId"] ?? .null)
                }
                return connected.count == contacts
            }
            #expect(
                try await node.callForObject("GET", "/v1/users/2/contacts")["contacts"]?.arrayValue?.count == contacts
            )
            #expect(try await pending(2).isEmpty)

            try await callAtEveryMoment(
                world,
                { _ in "\(world.chatPath(0))/messages" },
                { number in
                    world.recordSentText("hello \(number)", by: 0)
                    return textMessages(["hello \(number)"])
                },
                201
            ) { _, answer in #expect(answer["type"] == "newChatItems") }
            try await world.expectAllArrived()
        }
    }

    @Test
    func `A scheduled message and a broadcast are sent once if their requests are repeated after a kill`() async throws
    {
        try await FullDiskWorld.run { world, _ in
            try await world.connectUsers()
            let contact = try #require(world.chatPath(0).split(separator: "/").last.flatMap { Int64($0) })
            let chat: JSONValue = ["chatType": "direct", "chatId": .integer(contact)]
            for (path, to) in [("scheduled-messages", chat), ("broadcasts", ["chats": [chat]])] {
                try await callAtEveryMoment(
                    world,
                    { _ in "/v1/users/1/\(path)" },
                    { number in
                        world.recordSentText("\(path) \(number)", by: 0)
                        return ["to": to, "text": .string("\(path) \(number)")]
                    },
                    202
                ) { _, answer in #expect(answer["keyId"] != nil) }
            }
            try await world.expectAllArrived()
        }
    }

    @Test
    func `A notice of another program is sent once if its request is repeated after a kill`() async throws {
        try await FullDiskWorld.run { world, _ in
            try await world.connectUsers()
            let contact = try #require(world.chatPath(0).split(separator: "/").last)
            try await callAtEveryMoment(
                world,
                { _ in "/v1/receive/gotify?chat=direct/\(contact)&userId=1" },
                { number in
                    world.recordSentText("notice \(number)", by: 0)
                    return ["message": .string("notice \(number)")]
                },
                200
            ) { _, answer in #expect(answer["itemId"] != nil) }
            try await world.expectAllArrived()
        }
    }
}
