import ChatAPI
import ChatProtocol
import JSON
import SQLCipher
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore
@testable import ChatStore

@Suite("Owners of channels", .socketTimeLimit)
struct ChannelOwnerTests {
    static let profileJSON = #"{"displayName":"news","fullName":"","groupPreferences":{"history":{"enable":"on"}}}"#

    @Test
    func `The link of a new channel lists the relays that have received the roster`() async throws {
        let stage = try await Stage()
        let answer = try await stage.createChannel()
        #expect(answer["groupRelays"]?.arrayValue?.count == 2 && answer["groupLink"]?["acceptMemberRole"] == "observer")
        #expect(
            answer["groupInfo"]?["useRelays"] == true && answer["groupInfo"]?["membership"]?["memberRole"] == "owner"
        )
        let event = try await stage.waitForRelays(2)
        #expect(event["relaysChanged"] == true)
        let (data, shown, signers) = try await stage.fetchLink()
        let channels = try stage.relays.map { try #require($0.channel) }
        #expect(!data.isDirect && Set(data.relays.map(\.uri)) == Set(channels.compactMap { $0.link?.uri }))
        #expect(
            signers.entityID == Digest.sha256(signers.rootKey.rawRepresentation)
                && shown.publicGroupData?.publicMemberCount == 1
        )
        #expect(
            shown.groupProfile.publicGroup?.groupLink
                == answer["groupLink"]?["connLinkContact"]?["connShortLink"]?.stringValue
        )
        let owner = try #require(signers.owners.first)
        #expect(
            signers.owners.count == 1
                && MemberID(bytes: owner.id).text == answer["groupInfo"]?["membership"]?["memberId"]?.stringValue
        )
        for (channel, relay) in zip(channels, stage.relays) {
            let seen = try await relay.waitForChannel { !$0.rosters.isEmpty }
            #expect(seen.rosters.first?.version == 0 && seen.rosters.first?.roster.entries.isEmpty == true)
            let signed = try #require(seen.receivedElements.first?.signedMessage)
            let binding = GroupBinding(publicGroupID: try #require(signers.entityID), member: MemberID(bytes: owner.id))
            #expect(signed.isValid(owner.key, bound: binding))
            #expect(
                channel.invitation.groupLink == shown.groupProfile.publicGroup?.groupLink
                    && channel.invitation.fromMember.role == .owner
            )
        }
        // The answer shows the capabilities of relays and the owners of keys, but no private keys.
        let listed = try await stage.alice.run("/_get relays #1")
        #expect(listed["groupRelays"]?[0]?["relayCap"]?["webDomain"] == "web.example.org")
        let keys = try await stage.alice.controller.store.read { db in
            try db.query("SELECT root_private_key, member_key FROM groups").flatMap {
                [try $0.blob("root_private_key"), try $0.blob("member_key")]
            }
        }
        let told =
            try await stage.alice.events().map(\.event.text).joined() + answer.text + listed.text
            + (try await stage.alice.run("/_get chats 1")).text
        for key in keys { #expect(!SecretSearch(Array(key.prefix(32))).finds(in: told)) }
        #expect(keys.count == 2 && !told.contains("PrivKey") && !told.contains("groupKeys"))
        // The answer shows the public keys.
        let stated = answer["groupInfo"]?["groupPublicKeys"]
        #expect(stated?["groupRootKey"] == ["type": "public", "rootPubKey": .string(MemberKey(signers.rootKey).text)])
        #expect(stated?["memberPubKey"]?.stringValue == MemberKey(owner.key).text)
        #expect(stated?["publicGroupId"]?.stringValue == Base64URL.encode(signers.entityID ?? []))
        #expect(
            try await stage.alice.run("/_add relays #1 1")["errorType"]?["message"]
                == "some relays are already in the group"
        )
        await stage.close()
    }

    @Test
    func `The owner of a channel signs its changes, and sends the roster before a member's new role`() async throws {
        let stage = try await Stage()
        try await stage.createChannel()
        try await stage.waitForRelays(2)
        let owner = try #require(try await stage.fetchLink().signers.owners.first)
        let binding = GroupBinding(
            publicGroupID: try #require(try await stage.fetchLink().signers.entityID),
            member: MemberID(bytes: owner.id)
        )
        let bob = try await stage.announceSubscriber("bob")
        // Each relay announces a new member, so the second relay also announces bob.
        try await stage.relays[1].announceSubscriber(
            bob.id,
            bob.key.publicKey,
            named: "bob",
            in: #require(stage.relays[1].channel)
        )
        let post = #"[{"msgContent":{"type":"text","text":"hello"},"mentions":{}}]"#
        try await stage.alice.run("/_send #1(as_group=on) live=off ttl=default json \(post)")
        let signed = try await stage.alice.run("/_send #1 live=off ttl=default sign=on json \(post)")
        #expect(signed["chatItems"]?[0]?["chatItem"]?["meta"]?["msgSigned"] == "verified")
        let asGroup = try await stage.alice.run("/_send #1(as_group=on) live=off ttl=default sign=on json \(post)")
        #expect(asGroup["chatItems"]?[0]?["chatItem"]?["meta"]?["msgSigned"] == nil)
        let role = try await stage.alice.run("/_member role #1 \(bob.member) member")
        #expect(role["type"] == "membersRoleUser" && role["msgSigned"] == true, "\(role)")
        #expect(try await stage.alice.run("/_member role #1 \(bob.member) moderator")["type"] == "membersRoleUser")
        #expect(
            try await stage.alice.run("/_group_profile #1 {\"displayName\":\"newer\",\"fullName\":\"\"}")["msgSigned"]
                == true
        )
        let access = #"{"groupWebPage":"https://example.org","domainWebPage":false,"allowEmbedding":true}"#
        let changed = try await stage.alice.run("/_public group access #1 \(access)")
        #expect(
            changed["toGroup"]?["groupProfile"]?["publicGroup"]?["publicGroupAccess"]?["allowEmbedding"] == true,
            "\(changed)"
        )
        let removed = try await stage.alice.run("/_remove #1 \(bob.member) messages=off")
        #expect(
            removed["type"] == "userDeletedMembers" && removed["groupInfo"]?["groupSummary"]?["publicMemberCount"] == 1,
            "\(removed)"
        )
        for relay in stage.relays {
            let channel = try await relay.waitForChannel {
                $0.messages.contains { if case .group(.memberDelete) = $0.event { true } else { false } }
            }
            #expect(channel.rosters.map(\.version) == [0, 1, 2, 3])
            #expect(channel.rosters.map { $0.roster.entries.map(\.role) } == [[], [.member], [.moderator], []])
            #expect(channel.rosters[1].roster.entries.first?.key.key == bob.key.publicKey)
            let tags = channel.messages.map(\.event.tag)
            #expect(tags.filter { $0 == "x.msg.new" }.count == 3)
            #expect(
                tags.suffix(8) == [
                    "x.grp.roster", "x.grp.mem.role", "x.grp.roster", "x.grp.mem.role", "x.grp.info", "x.grp.info",
                    "x.grp.roster", "x.grp.mem.del",
                ]
            )
            for element in channel.receivedElements {
                guard case .success(.message(let message)) = element.content else { continue }
                if message.event.requiresSignature {
                    #expect(element.signedMessage?.isValid(owner.key, bound: binding) == true, "\(message.event.tag)")
                }
                switch message.event {
                case .messageNew(let container): #expect((element.signedMessage == nil) == container.isSentAsGroup)
                case .group(.memberRole(let id, _, let step)):
                    #expect(id == bob.id && step.key?.key == bob.key.publicKey && step.version ?? 0 > 0)
                case .group(.memberDelete(_, _, let step)): #expect(step.version == 3)
                default: break
                }
            }
        }
        // The link of the channel is written after the answer, so the test waits for its new profile.
        for told in 1... {
            let event = try await stage.alice.wait(for: "groupLinkDataUpdated", count: told)[told - 1]
            let info = event["groupInfo"]
            if info?["groupSummary"]?["publicMemberCount"] == 1, info?["groupProfile"]?["displayName"] == "newer" {
                break
            }
        }
        let shown = try await stage.fetchLink().shown
        #expect(
            shown.publicGroupData?.publicMemberCount == 1
                && shown.groupProfile.publicGroup?.publicGroupAccess?.groupWebPage == "https://example.org"
        )
        await stage.close()
    }

    @Test
    func `If the invitation of a relay to a new channel fails, the channel is removed completely`() async throws {
        let stage = try await Stage()
        let missing = stage.relays[1].address
        // The changed key belongs to no link, so the relay cannot be invited.
        let gone = missing.replacing(
            /#[^?]*/,
            with: "#" + Base64URL.encode(RandomBytes.make(count: 32)).filter { $0 != "=" }
        )
        #expect(
            try await stage.alice.run("/relays name=rel0 \(stage.relays[0].address) name=gone \(gone)")["type"]
                == "cmdOk"
        )
        let ids =
            try await stage.alice.run("/_servers 1")["userServers"]?[0]?["chatRelays"]?.arrayValue?.compactMap {
                $0["chatRelayId"]?.integerValue
            } ?? []
        let answer = try await stage.alice.run(
            "/_public group 1 \(ids.map { "\($0)" }.joined(separator: ",")) \(Self.profileJSON)"
        )
        #expect(answer["type"] == "publicGroupCreationFailed", "\(answer)")
        let results = answer["addRelayResults"]?.arrayValue ?? []
        #expect(results.map { $0["relayError"] == nil } == [true, false])
        #expect(try await stage.alice.run("/_groups 1")["groups"] == [])
        let left = try await stage.alice.controller.store.read { db in
            try ["group_links", "group_relays", "group_members", "channel_links_in_progress"].map {
                try db.query("SELECT 1 FROM \($0)").count
            }
        }
        #expect(left == [0, 0, 0, 0])
        #expect(
            try await stage.alice.run("/_public group 1 \(ids[0]) {\"displayName\":\"\",\"fullName\":\"\"}").errorType
                == "invalidDisplayName"
        )
        let many = String(repeating: "a", count: 20_000)
        #expect(
            try await stage.alice.run(
                "/_public group 1 \(ids[0]) {\"displayName\":\"news\",\"fullName\":\"\",\"description\":\"\(many)\"}"
            ).errorType == "largeMsg"
        )
        #expect(try await stage.alice.run("/_groups 1")["groups"] == [])
        await stage.close()
    }

    @Test
    func `If the creation of a channel is interrupted, the next start removes the channel`() async throws {
        let stage = try await Stage()
        try await stage.createChannel("1")
        try await stage.waitForRelays(1)
        // In the second channel a command has no answer, the link is not stored, and a relay is not invited.
        stage.relays[1].script.invitationAnswer = .silence
        try await stage.createChannel("2")
        let key = RandomBytes.make(count: 32)
        let (made, _, _) = try await stage.alice.controller.services.agent.createAddress(
            user: 1,
            type: .channel,
            for: key
        ) { _ in ContactLinkData(userData: Array("{}".utf8)) }
        try await stage.alice.controller.store.write { tx in
            try tx.db.execute("UPDATE groups SET in_progress = 1 WHERE group_id = 2")
            try tx.db.execute("INSERT INTO channel_links_in_progress (request_key, user_id) VALUES (?, 1)", [key])
            try tx.db.execute("INSERT INTO relay_tests (agent_conn_id, user_id) VALUES ('abc', 1)")
        }
        await stage.alice.controller.close()
        let again = try await stage.world.core("alice", started: false)
        let (retired, left) = try await again.controller.store.read { db in
            (
                try db.query("SELECT agent_conn_id FROM retired_connections").map { try $0.string("agent_conn_id") },
                try ["channel_links_in_progress", "relay_tests", "group_links", "group_relays", "groups"].map {
                    try db.query("SELECT 1 FROM \($0)").count
                }
            )
        }
        #expect(retired.contains(made.text) && left == [0, 0, 1, 1, 1])
        await again.controller.close()
        for relay in stage.relays { await relay.close() }
    }

    @Test
    func `The only owner of a channel cannot leave it, but can delete it at its relays`() async throws {
        let stage = try await Stage(relays: [.init()])
        try await stage.createChannel("1")
        try await stage.waitForRelays(1)
        #expect(
            try await stage.alice.run("/_leave #1")["errorType"]?["message"] == "the only owner can't leave the channel"
        )
        #expect(try await stage.alice.run("/_create link #1 observer").errorType == "duplicateGroupLink")
        let bob = try await stage.announceSubscriber("bob")
        #expect(try await stage.alice.run("/_member role #1 \(bob.member) owner")["type"] == "membersRoleUser")
        let channel = try await stage.relays[0].waitForChannel {
            $0.messages.contains { if case .group(.memberRole) = $0.event { true } else { false } }
        }
        // The changed member is not in the roster, so the roster keeps its version.
        #expect(channel.rosters.map(\.version) == [0])
        let link = try #require(
            try await stage.alice.run("/_get link #1")["groupLink"]?["connLinkContact"]?["connShortLink"]?.stringValue
        )
        let deleted = try await stage.alice.run("/_delete #1 full")
        #expect(deleted["type"] == "groupDeletedUser" && deleted["msgSigned"] == true, "\(deleted)")
        let ended = try await stage.relays[0].waitForChannel { $0.messages.contains { $0.event == .group(.delete) } }
        #expect(ended.receivedElements.last?.signedMessage != nil)
        try await stage.alice.wait(for: "agentConnsDeleted")
        #expect(try await stage.alice.run("/_connect plan 1 \(link)")["agentError"]?["type"] == "SMP")
        await stage.close()
    }
    @Test
    func `A second owner can change the name of a channel and the roles of its members`() async throws {
        let stage = try await Stage(relays: [.init()])
        try await stage.createChannel("1")
        try await stage.waitForRelays(1)
        let (bob, carol, mallory) = (
            try await stage.announceSubscriber("bob"), try await stage.announceSubscriber("carol"),
            try await stage.announceSubscriber("mallory")
        )
        #expect(try await stage.alice.run("/_member role #1 \(bob.member) owner")["type"] == "membersRoleUser")
        let channel = try await stage.relays[0].waitForChannel {
            $0.messages.contains { if case .group(.memberRole) = $0.event { true } else { false } }
        }
        #expect(
            channel.messages.contains {
                if case .group(.memberRole(bob.id, .owner, let step)) = $0.event {
                    step.key?.key == bob.key.publicKey && step.version == nil
                } else {
                    false
                }
            }
        )
        let entity = try #require(try await stage.fetchLink().signers.entityID)
        let known = try await stage.fetchLink().shown.groupProfile
        func signed(
            _ event: String,
            _ params: String,
            by author: (id: MemberID, key: Ed25519.PrivateKey, member: Int64),
            as id: MemberID? = nil
        ) throws -> [UInt8] {
            let body = Array(
                #"{"v":"1-19","msgId":"\#(SharedMessageID.random().text)","event":"\#(event)","params":\#(params)}"#
                    .utf8
            )
            let element = try SignedMessage(
                body,
                by: author.key,
                bound: GroupBinding(publicGroupID: entity, member: id ?? author.id)
            ).element
            return BinaryBatch.encodeElements([
                ForwardedMessage.encodeElement(by: id ?? author.id, named: "somebody", at: .now, element)
            ])
        }
        func info(_ name: String) throws -> String {
            var profile = known
            profile.displayName = name
            return #"{"groupProfile":\#(String(decoding: try JSONEncoder().encode(profile), as: UTF8.self))}"#
        }
        let relay = stage.relays[0]
        try await relay.sendBody(
            signed("x.grp.info", info("forged"), by: mallory, as: bob.id),
            over: channel.connection
        )
        try await relay.sendBody(signed("x.grp.info", info("hers"), by: mallory), over: channel.connection)
        let role =
            #"{"memberId":"\#(mallory.id.text)","role":"admin","rosterVersion":1,"memberKey":"\#(MemberKey(mallory.key.publicKey).text)"}"#
        try await relay.sendBody(signed("x.grp.mem.role", role, by: mallory), over: channel.connection)
        try await relay.sendBody(signed("x.grp.info", info("by bob"), by: bob), over: channel.connection)
        let carols =
            #"{"memberId":"\#(carol.id.text)","role":"member","rosterVersion":1,"memberKey":"\#(MemberKey(carol.key.publicKey).text)"}"#
        try await relay.sendBody(signed("x.grp.mem.role", carols, by: bob), over: channel.connection)
        let changed = try await stage.alice.wait(for: "memberRole")
        #expect(
            changed.count == 1 && changed[0]["member"]?["memberId"]?.stringValue == carol.id.text
                && changed[0]["msgSigned"] == "verified"
        )
        let updated = try await stage.alice.wait(for: "groupUpdated")
        #expect(updated.count == 1 && updated[0]["toGroup"]?["groupProfile"]?["displayName"] == "by bob")
        for told in 1... {
            let event = try await stage.alice.wait(for: "groupLinkDataUpdated", count: told)[told - 1]
            if event["groupInfo"]?["groupProfile"]?["displayName"] == "by bob" { break }
        }
        #expect(try await stage.fetchLink().shown.groupProfile.displayName == "by bob")
        // The next version of the roster follows the second owner's version, and contains his changes.
        #expect(try await stage.alice.run("/_member role #1 \(mallory.member) moderator")["type"] == "membersRoleUser")
        let last = try await relay.waitForChannel { $0.rosters.count == 2 }.rosters[1]
        #expect(last.version == 2 && Set(last.roster.entries.map(\.id)) == [carol.id, mallory.id])
        // There is a second owner, so the first owner may leave.
        #expect(try await stage.alice.run("/_leave #1")["type"] == "leftMemberUser")
        await stage.close()
    }
}
