import Agent
import ChatProtocol
import JSON
import SimpleXCrypto
import Testing

@testable import ChatCore

@Suite("Links of channels", .socketTimeLimit)
struct ChannelLinkTests {
    /// A link of a channel as its owner makes it.
    private struct OwnerLink {
        let rootKey: Ed25519.PrivateKey
        let entityID: [UInt8]
        var groupType = "channel"
        /// The public id of the channel in its profile. The data of the link contain `entityID`.
        var publicGroupID: String
        var relayCount = 1

        init() throws {
            rootKey = try Ed25519.PrivateKey()
            entityID = Digest.sha256(rootKey.publicKey.rawRepresentation)
            publicGroupID = Base64URL.encode(entityID)
        }

        func createLink(at core: Core) async throws -> ShortLink {
            let (_, _, relay) = try await core.controller.services.agent.createAddress(
                user: 1,
                userData: Array("{}".utf8),
                type: .group
            )
            let group =
                #"{"groupType":"\#(groupType)","groupLink":"https://example.org/c#AAAA","publicGroupId":"\#(publicGroupID)"}"#
            let profile =
                #"{"groupProfile":{"displayName":"news","fullName":"","publicGroup":\#(group)},"publicGroupData":{"publicMemberCount":1}}"#
            var data = ContactLinkData(userData: Array(profile.utf8))
            data.isDirect = false
            data.relays = Array(repeating: try #require(relay), count: relayCount)
            data.owners = [
                try LinkOwner(id: MemberID.random().bytes, key: Ed25519.PrivateKey().publicKey, authorizedBy: rootKey)
            ]
            let (_, _, link) = try await core.controller.services.agent.createAddress(
                user: 1,
                data: data,
                clientData: #"{"groupLinkId":"WaLrAvFILPIRQ7vKPamBpg=="}"#,
                type: .channel,
                identity: LinkIdentity(rootKey: rootKey, entityID: entityID)
            )
            return try #require(link)
        }
    }

    @Test
    func `The connection plan of a channel shows its relays and id`() async throws {
        let (alice, bob) = try await World().makeStrangers()
        let channel = try OwnerLink()
        let link = try await channel.createLink(at: alice)
        let plan = try await bob.run("/_connect plan 1 \(link.uri)").groupPlan
        #expect(plan["type"] == "ok", "\(plan)")
        #expect(
            plan["groupSLinkInfo_"]?["direct"] == false
                && plan["groupSLinkInfo_"]?["groupRelays"]?.arrayValue?.count == 1
        )
        #expect(plan["groupSLinkInfo_"]?["publicGroupId"]?.stringValue == channel.publicGroupID)
        #expect(plan["groupSLinkData_"]?["publicGroupData"]?["publicMemberCount"] == 1)
        var other = try OwnerLink()
        other.publicGroupID = channel.publicGroupID
        let refused = try await bob.run("/_connect plan 1 \(other.createLink(at: alice).uri)")
        #expect(refused["errorType"]?["type"] == "invalidConnReq", "\(refused)")
        other.relayCount = 0
        #expect(
            try await bob.run("/_connect plan 1 \(other.createLink(at: alice).uri)").groupPlan["type"] == "noRelays"
        )
        other.groupType = "forum"
        #expect(
            try await bob.run("/_connect plan 1 \(other.createLink(at: alice).uri)").groupPlan["type"]
                == "updateRequired"
        )
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `The link data of a channel prove who created the channel, and which owners the creator has authorized`()
        async throws
    {
        let (alice, bob) = try await World().makeStrangers()
        let root = try Ed25519.PrivateKey()
        let owner = try LinkOwner(id: [1, 2, 3], key: Ed25519.PrivateKey().publicKey, authorizedBy: root)
        var data = ContactLinkData(userData: Array("{}".utf8))
        data.isDirect = false
        data.owners = [owner]
        let (id, _, made) = try await alice.controller.services.agent.createAddress(
            user: 1,
            data: data,
            type: .channel,
            identity: LinkIdentity(rootKey: root, entityID: [7, 8])
        )
        let link = try #require(made)
        data.relays = [link]
        try await alice.controller.services.agent.setLinkData(id, data: data, type: .channel)
        let (_, read, signers) = try await bob.controller.services.agent.fetchLinkData(user: 1, link)
        #expect(signers.rootKey == root.publicKey && signers.entityID == [7, 8] && signers.owners == [owner])
        guard case .contact(let contact) = read else {
            Issue.record("no data of an address")
            return
        }
        #expect(contact.owners == [owner] && !contact.isDirect && contact.relays.map(\.linkKey) == [link.linkKey])
        // A member that the creator has not authorized is no owner: data with such an owner are refused.
        data.owners = [try LinkOwner(id: [1, 2, 3], key: owner.key, authorizedBy: Ed25519.PrivateKey())]
        try await alice.controller.services.agent.setLinkData(id, data: data, type: .channel)
        await #expect(throws: AgentError.self) {
            _ = try await bob.controller.services.agent.fetchLinkData(user: 1, link)
        }
        for core in [alice, bob] { await core.controller.close() }
    }
}
