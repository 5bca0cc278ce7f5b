import ChatProtocol
import Foundation
import JSON
import SMP
import SMPRelay
import SMPTestSupport
import SQLCipher
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore

@Suite("Channels over the network", .socketTimeLimit)
struct ChannelNetworkTests {
    @Test
    func `A subscriber sends signed join requests with the same key and member id to all relays of a channel`()
        async throws
    {
        let world = try await World()
        let channel = try await ChannelNetwork(relays: 2, in: world)
        let bob = try await world.core("bob")
        try await bob.createUser("bob")
        try await channel.joinChannel(bob, relays: 2)
        let requests = channel.relayRecords.withLock { $0.joinRequests }
        let keys = requests.compactMap { $0.params["newMemberKey"]?.stringValue }
        #expect(
            requests.count == 2 && Set(keys).count == 1 && Set(requests.map { $0.params["newMemberId"] }).count == 1
        )
        for request in requests {
            let relay = channel.relays[request.relay]
            #expect(request.params["viaRelay"]?.stringValue == relay.id.text)
            let key = try #require(keys.first.flatMap { MemberKey(parsing: $0) })
            let id = try #require(request.params["newMemberId"]?.stringValue.flatMap { MemberID(parsing: $0) })
            #expect(request.signed.isValid(key.key, bound: GroupBinding(publicGroupID: channel.entityID, member: id)))
        }
        for relay in [0, 1] { try await channel.sendFromRelay([channel.postElement("from \(relay)")], from: relay) }
        for relay in [0, 1] { try await bob.waitForItem("from \(relay)") }
        let group = try await bob.run("/_info #1")["groupInfo"]
        #expect(
            group?["preparedGroup"]?["connLinkStartedConnection"] == true
                && group?["membership"]?["memberStatus"] == "connected",
            "\(String(describing: group))"
        )
        #expect(group?["groupKeys"] == nil && group?["membership"]?["memberPubKey"]?.stringValue == keys.first)
        let stored = try await bob.controller.store.read { db in
            try db.firstRow("SELECT member_key FROM groups")?.blob("member_key")
        }
        let secret = try #require(stored)
        let shown =
            try await bob.events().map(\.event.text).joined() + bob.run("/_get chat #1 count=100").text
            + bob.run("/_members #1").text
        #expect(!SecretSearch(Array(secret.prefix(32))).finds(in: shown))
        await bob.controller.close()
        await channel.close()
    }

    @Test
    func `If the process ends while a subscriber joins at a relay, the next start completes the join once`()
        async throws
    {
        let world = try await World()
        let folder = world.directory.appending(path: "far").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let configuration = RelayConfiguration(directory: folder, host: "127.0.0.1", port: TestPort.takeUnused())
        let far = try await Relay.start(configuration: configuration, group: World.eventLoopGroup)
        let channel = try await ChannelNetwork(relays: 1, in: world, at: far.address)
        let killed = try await world.core("bob")
        try await killed.createUser("bob")
        try await channel.prepareChat(killed)
        await far.stopAndWait()
        let silent = try await SilentServer(port: Int(configuration.port))
        let command = Task { try await killed.run("/_connect group #1 incognito=off") }
        try await waitUntil("the relay is asked") {
            try await killed.controller.store.read { db in
                try db.firstRow("SELECT step FROM group_members WHERE step = 'asked'") != nil
            }
        }
        // The copied files have the state of a process that was killed at this moment.
        try FileManager.default.copyItem(
            at: world.directory.appending(path: "bob"),
            to: world.directory.appending(path: "again")
        )
        await killed.controller.close()
        _ = try? await command.value
        await silent.stop()
        let again = try await Relay.start(configuration: configuration, group: World.eventLoopGroup)
        let bob = try await world.core("again", key: World.databaseKey(of: "bob"))
        try await bob.wait(for: "userJoinedGroup")
        try await channel.waitForRecords("a subscriber") { $0.subscribersByRelay[0]?.count == 1 }
        try await channel.sendFromRelay([channel.postElement("after the cut")])
        try await bob.waitForItem("after the cut")
        let group = try await bob.run("/_info #1")["groupInfo"]
        #expect(group?["preparedGroup"]?["connLinkStartedConnection"] == true)
        #expect(channel.relayRecords.withLock { $0.joinRequests.count } == 1)
        let steps = try await bob.controller.store.read { db in
            try db.query("SELECT step FROM group_members WHERE step IS NOT NULL").count
        }
        #expect(steps == 0)
        await bob.controller.close()
        await channel.close()
        await again.stopAndWait()
    }

    @Test
    func `If a user joins a channel that a contact shared as its owner, the owner's member is linked with the contact`()
        async throws
    {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        let channel = try await ChannelNetwork(relays: 1, in: world)
        try await channel.prepareChat(bob)
        let unknown = try await bob.run("/_connect group #1 incognito=off contact=99 owner=\(channel.owner.id.text)")
        #expect(unknown["storeError"]?["type"] == "contactNotFound", "\(unknown)")
        let contact = try #require(try await bob.run("/_contacts 1")["contacts"]?[0]?["contactId"]?.integerValue)
        try await bob.run("/_connect group #1 incognito=off contact=\(contact) owner=\(channel.owner.id.text)")
        try await bob.wait(for: "userJoinedGroup")
        let members = try await bob.run("/_members #1")["group"]?["members"]?.arrayValue ?? []
        #expect(members.first { $0["memberRole"] == "owner" }?["memberContactId"]?.integerValue == contact)
        #expect(members.first { $0["memberRole"] == "relay" }?["memberContactId"] == nil)
        for core in [alice, bob] { await core.controller.close() }
        await channel.close()
    }

    @Test
    func `The connection plan of a known channel reads the link data from the server only on request`() async throws {
        let world = try await World()
        let channel = try await ChannelNetwork(relays: 1, in: world)
        let (bob, carol) = (try await world.core("bob"), try await world.core("carol"))
        for (core, name) in [(bob, "bob"), (carol, "carol")] { try await core.createUser(name) }
        try await channel.joinChannel(bob, relays: 1)
        try await channel.publishRelays([0], name: "newer news", members: 8)
        let link = try channel.link
        func plan(_ core: Core, _ options: String) async throws -> JSONValue {
            try await core.run("/_connect plan 1 \(link.uri)\(options)")
        }
        for options in ["", " resolve=never"] {
            let known = try await plan(bob, options)["connectionPlan"]?["groupLinkPlan"]
            #expect(
                known?["type"] == "known" && known?["groupInfo"]?["groupProfile"]?["displayName"] == "news",
                "\(String(describing: known))"
            )
        }
        let binding: [UInt8] = Array("C".utf8) + [2, 1, 2]
        func signature(_ key: Ed25519.PrivateKey) throws -> String {
            let bytes = try key.sign(binding + link.smpEncoded())
            return
                #"{"ownerId":"\#(Base64URL.encode(channel.owner.id.bytes))","chatBinding":"\#(Base64URL.encode(binding))","ownerSig":"\#(Base64URL.encode(bytes))"}"#
        }
        let read = try await plan(bob, " resolve=allGroups sig=\(signature(channel.owner.key))")["connectionPlan"]?[
            "groupLinkPlan"
        ]
        #expect(
            read?["groupUpdated"] == true && read?["groupInfo"]?["groupProfile"]?["displayName"] == "newer news",
            "\(String(describing: read))"
        )
        #expect(
            read?["groupInfo"]?["groupSummary"]?["publicMemberCount"] == 8
                && read?["ownerVerification"]?["type"] == "verified"
        )
        #expect(read?["linkOwners"]?[0]?["memberId"]?.stringValue == channel.owner.id.text)
        let again = try await plan(bob, " resolve=on sig=\(signature(channel.rootKey))")["connectionPlan"]?[
            "groupLinkPlan"
        ]
        #expect(
            again?["groupUpdated"] != true && again?["ownerVerification"]?["type"] == "failed",
            "\(String(describing: again))"
        )
        #expect(try await plan(carol, " resolve=never")["errorType"]?["type"] == "notResolvedLocally")
        let new = try await plan(carol, " sig=\(signature(channel.owner.key))")["connectionPlan"]?["groupLinkPlan"]
        #expect(new?["type"] == "ok" && new?["ownerVerification"]?["type"] == "verified", "\(String(describing: new))")
        for core in [bob, carol] { await core.controller.close() }
        await channel.close()
    }

    @Test
    func `A changed member count in the link data of a channel does not count as an update of the channel`()
        async throws
    {
        let world = try await World()
        let channel = try await ChannelNetwork(relays: 1, in: world)
        let bob = try await world.core("bob")
        try await bob.createUser("bob")
        try await channel.joinChannel(bob, relays: 1)
        try await channel.publishRelays([0], members: 9)
        let planned = try await bob.run("/_connect plan 1 \(channel.link.uri) resolve=on")
        let plan = planned["connectionPlan"]?["groupLinkPlan"]
        #expect(plan?["groupInfo"]?["groupSummary"]?["publicMemberCount"] == 9, "\(planned)")
        #expect(plan?["groupUpdated"] != true)
        await bob.controller.close()
        await channel.close()
    }

    @Test
    func `If joining a channel fails, the group of the channel is removed`() async throws {
        let world = try await World()
        let channel = try await ChannelNetwork(relays: 1, in: world)
        let bob = try await world.core("bob")
        try await bob.createUser("bob")
        // The only relay of the link has an invalid profile, so the join fails.
        let damaged = try await channel.addRelay(profile: "7")
        try await channel.publishRelays([damaged])
        let refused = try await bob.run("/c \(channel.link.uri)")
        #expect(refused["type"] == "error", "\(refused)")
        #expect(try await bob.run("/_groups 1")["groups"]?.arrayValue?.isEmpty == true)
        try await channel.publishRelays([0])
        let joined = try await bob.run("/c \(channel.link.uri)")
        #expect(
            joined["type"] == "startedConnectionToGroup" && joined["relayResults"]?.arrayValue?.count == 1,
            "\(joined)"
        )
        try await bob.wait(for: "userJoinedGroup")
        #expect(try await bob.run("/c \(channel.link.uri)")["connectionPlan"]?["groupLinkPlan"]?["type"] == "known")
        await bob.controller.close()
        await channel.close()
    }

    @Test
    func `A subscriber joins the relays that are added to a channel's link, and leaves the relays that are removed`()
        async throws
    {
        let world = try await World()
        let channel = try await ChannelNetwork(relays: 1, in: world)
        let bob = try await world.core("bob")
        try await bob.createUser("bob")
        try await channel.joinChannel(bob, relays: 1)
        func relays() async throws -> [String] {
            let members = try await bob.run("/_members #1")["group"]?["members"]?.arrayValue ?? []
            return members.filter { $0["memberRole"] == "relay" && $0["memberStatus"] == "connected" }.compactMap {
                $0["memberId"]?.stringValue
            }
        }
        let second = try await channel.addRelay()
        try await channel.publishRelays([0, second], name: "two relays", members: 9)
        let read = try await bob.run("/_get group link data #1")["groupInfo"]
        #expect(
            read?["groupProfile"]?["displayName"] == "two relays" && read?["groupSummary"]?["publicMemberCount"] == 9
        )
        try await bob.wait(for: "userJoinedGroup", count: 2)
        try await channel.publishRelays([second], name: "one relay")
        // Sets the time of the next check to the present, so that the core reads the link now.
        try await bob.controller.store.write { tx in
            let user = try #require(try UserRecord.find(1, in: tx.db))
            try GroupRecord.get(1, user: user, in: tx.db).scheduleLinkRead(after: .zero, tx)
        }
        let changed = try await bob.wait(for: "chatInfoUpdated")
        #expect(changed.last?["chatInfo"]?["groupInfo"]?["groupProfile"]?["displayName"] == "one relay")
        #expect(try await relays() == [channel.relays[second].id.text])
        let third = try await channel.addRelay()
        try await channel.publishRelays([third], name: "one relay")
        let relay = channel.relays[second]
        let leave = Array(
            #"{"v":"1-19","msgId":"\#(SharedMessageID.random().text)","event":"x.grp.leave","params":{}}"#.utf8
        )
        try await channel.sendFromRelay(
            SignedMessage(
                leave,
                by: relay.linkKey,
                bound: GroupBinding(publicGroupID: channel.entityID, member: relay.id)
            )
            .element,
            from: second
        )
        try await bob.wait(for: "userJoinedGroup", count: 3)
        #expect(try await relays() == [channel.relays[third].id.text])
        try await channel.waitForRecords("a subscriber") { $0.subscribersByRelay[third]?.count == 1 }
        try await channel.sendFromRelay([channel.postElement("by the third")], from: third)
        try await bob.waitForItem("by the third")
        await bob.controller.close()
        await channel.close()
    }
}
