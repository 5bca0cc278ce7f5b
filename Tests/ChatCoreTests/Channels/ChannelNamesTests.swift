import ChatAPI
import JSON
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore

@Suite("SimpleX names of channels", .socketTimeLimit) struct ChannelNamesTests {
    @Test
    func `A subscriber joins a channel by its claimed name, and a channel cannot claim the name of another link`()
        async throws
    {
        let channel = try await CoreChannel()
        let bob = try await channel.world.core("bob")
        try await bob.createUser("bob")
        let alice = channel.alice
        let links = try await alice.run("/_get link #1")["groupLink"]?["connLinkContact"]
        let link = try #require(links?["connShortLink"]?.stringValue)
        let resolvers = NameRelays(channel.world)
        let address = try #require(await alice.run("/_address 1")["connLinkContact"]?["connShortLink"]?.stringValue)
        try await resolvers.useRelay(
            NameRecord("news.simplex", contacts: [address], channels: [link]),
            NameRecord("other.simplex", channels: [address]),
            for: [alice, bob]
        )
        let unclaimed = try await bob.run("/_connect plan 1 #news")
        #expect(unclaimed["errorType"]?["simplexDomainError"]?["type"] == "unknownDomain", "\(unclaimed)")
        func access(_ name: String) -> String {
            #"/_public group access #1 {"groupDomainClaim":{"domain":"\#(name)"},"domainWebPage":false,"allowEmbedding":false}"#
        }
        let wrong = try await alice.run(access("other.simplex"))
        #expect(wrong["errorType"]?["simplexDomainError"]?["type"] == "noValidLink", "\(wrong)")
        let set = try await alice.run(access("news.simplex"))
        #expect(set["toGroup"]?["groupDomainVerified"] == true, "\(set)")
        let unproven = try await alice.run("/_verify domain #1")
        #expect(unproven["verificationFailure"] == "no name proof to verify", "\(unproven)")
        #expect(unproven["groupInfo"]?["groupDomainVerified"] == true)
        let own = try await alice.run("/_connect plan 1 #news resolve=never")
        #expect(own["connectionPlan"]?["groupLinkPlan"]?["type"] == "ownLink", "\(own)")

        try await waitUntil("the link shows the claim") {
            try await bob.run("/_connect plan 1 #news.simplex")["type"] == "connectionPlan"
        }
        let planned = try await bob.run("/_connect plan 1 #news.simplex")
        #expect(planned["planSimplexName"]?["nameType"] == "publicGroup", "\(planned)")
        let verified = planned["connectionPlan"]?["groupLinkPlan"]?["verifiedDomain"]
        #expect(verified == planned["planSimplexName"]?["nameDomain"], "\(planned)")
        // The name also leads to a contact. The profile of the contact does not claim the name, so the channel is
        // preferred.
        let both = try await bob.run("/_connect plan 1 news.simplex")
        #expect(both["connectionPlan"]?["groupLinkPlan"]?["type"] == "ok", "\(both)")
        #expect(both["otherSimplexName"]?["nameType"] == "contact")
        let started = try await bob.run("/c #news")
        #expect(started["type"] == "startedConnectionToGroup", "\(started)")
        try await bob.wait(for: "userJoinedGroup")
        let known = try await bob.run("/_connect plan 1 #news resolve=never")
        let group = known["connectionPlan"]?["groupLinkPlan"]?["groupInfo"]
        #expect(group?["groupDomainVerified"] == true, "\(known)")
        await channel.close(bob)
    }

    @Test(arguments: [("NEWS.simplex", "news.simplex"), ("новости.simplex", nil), ("", nil)])
    func `The claimed name of a channel is stored in lower case, and a malformed name is dropped`(
        _ name: String,
        stored: String?
    )
        throws
    {
        let access = #"{"groupDomainClaim":{"domain":"\#(name)"},"domainWebPage":true,"allowEmbedding":false}"#
        let group = #"{"groupType":"channel","groupLink":"","publicGroupId":"AAAA","publicGroupAccess":\#(access)}"#
        let json = #"{"displayName":"news","fullName":"","publicGroup":\#(group)}"#
        var profile = try JSONDecoder().decode(GroupProfile.self, from: Array(json.utf8))
        profile.replaceUnshowableValues()
        #expect(profile.publicGroup?.publicGroupAccess?.groupDomainClaim?.domain == stored)
        #expect(profile.publicGroup?.publicGroupAccess?.domainWebPage == true)
    }

    @Test
    func `Access settings of a channel are not stored if all of them have their default values`() async throws {
        let channel = try await CoreChannel()
        let alice = channel.alice
        func setAccess(_ settings: String) async throws -> JSONValue? {
            let set = try await alice.run("/_public group access #1 \(settings)")
            try #require(set["type"] == "groupUpdated", "\(set)")
            let stored = try await alice.run("/_info #1")["groupInfo"]?["groupProfile"]?["publicGroup"]
            return try #require(stored)["publicGroupAccess"]
        }
        let page: JSONValue = ["groupWebPage": "https://example.org", "domainWebPage": false, "allowEmbedding": false]
        #expect(try await setAccess(page.text) == page)
        #expect(try await setAccess(#"{"domainWebPage":false,"allowEmbedding":false}"#) == nil)
        await channel.close()
    }

    @Test
    func `If a channel gives up a name and claims the name again, the name is unverified until the next check`()
        async throws
    {
        let channel = try await CoreChannel()
        let bob = try await channel.world.core("bob")
        try await bob.createUser("bob")
        let alice = channel.alice
        let links = try await alice.run("/_get link #1")["groupLink"]?["connLinkContact"]
        let link = try #require(links?["connShortLink"]?.stringValue)
        let resolvers = NameRelays(channel.world)
        try await resolvers.useRelay(NameRecord("news.simplex", channels: [link]), for: [alice, bob])
        func setClaim(_ claim: String) async throws {
            let access = #"{"groupDomainClaim":\#(claim),"domainWebPage":false,"allowEmbedding":false}"#
            let set = try await alice.run("/_public group access #1 \(access)")
            try #require(set["type"] == "groupUpdated", "\(set)")
        }
        let claim = #"{"domain":"news.simplex"}"#
        try await setClaim(claim)
        try await waitUntil("the link shows the claim") {
            try await bob.run("/_connect plan 1 #news.simplex")["type"] == "connectionPlan"
        }
        try await bob.run("/c #news")
        try await bob.wait(for: "userJoinedGroup")
        #expect(try await bob.run("/_info #1")["groupInfo"]?["groupDomainVerified"] == true)
        try await setClaim("null")
        try await bob.wait(for: "groupUpdated")
        try await setClaim(claim)
        let updated = try await bob.wait(for: "groupUpdated", count: 2)[1]["toGroup"]
        let access = updated?["groupProfile"]?["publicGroup"]?["publicGroupAccess"]
        #expect(access?["groupDomainClaim"] == ["domain": "news.simplex"], "\(String(describing: updated))")
        #expect(updated?["groupDomainVerified"] == nil)
        #expect(try await bob.run("/_info #1")["groupInfo"]?["groupDomainVerified"] == nil)
        await channel.close(bob)
    }
}
