import JSON
import TestSupport
import Testing

/// Tests of chat relays that are killed while they forward posts.
@Suite(.socketTimeLimit, .faultTests) struct ChannelKillTests {
    private static let postCount = 60
    private static let subscriberCount = 3

    @Test(arguments: [1, 2])
    func `Each channel subscriber gets every post once and in order, even if chat relays are killed at any moment`(
        relays count: Int
    ) async throws {
        let chance = SharedRandom()
        try await Folder.withNewFolder { folder in
            // This process contains the owner, the subscribers and the message relay. It is not killed.
            let home = Node(folder: folder.path + "/home", ["--relay-port", "0"])
            let relay = try #require(try await home.waitUntilRunning().relay)
            let relays = (0..<count).map {
                Node(folder: folder.path + "/relay\($0)", ["--no-relay", "--smp-server", relay])
            }
            do { try await testChannel(home, relays, chance) } catch {
                for node in relays + [home] { await node.stop() }
                throw error
            }
            for node in relays + [home] { await node.stop() }
        }
    }

    private func testChannel(_ home: Node, _ relays: [Node], _ chance: SharedRandom) async throws {
        var addresses: [JSONValue] = []
        for (number, node) in relays.enumerated() {
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": .string("hub\(number)"), "fullName": ""], "userChatRelay": true]
            )
            addresses.append(
                try await node.callForObject("POST", "/v1/users/1/address", [:])["connLinkContact"]?["connShortLink"]
                    ?? .null
            )
        }
        for name in ["alice"] + (1...Self.subscriberCount).map({ "bob\($0)" }) {
            _ = try await home.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": .string(name), "fullName": ""]]
            )
        }
        let link = try await createChannel(home, addresses)
        for user in 2...Self.subscriberCount + 1 { try await joinChannel(home, link, user, relays.count) }
        for number in 0..<Self.postCount {
            let sent = try await home.call(
                "POST",
                "/v1/users/1/chats/group/1/messages",
                textMessages(["post \(number)"])
            )
            #expect(sent.status == 201, "\(sent)")
            guard chance.randomNumber(6) == 0 else { continue }
            // The kill happens while the relays forward the post.
            try await chance.sleepRandomly(in: 0..<40_000)
            await relays[chance.randomNumber(relays.count)].restart()
        }
        for user in 2...Self.subscriberCount + 1 {
            try await waitUntil("the last post has arrived at \(user)") {
                try await readPosts(home, user).last == "post \(Self.postCount - 1)"
            }
        }
        // The relays start again and a last post is sent: a repeated post would arrive before the last one.
        for node in relays {
            await node.restart()
            _ = try await node.waitUntilRunning()
        }
        _ = try await home.callForObject(
            "POST",
            "/v1/users/1/chats/group/1/messages",
            textMessages(["post \(Self.postCount)"])
        )
        for user in 2...Self.subscriberCount + 1 {
            try await waitUntil("the end has arrived at \(user)") {
                try await readPosts(home, user).last == "post \(Self.postCount)"
            }
            let came = try await readPosts(home, user)
            #expect(came == (0...Self.postCount).map { "post \($0)" }, "\(user): \(came)")
        }
        for node in relays {
            func metrics() async throws -> [Substring] {
                String(decoding: try await node.call("GET", "/metrics").body, as: UTF8.self).split(separator: "\n")
            }
            try await waitUntil("all posts are forwarded") {
                let metrics = try await metrics()
                return ["messages_waiting", "jobs", "lag_seconds"].allSatisfy {
                    metrics.contains("sxgw_channel_\($0) 0")
                }
            }
            let metrics = try await metrics()
            #expect(
                metrics.contains("sxgw_channels 1")
                    && metrics.contains("sxgw_channel_members \(Self.subscriberCount + 1)"),
                "\(metrics.filter { $0.hasPrefix("sxgw_channel") })"
            )
        }
    }

    /// Creates a channel.
    /// - Returns: the link of the channel, which all relays serve.
    private func createChannel(_ home: Node, _ addresses: [JSONValue]) async throws -> JSONValue {
        var servers = try await home.callForObject("GET", "/v1/users/1/servers")["userServers"]?.arrayValue ?? []
        var first = try #require(servers.first?.objectValue)
        first["chatRelays"] = .array(
            addresses.enumerated().map { number, address in
                [
                    "address": address, "relayProfile": ["displayName": .string("hub\(number)"), "fullName": ""],
                    "domains": ["127.0.0.1"],
                    "preset": false, "enabled": true, "deleted": false,
                ]
            }
        )
        servers[0] = .object(first)
        _ = try await home.callForObject("PUT", "/v1/users/1/servers", ["userServers": .array(servers)])
        let known =
            try await home.callForObject("GET", "/v1/users/1/servers")["userServers"]?[0]?["chatRelays"]?.arrayValue
            ?? []
        let made = try await home.callForObject(
            "POST",
            "/v1/users/1/channels",
            [
                "relayIds": .array(known.compactMap { $0["chatRelayId"] }),
                "groupProfile": ["displayName": "news", "fullName": ""],
            ]
        )
        try await waitUntil("all relays serve the channel") {
            let relays =
                try await home.callForObject("GET", "/v1/users/1/groups/1/relays")["groupRelays"]?.arrayValue ?? []
            return relays.count == addresses.count && relays.allSatisfy { $0["relayStatus"] == "active" }
        }
        return try #require(made["groupInfo"]?["groupProfile"]?["publicGroup"]?["groupLink"], "\(made)")
    }

    private func joinChannel(_ home: Node, _ link: JSONValue, _ user: Int, _ relays: Int) async throws {
        let plan = try await home.callForObject("POST", "/v1/users/\(user)/connections/plan", ["connLink": link])
        let data = try #require(plan["connectionPlan"]?["groupLinkPlan"]?["groupSLinkData_"], "\(plan)")
        let prepared = try await home.callForObject(
            "POST",
            "/v1/users/\(user)/groups/prepared",
            ["connLink": plan["connLink"] ?? .null, "directLink": false, "groupShortLinkData": data]
        )
        let group = try #require(prepared["chat"]?["chatInfo"]?["groupInfo"]?["groupId"]?.integerValue)
        #expect(group == 1)
        _ = try await home.callForObject("POST", "/v1/users/\(user)/groups/\(group)/connect", ["incognito": false])
        try await waitUntil("\(user) is served by all relays") {
            let members =
                try await home.callForObject("GET", "/v1/users/\(user)/groups/\(group)/members")["group"]?["members"]?
                .arrayValue ?? []
            return members.count { $0["memberRole"] == "relay" && $0["memberStatus"] == "connected" } == relays
        }
    }

    /// Returns the texts of posts in the order in which the subscriber has them.
    private func readPosts(_ home: Node, _ user: Int) async throws -> [String] {
        let items =
            try await home.callForObject("GET", "/v1/users/\(user)/chats/group/1?limit=\(Self.postCount * 3)")["chat"]?[
                "chatItems"
            ]?.arrayValue ?? []
        return items.compactMap { $0["content"]?["msgContent"]?["text"]?.stringValue }.filter { $0.hasPrefix("post ") }
    }
}
