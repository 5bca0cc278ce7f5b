import ChatAPI
import ChatProtocol
import SimpleXCrypto
import TestSupport
import Testing

@testable import ChatCore

/// Relays of a channel that the user owns.
extension ChannelOwnerTests {
    @Test
    func `A relay that leaves a channel is removed from the channel's link, and the owner can add the relay again`()
        async throws
    {
        let stage = try await Stage()
        try await stage.createChannel("1")
        try await stage.waitForRelays(1)
        _ = try await stage.announceSubscriber("bob")
        let added = try await stage.alice.run("/_add relays #1 2")
        #expect(added["type"] == "groupRelaysAdded" && added["groupRelays"]?.arrayValue?.count == 2, "\(added)")
        try await stage.waitForRelays(2)
        let second = try #require(stage.relays[1].channel)
        let first = try await stage.relays[0].waitForChannel {
            $0.messages.contains { if case .relay(.new) = $0.event { true } else { false } }
        }
        #expect(first.messages.contains { $0.event == .relay(.new(link: second.link?.uri ?? "")) })
        #expect(!second.messages.contains { if case .relay(.new) = $0.event { true } else { false } })
        // The relay's key is the key of its link.
        let leave = Array(
            #"{"v":"1-19","msgId":"\#(SharedMessageID.random().text)","event":"x.grp.leave","params":{}}"#.utf8
        )
        let binding = GroupBinding(
            publicGroupID: try #require(try await stage.fetchLink().signers.entityID),
            member: second.invitation.relayID
        )
        try await stage.relays[1].sendBody(
            SignedMessage(leave, by: first.key, bound: binding).element,
            over: second.connection
        )
        try await stage.relays[1].sendBody(
            SignedMessage(leave, by: second.key, bound: binding).element,
            over: second.connection
        )
        let left = try await stage.alice.wait(for: "leftMember")
        #expect(left.count == 1 && left[0]["msgSigned"] == "verified")
        let event = try await stage.waitForRelays(1, as: "inactive")
        #expect(event["relaysChanged"] == true)
        #expect(try await stage.fetchLink().data.relays.map(\.uri) == [first.link?.uri ?? ""])
        #expect(
            try await stage.alice.run("/_add relays #1 2")["errorType"]?["message"]
                == "some relays are already in the group"
        )
        let relb = try #require(
            try await stage.listMembers().first { $0["memberId"]?.stringValue == second.invitation.relayID.text }?[
                "groupMemberId"
            ]?.integerValue
        )
        #expect(try await stage.alice.run("/_member role #1 \(relb) member").errorType == "commandError")
        #expect(try await stage.alice.run("/_remove #1 \(relb) messages=off")["type"] == "userDeletedMembers")
        #expect(try await stage.relayStatuses() == ["active"])
        #expect(try await stage.alice.run("/_add relays #1 2")["type"] == "groupRelaysAdded")
        for told in 1... {
            let event = try await stage.alice.wait(for: "groupLinkDataUpdated", count: told)[told - 1]
            if event["groupRelays"]?.arrayValue?.map({ $0["relayStatus"] }) == ["active", "active"],
                event["groupRelays"]?[1]?["groupRelayId"] == 3
            {
                break
            }
        }
        #expect(try await stage.relayStatuses() == ["active", "active"])
        await stage.close()
    }

    @Test
    func `A channel's link lists a relay only after a valid acceptance and an acknowledgement of the latest roster`()
        async throws
    {
        let scripts: [ScriptedRelay.Script] = [
            .init(), .init(invitationAnswer: .otherID), .init(invitationAnswer: .noLink),
            .init(invitationAnswer: .linkWithoutData),
            .init(invitationAnswer: .rejection),
            .init(rosterAnswer: .error), .init(rosterAnswer: .otherVersion),
        ]
        let stage = try await Stage(relays: scripts)
        try await stage.createChannel("1,2,3,4,5,6,7")
        try await stage.waitForRelays(1)
        try await waitUntil("five relays are rejected, and the last one is accepted") {
            try await stage.relayStatuses() == [
                "active", "rejected", "rejected", "rejected", "rejected", "rejected", "accepted",
            ]
        }
        let last = try #require(stage.relays[6].channel)
        for _ in 0..<20 { try await stage.relays[6].acknowledgeRoster(7, in: last) }
        try await stage.relays[6].acknowledgeRoster(-1, in: last)
        try await stage.relays[6].acknowledgeRoster(0, in: last)
        try await stage.waitForRelays(2)
        // The acknowledgement of a rejected relay has no effect, so the link does not list this relay.
        try await stage.relays[5].acknowledgeRoster(0, in: #require(stage.relays[5].channel))
        let named = try await stage.fetchLink().data.relays.map(\.uri)
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
        try await stage.relays[0].announceSubscriber(
            .random(),
            Ed25519.PrivateKey().publicKey,
            named: "mallory",
            as: "admin",
            in: channel
        )
        let forged = Array(#"{"v":"1-19","event":"x.grp.info","params":{"groupProfile":\#(Self.profileJSON)}}"#.utf8)
        try await stage.relays[0].sendBody(
            ForwardedMessage.encodeElement(by: channel.invitation.fromMember.id, named: "alice", at: .now, forged),
            over: channel.connection
        )
        _ = try await stage.announceSubscriber("bob")
        #expect(
            try await stage.listMembers().compactMap { $0["memberProfile"]?["displayName"]?.stringValue }.contains(
                "mallory"
            ) == false
        )
        await stage.close()
    }

    @Test
    func `Only a valid message of a relay changes the web domain of this relay`() async throws {
        let stage = try await Stage()
        try await stage.createChannel()
        try await stage.waitForRelays(2)
        let eve = try await stage.announceSubscriber("eve", at: 1)
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
        try await stage.relays[0].sendBody(
            message(#"{"relayCap":{"webDomain":"new.example.org","later":{"a":1}}}"#),
            over: channels[0].connection
        )
        for params in ["{}", #"{"relayCap":7}"#, #"{"relayCap":["new"]}"#] {
            try await stage.relays[1].sendBody(message(params), over: channels[1].connection)
        }
        // The relay writes in the name of a member, and in the name of the owner.
        for id in [eve.id, channels[1].invitation.fromMember.id] {
            let forwarded = ForwardedMessage.encodeElement(
                by: id,
                named: "eve",
                at: .now,
                message(#"{"relayCap":{"webDomain":"evil.example.org"}}"#)
            )
            try await stage.relays[1].sendBody(BinaryBatch.encodeElements([forwarded]), over: channels[1].connection)
        }
        for relay in [0, 1] { _ = try await stage.announceSubscriber("after \(relay)", at: relay) }
        #expect(try await domains() == ["new.example.org", "web.example.org"])
        // Without a web domain, the relay no longer makes previews.
        try await stage.relays[0].sendBody(message(#"{"relayCap":{}}"#), over: channels[0].connection)
        _ = try await stage.announceSubscriber("at last", at: 0)
        #expect(try await domains() == [nil, "web.example.org"])
        await stage.close()
    }

    @Test
    func `A relay that does not support rosters is listed in the channel's link without acknowledging a roster`()
        async throws
    {
        let stage = try await Stage(relays: [
            .init(rosterAnswer: .silence, versions: ChatVersionRange(minimum: 1, maximum: 17))
        ])
        try await stage.createChannel("1")
        try await stage.waitForRelays(1)
        #expect(try #require(stage.relays[0].channel).messages.isEmpty)
        await stage.close()
    }

    @Test
    func `A relay that acknowledges the roster after the owner has restarted becomes active`() async throws {
        let stage = try await Stage(relays: [.init(rosterAnswer: .silence)])
        try await stage.createChannel("1")
        let channel = try await stage.relays[0].waitForChannel { !$0.rosters.isEmpty }
        #expect(try await stage.relayStatuses() == ["accepted"])
        await stage.alice.controller.close()
        let again = try await stage.world.core("alice")
        try await stage.relays[0].acknowledgeRoster(0, in: channel)
        for told in 1... {
            let event = try await again.wait(for: "groupLinkDataUpdated", count: told)[told - 1]
            if event["groupRelays"]?[0]?["relayStatus"] == "active" { break }
        }
        await again.controller.close()
        await stage.relays[0].close()
    }
}
