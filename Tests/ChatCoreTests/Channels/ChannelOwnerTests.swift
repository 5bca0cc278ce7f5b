import ChatAPI
import ChatProtocol
import JSON
import SQLCipher
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore

@Suite("Owners of channels", .overSockets)
struct ChannelOwnerTests {
    static let profile = #"{"displayName":"news","fullName":"","groupPreferences":{"history":{"enable":"on"}}}"#

    /// A core whose user can choose from several relays.
    struct Stage {
        let world: World
        let alice: Core
        let relays: [ScriptedRelay]

        init(relays scripts: [ScriptedRelay.Script] = [.init(), .init()]) async throws {
            world = try await World()
            alice = try await world.core("alice")
            try await alice.createUser("alice")
            var relays: [ScriptedRelay] = []
            for (index, script) in scripts.enumerated() {
                relays.append(try await ScriptedRelay("rel\(index)", in: world, script))
            }
            self.relays = relays
            let set = try await alice.run(
                "/relays " + relays.map { "name=\($0.name) \($0.address)" }.joined(separator: " ")
            )
            try #require(set["type"] == "cmdOk", "\(set)")
        }

        @discardableResult
        func create(_ ids: String = "1,2") async throws -> JSONValue {
            let answer = try await alice.run("/_public group 1 \(ids) \(ChannelOwnerTests.profile)")
            try #require(answer["type"] == "publicGroupCreated", "\(answer)")
            return answer
        }

        /// Waits until the link lists `count` relays.
        @discardableResult
        func waitForRelays(_ count: Int, as status: String = "active") async throws -> JSONValue {
            for told in 1... {
                let event = try await alice.wait(for: "groupLinkDataUpdated", count: told)[told - 1]
                if event["groupRelays"]?.arrayValue?.count(where: { $0["relayStatus"]?.stringValue == status }) == count
                {
                    return event
                }
            }
            return .null
        }

        /// Returns the statuses of the relays in the order in which they were chosen.
        func statuses() async throws -> [String] {
            (try await alice.run("/_get relays #1")["groupRelays"]?.arrayValue ?? [])
                .sorted {
                    ($0["userChatRelay"]?["chatRelayId"]?.integerValue ?? 0)
                        < ($1["userChatRelay"]?["chatRelayId"]?.integerValue ?? 0)
                }
                .compactMap { $0["relayStatus"]?.stringValue }
        }

        func members() async throws -> [JSONValue] {
            try await alice.run("/_members #1")["group"]?["members"]?.arrayValue ?? []
        }

        /// Makes a relay announce a new subscriber.
        func join(
            _ name: String,
            at relay: Int = 0
        ) async throws -> (id: MemberID, key: Ed25519.PrivateKey, member: Int64) {
            let (id, key) = (MemberID.random(), try Ed25519.PrivateKey())
            let channel = try #require(relays[relay].channel)
            try await relays[relay].announce(id, key.publicKey, named: name, in: channel)
            for told in 1... {
                let event = try await alice.wait(for: "joinedGroupMemberConnecting", count: told)[told - 1]
                guard event["member"]?["memberId"]?.stringValue == id.text else { continue }
                return (id, key, try #require(event["member"]?["groupMemberId"]?.integerValue))
            }
            throw ScriptedRelay.Missing(received: [])
        }

        /// Reads the data of the channel's link.
        func link() async throws -> (data: ContactLinkData, shown: GroupShortLinkData, signers: LinkSigners) {
            let text = try #require(
                try await alice.run("/_get link #1")["groupLink"]?["connLinkContact"]?["connShortLink"]?.stringValue
            )
            let (_, data, signers) = try await alice.controller.services.agent.linkData(
                user: 1,
                ShortLink(atServer: text)
            )
            guard case .contact(let contact) = data,
                let shown: GroupShortLinkData = ShortLinkData.decode(contact.userData)
            else {
                throw ScriptedRelay.Missing(received: [])
            }
            return (contact, shown, signers)
        }

        func close() async {
            for relay in relays { await relay.close() }
            await alice.controller.close()
        }
    }

    @Test("The link of a new channel lists the relays that have got the roster")
    func creation() async throws {
        let stage = try await Stage()
        let answer = try await stage.create()
        #expect(answer["groupRelays"]?.arrayValue?.count == 2 && answer["groupLink"]?["acceptMemberRole"] == "observer")
        #expect(
            answer["groupInfo"]?["useRelays"] == true && answer["groupInfo"]?["membership"]?["memberRole"] == "owner"
        )
        let event = try await stage.waitForRelays(2)
        #expect(event["relaysChanged"] == true)
        let (data, shown, signers) = try await stage.link()
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
            let seen = try await relay.wait { !$0.rosters.isEmpty }
            #expect(seen.rosters.first?.version == 0 && seen.rosters.first?.roster.entries.isEmpty == true)
            let signed = try #require(seen.received.first?.signed)
            let binding = GroupBinding(publicGroupID: try #require(signers.entityID), member: MemberID(bytes: owner.id))
            #expect(signed.isValid(owner.key, bound: binding))
            #expect(
                channel.invitation.groupLink == shown.groupProfile.publicGroup?.groupLink
                    && channel.invitation.from.role == .owner
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

    @Test("The owner signs changes of a channel, and sends the roster before each new role")
    func work() async throws {
        let stage = try await Stage()
        try await stage.create()
        try await stage.waitForRelays(2)
        let owner = try #require(try await stage.link().signers.owners.first)
        let binding = GroupBinding(
            publicGroupID: try #require(try await stage.link().signers.entityID),
            member: MemberID(bytes: owner.id)
        )
        let bob = try await stage.join("bob")
        // The second relay announces the same member.
        try await stage.relays[1].announce(
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
            let channel = try await relay.wait {
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
            for element in channel.received {
                guard case .success(.message(let message)) = element.content else { continue }
                if message.event.requiresSignature {
                    #expect(element.signed?.isValid(owner.key, bound: binding) == true, "\(message.event.tag)")
                }
                switch message.event {
                case .messageNew(let container): #expect((element.signed == nil) == container.asGroup)
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
        let shown = try await stage.link().shown
        #expect(
            shown.publicGroupData?.publicMemberCount == 1
                && shown.groupProfile.publicGroup?.publicGroupAccess?.groupWebPage == "https://example.org"
        )
        await stage.close()
    }

    @Test("A relay that leaves a channel is removed from the link, and can be added again")
    func relays() async throws {
        let stage = try await Stage()
        try await stage.create("1")
        try await stage.waitForRelays(1)
        _ = try await stage.join("bob")
        let added = try await stage.alice.run("/_add relays #1 2")
        #expect(added["type"] == "groupRelaysAdded" && added["groupRelays"]?.arrayValue?.count == 2, "\(added)")
        try await stage.waitForRelays(2)
        let second = try #require(stage.relays[1].channel)
        let first = try await stage.relays[0].wait {
            $0.messages.contains { if case .relay(.new) = $0.event { true } else { false } }
        }
        #expect(first.messages.contains { $0.event == .relay(.new(link: second.link?.uri ?? "")) })
        #expect(!second.messages.contains { if case .relay(.new) = $0.event { true } else { false } })
        // The relay's key is the key of its link.
        let leave = Array(
            #"{"v":"1-19","msgId":"\#(SharedMessageID.random().text)","event":"x.grp.leave","params":{}}"#.utf8
        )
        let binding = GroupBinding(
            publicGroupID: try #require(try await stage.link().signers.entityID),
            member: second.invitation.relay
        )
        try await stage.relays[1].send(
            SignedMessage(leave, by: first.key, bound: binding).element,
            over: second.connection
        )
        try await stage.relays[1].send(
            SignedMessage(leave, by: second.key, bound: binding).element,
            over: second.connection
        )
        let left = try await stage.alice.wait(for: "leftMember")
        #expect(left.count == 1 && left[0]["msgSigned"] == "verified")
        let event = try await stage.waitForRelays(1, as: "inactive")
        #expect(event["relaysChanged"] == true)
        #expect(try await stage.link().data.relays.map(\.uri) == [first.link?.uri ?? ""])
        #expect(
            try await stage.alice.run("/_add relays #1 2")["errorType"]?["message"]
                == "some relays are already in the group"
        )
        let relb = try #require(
            try await stage.members().first { $0["memberId"]?.stringValue == second.invitation.relay.text }?[
                "groupMemberId"
            ]?.integerValue
        )
        #expect(try await stage.alice.run("/_member role #1 \(relb) member").errorType == "commandError")
        #expect(try await stage.alice.run("/_remove #1 \(relb) messages=off")["type"] == "userDeletedMembers")
        #expect(try await stage.statuses() == ["active"])
        #expect(try await stage.alice.run("/_add relays #1 2")["type"] == "groupRelaysAdded")
        for told in 1... {
            let event = try await stage.alice.wait(for: "groupLinkDataUpdated", count: told)[told - 1]
            if event["groupRelays"]?.arrayValue?.map({ $0["relayStatus"] }) == ["active", "active"],
                event["groupRelays"]?[1]?["groupRelayId"] == 3
            {
                break
            }
        }
        #expect(try await stage.statuses() == ["active", "active"])
        await stage.close()
    }

    @Test("The link lists a relay only after a valid acceptance and an acknowledgement of the latest roster")
    func hostileRelays() async throws {
        let scripts: [ScriptedRelay.Script] = [
            .init(), .init(invitation: .otherID), .init(invitation: .noLink), .init(invitation: .linkWithoutData),
            .init(invitation: .rejection),
            .init(roster: .error), .init(roster: .otherVersion),
        ]
        let stage = try await Stage(relays: scripts)
        try await stage.create("1,2,3,4,5,6,7")
        try await stage.waitForRelays(1)
        try await eventually("five relays are rejected, and the last one is accepted") {
            try await stage.statuses() == [
                "active", "rejected", "rejected", "rejected", "rejected", "rejected", "accepted",
            ]
        }
        let last = try #require(stage.relays[6].channel)
        for _ in 0..<20 { try await stage.relays[6].acknowledge(7, in: last) }
        try await stage.relays[6].acknowledge(-1, in: last)
        try await stage.relays[6].acknowledge(0, in: last)
        try await stage.waitForRelays(2)
        // An acknowledgement from a rejected relay has no effect.
        try await stage.relays[5].acknowledge(0, in: #require(stage.relays[5].channel))
        let named = try await stage.link().data.relays.map(\.uri)
        #expect(Set(named) == Set([stage.relays[0], stage.relays[6]].compactMap { $0.channel?.link?.uri }))
        let errors = try await stage.alice.events().filter { $0.event["type"] == "messageError" }.compactMap {
            $0.event["errorMessage"]?.stringValue
        }
        #expect(
            errors.contains { $0.contains("the id is that of another relay") }
                && errors.contains { $0.contains("the data of the relay are missing") }
        )
        let reason = try await stage.alice.wait(for: "terminalEvent")[0]["data"]
        #expect(reason?["relayRejectionReason"] == "rejoin_rejected")
        // A relay can neither give a role nor write in the owner's name.
        let channel = try #require(stage.relays[0].channel)
        try await stage.relays[0].announce(
            .random(),
            Ed25519.PrivateKey().publicKey,
            named: "mallory",
            as: "admin",
            in: channel
        )
        let forged = Array(#"{"v":"1-19","event":"x.grp.info","params":{"groupProfile":\#(Self.profile)}}"#.utf8)
        try await stage.relays[0].send(
            ForwardedMessage.element(by: channel.invitation.from.id, named: "alice", at: .now, forged),
            over: channel.connection
        )
        _ = try await stage.join("bob")
        #expect(
            try await stage.members().compactMap { $0["memberProfile"]?["displayName"]?.stringValue }.contains(
                "mallory"
            ) == false
        )
        await stage.close()
    }

    @Test("The web previews of a relay change only by a valid message of this relay")
    func capabilities() async throws {
        let stage = try await Stage()
        try await stage.create()
        try await stage.waitForRelays(2)
        let eve = try await stage.join("eve", at: 1)
        let channels = try stage.relays.map { try #require($0.channel) }
        func message(_ params: String) -> [UInt8] {
            Array(#"{"v":"1-19","event":"x.grp.relay.cap","params":\#(params)}"#.utf8)
        }
        func domains() async throws -> [String?] {
            (try await stage.alice.run("/_get relays #1")["groupRelays"]?.arrayValue ?? [])
                .sorted {
                    ($0["userChatRelay"]?["chatRelayId"]?.integerValue ?? 0)
                        < ($1["userChatRelay"]?["chatRelayId"]?.integerValue ?? 0)
                }
                .map { $0["relayCap"]?["webDomain"]?.stringValue }
        }
        #expect(try await domains() == ["web.example.org", "web.example.org"])
        try await stage.relays[0].send(
            message(#"{"relayCap":{"webDomain":"new.example.org","later":{"a":1}}}"#),
            over: channels[0].connection
        )
        for params in ["{}", #"{"relayCap":7}"#, #"{"relayCap":["new"]}"#] {
            try await stage.relays[1].send(message(params), over: channels[1].connection)
        }
        // The relay writes in the name of a member, and in the name of the owner.
        for id in [eve.id, channels[1].invitation.from.id] {
            let forwarded = ForwardedMessage.element(
                by: id,
                named: "eve",
                at: .now,
                message(#"{"relayCap":{"webDomain":"evil.example.org"}}"#)
            )
            try await stage.relays[1].send(BinaryBatch.encoded([forwarded]), over: channels[1].connection)
        }
        for relay in [0, 1] { _ = try await stage.join("after \(relay)", at: relay) }
        #expect(try await domains() == ["new.example.org", "web.example.org"])
        // The relay no longer makes previews.
        try await stage.relays[0].send(message(#"{"relayCap":{}}"#), over: channels[0].connection)
        _ = try await stage.join("at last", at: 0)
        #expect(try await domains() == [nil, "web.example.org"])
        await stage.close()
    }

    @Test("A relay without support for rosters is listed in the link without an acknowledgement")
    func olderRelay() async throws {
        let stage = try await Stage(relays: [
            .init(roster: .silence, versions: ChatVersionRange(minimum: 1, maximum: 17))
        ])
        try await stage.create("1")
        try await stage.waitForRelays(1)
        #expect(try #require(stage.relays[0].channel).messages.isEmpty)
        await stage.close()
    }

    @Test("If a relay cannot be invited, a new channel is removed completely")
    func failure() async throws {
        let stage = try await Stage()
        let missing = stage.relays[1].address
        // This link does not exist.
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
            "/_public group 1 \(ids.map { "\($0)" }.joined(separator: ",")) \(Self.profile)"
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

    @Test("A channel whose creation was interrupted is removed at the next start")
    func crash() async throws {
        let stage = try await Stage()
        try await stage.create("1")
        try await stage.waitForRelays(1)
        // In the second channel a command has no answer, the link is not stored, and a relay is not invited.
        stage.relays[1].script.invitation = .silence
        try await stage.create("2")
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

    @Test("A relay that acknowledges the roster after a restart of the owner becomes active")
    func resumed() async throws {
        let stage = try await Stage(relays: [.init(roster: .silence)])
        try await stage.create("1")
        let channel = try await stage.relays[0].wait { !$0.rosters.isEmpty }
        #expect(try await stage.statuses() == ["accepted"])
        await stage.alice.controller.close()
        let again = try await stage.world.core("alice")
        try await stage.relays[0].acknowledge(0, in: channel)
        for told in 1... {
            let event = try await again.wait(for: "groupLinkDataUpdated", count: told)[told - 1]
            if event["groupRelays"]?[0]?["relayStatus"] == "active" { break }
        }
        await again.controller.close()
        await stage.relays[0].close()
    }

    @Test("The only owner of a channel cannot leave it, but can delete it at its relays")
    func end() async throws {
        let stage = try await Stage(relays: [.init()])
        try await stage.create("1")
        try await stage.waitForRelays(1)
        #expect(
            try await stage.alice.run("/_leave #1")["errorType"]?["message"] == "the only owner can't leave the channel"
        )
        #expect(try await stage.alice.run("/_create link #1 observer").errorType == "duplicateGroupLink")
        let bob = try await stage.join("bob")
        #expect(try await stage.alice.run("/_member role #1 \(bob.member) owner")["type"] == "membersRoleUser")
        let channel = try await stage.relays[0].wait {
            $0.messages.contains { if case .group(.memberRole) = $0.event { true } else { false } }
        }
        // A member who is not in the roster does not change it.
        #expect(channel.rosters.map(\.version) == [0])
        let link = try #require(
            try await stage.alice.run("/_get link #1")["groupLink"]?["connLinkContact"]?["connShortLink"]?.stringValue
        )
        let deleted = try await stage.alice.run("/_delete #1 full")
        #expect(deleted["type"] == "groupDeletedUser" && deleted["msgSigned"] == true, "\(deleted)")
        let ended = try await stage.relays[0].wait { $0.messages.contains { $0.event == .group(.delete) } }
        #expect(ended.received.last?.signed != nil)
        try await stage.alice.wait(for: "agentConnsDeleted")
        #expect(try await stage.alice.run("/_connect plan 1 \(link)")["agentError"]?["type"] == "SMP")
        await stage.close()
    }
    @Test("A second owner can change the name and roles of a channel")
    func otherOwner() async throws {
        let stage = try await Stage(relays: [.init()])
        try await stage.create("1")
        try await stage.waitForRelays(1)
        let (bob, carol, mallory) = (
            try await stage.join("bob"), try await stage.join("carol"), try await stage.join("mallory")
        )
        #expect(try await stage.alice.run("/_member role #1 \(bob.member) owner")["type"] == "membersRoleUser")
        let channel = try await stage.relays[0].wait {
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
        let entity = try #require(try await stage.link().signers.entityID)
        let known = try await stage.link().shown.groupProfile
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
            return BinaryBatch.encoded([
                ForwardedMessage.element(by: id ?? author.id, named: "somebody", at: .now, element)
            ])
        }
        func info(_ name: String) throws -> String {
            var profile = known
            profile.displayName = name
            return #"{"groupProfile":\#(String(decoding: try JSONEncoder().encode(profile), as: UTF8.self))}"#
        }
        let relay = stage.relays[0]
        try await relay.send(signed("x.grp.info", info("forged"), by: mallory, as: bob.id), over: channel.connection)
        try await relay.send(signed("x.grp.info", info("hers"), by: mallory), over: channel.connection)
        let role =
            #"{"memberId":"\#(mallory.id.text)","role":"admin","rosterVersion":1,"memberKey":"\#(MemberKey(mallory.key.publicKey).text)"}"#
        try await relay.send(signed("x.grp.mem.role", role, by: mallory), over: channel.connection)
        try await relay.send(signed("x.grp.info", info("by bob"), by: bob), over: channel.connection)
        let carols =
            #"{"memberId":"\#(carol.id.text)","role":"member","rosterVersion":1,"memberKey":"\#(MemberKey(carol.key.publicKey).text)"}"#
        try await relay.send(signed("x.grp.mem.role", carols, by: bob), over: channel.connection)
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
        #expect(try await stage.link().shown.groupProfile.displayName == "by bob")
        // The next version of the roster follows the second owner's version, and contains his changes.
        #expect(try await stage.alice.run("/_member role #1 \(mallory.member) moderator")["type"] == "membersRoleUser")
        let last = try await relay.wait { $0.rosters.count == 2 }.rosters[1]
        #expect(last.version == 2 && Set(last.roster.entries.map(\.id)) == [carol.id, mallory.id])
        // When there is a second owner, the first one may leave.
        #expect(try await stage.alice.run("/_leave #1")["type"] == "leftMemberUser")
        await stage.close()
    }
}
