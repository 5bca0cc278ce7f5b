import ChatAPI
import ChatProtocol
import JSON
import SMPRelay
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore

@Suite("Requests to relays of channels", .socketTimeLimit)
struct RelayRequestTests {
    /// Makes a core whose user is a relay, and returns it with its address.
    private func makeRelay(
        in world: World,
        _ name: String = "rel",
        configure: (inout ChatConfiguration) -> Void = { _ in }
    ) async throws -> (Core, ShortLink) {
        let core = try await world.core(name, configure: configure)
        _ = try await core.run(
            #"/_create user {"profile":{"displayName":"\#(name)","fullName":""},"pastTimestamp":false,"userChatRelay":true}"#
        )
        let link = try #require(await core.run("/_address 1")["connLinkContact"]?["connShortLink"]?.stringValue)
        return (core, try ShortLink(atServer: link))
    }

    @Test
    func `A relay signs a challenge of 32 bytes with the key of its address, and refuses other lengths`() async throws {
        let world = try await World()
        let (core, address) = try await makeRelay(in: world)
        let owner = try await ScriptedOwner(in: world)
        let (_, _, signers) = try await owner.agent.fetchLinkData(user: 1, address)
        let challenge = RandomBytes.make(count: 32)
        try await owner.sendRequest(.test(challenge: challenge, signature: nil), at: address)
        guard case .relay(.test(let returned, let signature?)) = try await owner.waitForAnswer().message.event else {
            throw UnexpectedAnswer()
        }
        #expect(returned == challenge && signers.rootKey.isValidSignature(signature, for: challenge))
        try await owner.sendRequest(.test(challenge: RandomBytes.make(count: 60), signature: nil), at: address)
        try await core.wait(for: "messageError")
        let bob = try await world.core("bob")
        try await bob.createUser("bob")
        let ordinary = try #require(await bob.run("/_address 1")["connLinkContact"]?["connShortLink"]?.stringValue)
        try await owner.sendRequest(.test(challenge: challenge, signature: nil), at: ShortLink(atServer: ordinary))
        try await owner.inviteRelay(ShortLink(atServer: ordinary), as: .random())
        try await bob.wait(for: "messageError", count: 2)
        #expect(try await bob.run("/_groups 1")["groups"] == [])
        for controller in [core.controller, bob.controller] { await controller.close() }
    }

    @Test
    func `A relay's answer to a test waits until the owner's server is reachable, and then the queue is deleted`()
        async throws
    {
        let (world, away) = (try await World(), try await World())
        let (core, address) = try await makeRelay(in: world)
        let owner = try await ScriptedOwner(in: world, at: away.relay.address)
        await core.controller.stop()
        let challenge = RandomBytes.make(count: 32)
        try await owner.sendRequest(.test(challenge: challenge, signature: nil), at: address)
        await away.relay.stopAndWait()
        try await core.controller.start()
        try await waitUntil("the agent is asked to delete the connection after its last message") {
            try await core.controller.store.read { db in
                try db.firstRow("SELECT 1 FROM deleted_connections") != nil
                    && db.firstRow("SELECT 1 FROM retired_connections") == nil
            }
        }
        let again = try await Relay.start(configuration: away.relayConfiguration, group: World.eventLoopGroup)
        guard case .relay(.test(challenge, _?)) = try await owner.waitForAnswer().message.event else {
            throw UnexpectedAnswer()
        }
        try await core.wait(for: "agentConnsDeleted")
        let counted = try await core.controller.store.read { db in try db.firstRow("SELECT 1 FROM passing_connections")
        }
        #expect(counted == nil)
        await core.controller.close()
        await again.stopAndWait()
        // The folder of the relay is removed together with its world.
        withExtendedLifetime(away) {}
    }

    private struct UnexpectedAnswer: Error {}

    private func waitForPost(_ text: String, _ core: Core) async throws {
        for count in 1... {
            try await core.wait(for: "newChatItems", count: count)
            if try await core.run("/_get chat #1 count=100").itemTexts.contains(text) { return }
        }
    }

    @Test
    func `A subscriber who joins through a relay gets the channel's history, new posts and the event of its deletion`()
        async throws
    {
        let world = try await World()
        let (core, address) = try await makeRelay(in: world)
        let (owner, relayID) = (try await ScriptedOwner(in: world), MemberID.random())
        try await owner.inviteRelay(address, as: relayID)
        let answer = try await owner.waitForAnswer()
        guard case .relay(.acceptance(let text, _)) = answer.message.event else { throw UnexpectedAnswer() }
        let link = try ShortLink(atServer: text)
        let (_, _, signers) = try await owner.agent.fetchLinkData(user: 1, link)
        #expect(signers.entityID == relayID.bytes && link.kind == .contact(.group))
        try await owner.acceptAnswer(answer)
        try await core.wait(for: "userJoinedGroup")
        let group = try #require(await core.run("/_groups 1")["groups"]?[0])
        #expect(
            group["relayOwnStatus"] == "accepted" && group["localDisplayName"] == "news" && group["useRelays"] == true,
            "\(group)"
        )
        try await owner.publishRelays([link])
        try await core.controller.findWorker(ServedChannelWorker.self).checkLinks()
        #expect(try await core.run("/_info #1")["groupInfo"]?["relayOwnStatus"] == "active")
        func post(_ text: String) -> [UInt8] {
            Array(
                #"{"v":"1-19","msgId":"\#(SharedMessageID.random().text)","event":"x.msg.new","params":{"asGroup":true,"content":{"type":"text","text":"\#(text)"}}}"#
                    .utf8
            )
        }
        try await owner.sendBody(post("before"), over: answer.connection)
        try await waitForPost("before", core)

        let bob = try await world.core("bob")
        try await bob.createUser("bob")
        let plan = try await bob.run("/_connect plan 1 \(owner.link.uri)")
        let data = try #require(plan["connectionPlan"]?["groupLinkPlan"]?["groupSLinkData_"], "\(plan)")
        let full = try #require(plan["connLink"]?["connFullLink"]?.stringValue)
        try await bob.run("/_prepare group 1 \(full) \(owner.link.uri) direct=off \(data.text)")
        let started = try await bob.run("/_connect group #1 incognito=off")
        #expect(started["type"] == "startedConnectionToGroup", "\(started)")
        try await bob.wait(for: "userJoinedGroup")
        try await core.wait(for: "joinedGroupMember")
        try await owner.sendBody(post("after"), over: answer.connection)
        for text in ["before", "after"] { try await waitForPost(text, bob) }
        let leave = ChatMessage(sharedID: .random(), event: .group(.delete))
        let signer = ChannelSigner(
            key: owner.ownerKey,
            binding: GroupBinding(publicGroupID: owner.entityID, member: owner.id)
        )
        try await owner.sendBody(signer.encode(leave), over: answer.connection)
        let ended = try await bob.wait(for: "groupDeleted")
        #expect(ended.first?["msgSigned"] == "verified")
        for controller in [core.controller, bob.controller] { await controller.close() }
    }

    @Test
    func `A relay refuses a channel if its id or owner differs from the link, or if the channel is not allowed`()
        async throws
    {
        let world = try await World()
        let allowed = try await ScriptedOwner(in: world)
        let (core, address) = try await makeRelay(in: world) {
            $0.channelRelayLimits.allowedChannelIds = [Base64URL.encode(allowed.entityID)]
        }
        try await ScriptedOwner(in: world, stated: [1, 2, 3]).inviteRelay(address, as: .random())
        try await core.wait(for: "chatError")
        try await allowed.inviteRelay(address, as: .random(), from: .random())
        try await core.wait(for: "chatError", count: 2)
        try await ScriptedOwner(in: world).inviteRelay(address, as: .random())
        try await core.wait(for: "chatError", count: 3)
        #expect(try await core.run("/_groups 1")["groups"] == [])
        try await allowed.inviteRelay(address, as: .random())
        guard case .relay(.acceptance) = try await allowed.waitForAnswer().message.event else {
            throw UnexpectedAnswer()
        }
        await core.controller.close()
    }

    @Test
    func `A relay serves a channel whose link data contain unknown JSON members of newer versions`() async throws {
        let world = try await World()
        let (core, address) = try await makeRelay(in: world)
        let owner = try await ScriptedOwner(
            in: world,
            later: #","publicGroupData":{"publicMemberCount":-1,"later":[]},"later":{"a":1}"#
        )
        try await owner.inviteRelay(address, as: .random())
        try await owner.acceptAnswer(owner.waitForAnswer())
        try await core.wait(for: "userJoinedGroup")
        #expect(
            try await core.channelInfo()["groupProfile"]?["publicGroup"]?["publicGroupId"]?.stringValue
                == Base64URL.encode(owner.entityID)
        )
        await core.controller.close()
    }

    @Test(
        arguments: [
            // The number of answers that wait for the server of the request (`own`), and the numbers for the other
            // servers (`others`).
            (SingleAnswerConnections.maxConnectionsPerRelay, [1], "own0"),
            (1, Array(repeating: SingleAnswerConnections.maxConnectionsPerRelay, count: 3) + [49], "other0-0"),
        ] as [(Int64, [Int64], String)]
    )
    func `If too many answers of a relay wait for delivery, a new request is answered and the oldest answer dropped`(
        own: Int64,
        others: [Int64],
        oldest: String
    ) async throws {
        let world = try await World()
        let (core, address) = try await makeRelay(in: world)
        let owner = try await ScriptedOwner(in: world)
        let place = SingleAnswerConnections.hostAndPort(of: world.relay.address)
        let waiting =
            others.enumerated().flatMap { server, count in
                (0..<count).map { (id: "other\(server)-\($0)", relay: "other\(server):5223") }
            } + (0..<own).map { (id: "own\($0)", relay: place) }
        try await core.controller.store.write { tx in
            for (age, row) in waiting.reversed().enumerated() {
                try tx.db.execute(
                    "INSERT INTO passing_connections (agent_conn_id, user_id, is_answered, created_at, relay) VALUES (?, 1, 1, ?, ?)",
                    [row.id, tx.now.adding(seconds: -Int64(age) - 1).nanoseconds, row.relay]
                )
            }
        }
        let challenge = RandomBytes.make(count: 32)
        try await owner.sendRequest(.test(challenge: challenge, signature: nil), at: address)
        guard case .relay(.test(challenge, _?)) = try await owner.waitForAnswer().message.event else {
            throw UnexpectedAnswer()
        }
        let left = try await core.controller.store.read { db in
            Set(try db.query("SELECT agent_conn_id FROM passing_connections").map { try $0.string("agent_conn_id") })
        }
        #expect(Set(waiting.map(\.id)).subtracting(left) == [oldest])
        try await core.controller.store.write { tx in
            try tx.db.execute("UPDATE passing_connections SET created_at = 1")
            #expect(try SingleAnswerConnections.endExpiredConnections(tx) >= waiting.count - 1)
        }
        await core.controller.close()
    }

    @Test
    func `A relay that serves too many channels, or has left the channel, rejects an invitation with the reason`()
        async throws
    {
        let world = try await World()
        let (core, address) = try await makeRelay(in: world) { $0.channelRelayLimits.maxChannels = 1 }
        let (owner, other) = (try await ScriptedOwner(in: world), try await ScriptedOwner(in: world))
        try await owner.inviteRelay(address, as: .random())
        try await owner.acceptAnswer(owner.waitForAnswer())
        try await core.wait(for: "userJoinedGroup")
        try await other.inviteRelay(address, as: .random())
        guard case .relay(.rejection("too_many_channels")) = try await other.waitForAnswer().message.event else {
            throw UnexpectedAnswer()
        }
        try await core.run("/_leave #1")
        try await owner.inviteRelay(address, as: .random())
        guard case .relay(.rejection("rejoin_rejected")) = try await owner.waitForAnswer().message.event else {
            throw UnexpectedAnswer()
        }
        try await core.run("/_relay allow #1")
        try await owner.inviteRelay(address, as: .random())
        guard case .relay(.acceptance) = try await owner.waitForAnswer().message.event else { throw UnexpectedAnswer() }
        await core.controller.close()
    }
}
