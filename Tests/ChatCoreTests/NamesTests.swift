import ChatAPI
import JSON
import SMP
import SQLCipher
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore
@testable import ChatStore

@Suite("SimpleX names of contacts", .socketTimeLimit) struct NamesTests {
    /// Alice with an address, and bob.
    struct Stage {
        let world: World
        let resolvers: NameRelays
        let alice: Core
        let bob: Core
        /// The short link of alice's address.
        let addressLink: String

        init(isClaimed: Bool = true, settings: String? = nil) async throws {
            world = try await World()
            resolvers = NameRelays(world)
            (alice, bob) = try await world.makeStrangers()
            let address = try await alice.run("/_address 1")["connLinkContact"]?["connShortLink"]?.stringValue
            addressLink = try #require(address)
            if let settings { try await alice.run("/_address_settings 1 \(settings)") }
            try await resolvers.useRelay(NameRecord("alice.simplex", contacts: [addressLink]), for: [alice, bob])
            if isClaimed { try await claimName() }
        }

        func claimName() async throws {
            let set = try await alice.run("/_set domain 1 alice.simplex")
            try #require(set["type"] == "userProfileUpdated", "\(set)")
        }

        /// Opens a chat by the name, as a client does after the plan.
        func prepareChat() async throws -> JSONValue {
            let planned = try await bob.run("/_connect plan 1 @alice.simplex")
            let data = try #require(
                planned["connectionPlan"]?["contactAddressPlan"]?["contactSLinkData_"],
                "\(planned)"
            )
            let full = try #require(planned["connLink"]?["connFullLink"]?.stringValue)
            return try await bob.run("/_prepare contact 1 \(full) \(addressLink) domain=alice.simplex \(data.text)")
        }

        /// Connects bob to alice's address by the link.
        func connectByLink() async throws {
            try await bob.run("/_connect 1 incognito=off \(addressLink)")
            try await acceptRequest()
        }

        func acceptRequest() async throws {
            try await alice.wait(for: "receivedContactRequest")
            try await alice.run("/_accept incognito=off 1")
            for core in [alice, bob] { try await core.wait(for: "contactConnected") }
        }

        /// Makes the proof that the owner of alice's address has signed the name.
        func makeProof() async throws -> SimplexDomainProof {
            let short = try ShortLink(atServer: addressLink)
            let signed = [
                "simplex_domain_v1", "Tabc", "alice.simplex", "A", short.server.withoutPassword.str,
                Base64URL.encode(short.linkKey),
            ].joined(separator: " ")
            let id = try await alice.controller.store.read { db in
                try db.query("SELECT agent_conn_id FROM user_addresses").map { try $0.string("agent_conn_id") }.first
            }
            let connection = try #require(id.flatMap { ConnectionID(text: $0) })
            let signature = try await alice.controller.services.withAgent {
                try await $0.signWithLinkKey(of: connection, over: Array(signed.utf8))
            }
            return try Self.makeProof(try #require(signature))
        }

        static func makeProof(_ signature: [UInt8]) throws -> SimplexDomainProof {
            let json = #"{"presHeader":"Tabc","signature":"\#(Base64URL.encode(signature))"}"#
            return try JSONDecoder().decode(SimplexDomainProof.self, from: Array(json.utf8))
        }

        /// Adds a proof to the claim of alice's name, as if bob's contact had sent the proof.
        func storeProof(_ proof: SimplexDomainProof) async throws {
            try await bob.controller.store.write { tx in
                let user = try #require(try UserRecord.find(1, in: tx.db))
                let contact = try ContactRecord.get(1, user: user, in: tx.db)
                var profile = contact.profile
                profile.contactDomain?.proof = proof
                try tx.db.execute(
                    "UPDATE contact_profiles SET profile = ? WHERE contact_profile_id = ?",
                    [try StoredJSON.encode(profile), contact.profileId]
                )
            }
        }

        func close() async { for core in [alice, bob] { await core.controller.close() } }
    }

    private static let nameInfo: JSONValue = [
        "nameType": "contact", "nameDomain": ["nameTLD": "simplex", "domain": "alice", "subDomain": []],
    ]

    private func domainError(_ answer: JSONValue) -> JSONValue? {
        answer["errorType"]?["type"] == "simplexDomainNotReady"
            ? answer["errorType"]?["simplexDomainError"]?["type"] : nil
    }

    private func nameError(_ answer: JSONValue) -> JSONValue? {
        answer["agentError"]?["smpErr"]?["nameErr"]?["type"]
    }

    @Test
    func `A user connects to a contact by the SimpleX name in the contact's profile`() async throws {
        let stage = try await Stage()
        for name in ["@alice.simplex", "@Alice.SIMPLEX", "simplex:/name@alice.simplex", "alice.simplex"] {
            let planned = try await stage.bob.run("/_connect plan 1 \(name)")
            #expect(planned["connectionPlan"]?["contactAddressPlan"]?["type"] == "ok", "\(name): \(planned)")
            #expect(planned["planSimplexName"] == Self.nameInfo && planned["otherSimplexName"] == nil)
            let verified = planned["connectionPlan"]?["contactAddressPlan"]?["verifiedDomain"]
            #expect(verified == Self.nameInfo["nameDomain"], "\(name): \(planned)")
            #expect(planned["connLink"]?["connShortLink"]?.stringValue == stage.addressLink)
        }
        #expect(
            try await stage.bob.run("/_connect plan 1 @alice.simplex resolve=never").errorType == "notResolvedLocally"
        )
        let own = try await stage.alice.run("/_connect plan 1 @alice.simplex resolve=never")
        #expect(own["connectionPlan"]?["contactAddressPlan"]?["type"] == "ownLink", "\(own)")

        let prepared = try await stage.prepareChat()
        let profile = prepared["chat"]?["chatInfo"]?["contact"]?["profile"]
        #expect(profile?["contactDomain"] == ["domain": "alice.simplex"], "\(prepared)")
        #expect(profile?["contactDomainVerified"] == true)
        let again = try await stage.bob.run("/_connect plan 1 @alice.simplex resolve=never")
        #expect(again["connectionPlan"]?["contactAddressPlan"]?["type"] == "known", "\(again)")

        let started = try await stage.bob.run("/_connect contact @1 incognito=off")
        #expect(started["type"] == "startedConnectionToContact", "\(started)")
        try await stage.acceptRequest()
        let known = try await stage.bob.run("/_connect plan 1 @alice.simplex")
        let contact = known["connectionPlan"]?["contactAddressPlan"]?["contact"]
        #expect(contact?["contactId"] == 1 && contact?["profile"]?["contactDomainVerified"] == true, "\(known)")
        await stage.close()
    }

    @Test
    func `A console command connects to a contact by the contact's SimpleX name`() async throws {
        let stage = try await Stage()
        let started = try await stage.bob.run("/c @alice.simplex")
        #expect(started["type"] == "startedConnectionToContact", "\(started)")
        #expect(started["contact"]?["profile"]?["contactDomainVerified"] == true)
        try await stage.acceptRequest()
        await stage.close()
    }

    @Test
    func `A customer who has joined the group of a business finds this group by the name of the business`() async throws
    {
        let stage = try await Stage(settings: #"{"businessAddress":true,"autoAccept":{"acceptIncognito":false}}"#)
        let prepared = try await stage.prepareChat()
        let group = prepared["chat"]?["chatInfo"]?["groupInfo"]
        #expect(group?["businessChat"]?["businessDomain"] == ["domain": "alice.simplex"], "\(prepared)")
        #expect(group?["groupDomainVerified"] == true)
        try await stage.bob.run("/_connect group #1 incognito=off")
        try await stage.bob.wait(for: "userJoinedGroup")
        let known = try await stage.bob.run("/_connect plan 1 @alice.simplex resolve=never")
        let plan = known["connectionPlan"]?["groupLinkPlan"]
        #expect(plan?["type"] == "known" && plan?["groupInfo"]?["groupDomainVerified"] == true, "\(known)")
        await stage.close()
    }

    @Test
    func `A SimpleX name is refused if the profile at its link does not claim the name, even for a contact`()
        async throws
    {
        let stage = try await Stage(isClaimed: false)
        #expect(domainError(try await stage.bob.run("/_connect plan 1 @alice.simplex")) == "unknownDomain")
        #expect(domainError(try await stage.bob.run("/c @alice.simplex")) == "unknownDomain")
        try await stage.connectByLink()
        #expect(domainError(try await stage.bob.run("/_connect plan 1 @alice.simplex")) == "unknownDomain")
        #expect(try await stage.bob.run("/_verify domain @1").errorType == "commandError")
        await stage.close()
    }

    @Test
    func `A SimpleX name is refused if the resolver maps the name to another person's link or to an invalid link`()
        async throws
    {
        let stage = try await Stage()
        let other = "https://127.0.0.1/c#" + String(repeating: "A", count: 43)
        // The name leads to a link of another person, or to a link of another type.
        try await stage.resolvers.useRelay(
            NameRecord("bank.simplex", contacts: [stage.addressLink]),
            NameRecord("alice.simplex", contacts: [other, "nonsense"], channels: [stage.addressLink]),
            NameRecord("empty.simplex"),
            for: [stage.bob]
        )
        #expect(domainError(try await stage.bob.run("/_connect plan 1 @bank.simplex")) == "unknownDomain")
        for name in ["@alice.simplex", "#alice.simplex", "alice.simplex", "empty.simplex"] {
            #expect(domainError(try await stage.bob.run("/_connect plan 1 \(name)")) == "noValidLink", "\(name)")
        }
        await stage.close()
    }

    @Test
    func `Malformed and unknown SimpleX names, unreachable relays, and relays without a resolver cause an error`()
        async throws
    {
        let stage = try await Stage()
        for name in ["@аlice.simplex", "@alice", "@alice.simplex.", "#"] {
            #expect(try await stage.bob.run("/_connect plan 1 \(name)").errorType == "invalidConnReq", "\(name)")
        }
        for name in ["@nobody.simplex", "#nobody", "nobody.simplex"] {
            #expect(nameError(try await stage.bob.run("/_connect plan 1 \(name)")) == "NOT_FOUND", "\(name)")
        }
        try await stage.bob.run("/smp \(stage.world.relay.address.str)")
        #expect(nameError(try await stage.bob.run("/_connect plan 1 @alice.simplex")) == "NO_RESOLVER")
        try await stage.bob.controller.store.write { tx in
            try tx.db.execute(#"UPDATE protocol_servers SET roles = '{"names":false}'"#)
        }
        let without = try await stage.bob.run("/_connect plan 1 @alice.simplex")
        #expect(without["agentError"]?["type"] == "NO_NAME_SERVERS", "\(without)")
        let away = try await stage.resolvers.useRelay(for: [stage.bob])
        await away.stopAndWait()
        let failed = try await stage.bob.run("/_connect plan 1 @alice.simplex")
        #expect(failed["type"] == "errorAgent" && nameError(failed) == nil, "\(failed)")
        await stage.close()
    }

    @Test
    func `A user can claim only a SimpleX name that leads to the user's own address`() async throws {
        let stage = try await Stage(isClaimed: false)
        let (alice, bob) = (stage.alice, stage.bob)
        #expect(try await bob.run("/_set domain 1 alice.simplex").errorType == "userContactLinkNotFound")
        try await bob.run("/_address 1")
        #expect(domainError(try await bob.run("/_set domain 1 alice.simplex")) == "noValidLink")
        #expect(nameError(try await bob.run("/_set domain 1 bob.simplex")) == "NOT_FOUND")
        for name in ["bob", "@bob.simplex", "bоb.simplex"] {
            #expect(try await bob.run("/_set domain 1 \(name)").errorType == "commandError", "\(name)")
        }
        #expect(try await bob.run("/_set domain 1")["type"] == "userProfileNoChange")

        try await stage.claimName()
        #expect(try await alice.run("/_set domain 1 ALICE.simplex")["type"] == "userProfileNoChange")
        let changed = try await alice.run(
            #"/_profile 1 {"displayName":"alice","fullName":"A","contactDomain":{"domain":"bank.simplex"}}"#
        )
        #expect(changed["toProfile"]?["contactDomain"] == ["domain": "alice.simplex"], "\(changed)")
        let removed = try await alice.run("/_set domain 1")
        #expect(removed["type"] == "userProfileUpdated" && removed["toProfile"]?["contactDomain"] == nil)
        await stage.close()
    }

    @Test
    func `A claimed name with a proof is verified until a check fails, and a name without a proof is not checked`()
        async throws
    {
        let stage = try await Stage(isClaimed: false)
        let bob = stage.bob
        try await stage.connectByLink()
        try await stage.claimName()
        try await waitUntil("bob knows the claim") {
            try await bob.run("/_info @1")["contact"]?["profile"]?["contactDomain"] != nil
        }
        let before = try await bob.run("/_info @1")["contact"]?["profile"]
        #expect(before?["contactDomain"] == ["domain": "alice.simplex"] && before?["contactDomainVerified"] == nil)
        #expect(try await bob.run("/_connect plan 1 @alice.simplex resolve=never").errorType == "notResolvedLocally")

        let without = try await bob.run("/_verify domain @1")
        #expect(without["type"] == "contactDomainVerified", "\(without)")
        #expect(without["verificationFailure"] == "no name proof to verify")
        #expect(without["contact"]?["profile"]?["contactDomainVerified"] == nil)

        try await stage.storeProof(stage.makeProof())
        let first = try await bob.run("/_verify domain @1")
        #expect(first["type"] == "contactDomainVerified" && first["verificationFailure"] == nil, "\(first)")
        #expect(first["contact"]?["profile"]?["contactDomainVerified"] == true)
        let known = try await bob.run("/_connect plan 1 @alice.simplex resolve=never")
        #expect(known["connectionPlan"]?["contactAddressPlan"]?["type"] == "known", "\(known)")

        try await stage.resolvers.useRelay(NameRecord("alice.simplex"), for: [bob])
        let later = try await bob.run("/_verify domain @1")
        #expect(later["contact"]?["profile"]?["contactDomainVerified"] == false, "\(later)")
        #expect(later["verificationFailure"]?.stringValue == "the name does not resolve to this address")
        #expect(try await bob.run("/_connect plan 1 @alice.simplex resolve=never").errorType == "notResolvedLocally")

        // When alice gives up the name, the result of the check is removed.
        try await stage.alice.run("/_set domain 1")
        try await waitUntil("bob knows that alice has no name") {
            try await bob.run("/_info @1")["contact"]?["profile"]?["contactDomain"] == nil
        }
        #expect(try await bob.run("/_info @1")["contact"]?["profile"]?["contactDomainVerified"] == nil)
        await stage.close()
    }

    @Test
    func `If a contact gives up a SimpleX name and claims the name again, the name is unverified until the next check`()
        async throws
    {
        let stage = try await Stage()
        let bob = stage.bob
        try await stage.connectByLink()
        let planned = try await bob.run("/_connect plan 1 @alice.simplex")
        let known = planned["connectionPlan"]?["contactAddressPlan"]?["contact"]
        #expect(known?["profile"]?["contactDomainVerified"] == true, "\(planned)")
        func waitForClaim(_ claim: JSONValue?) async throws {
            try await waitUntil("bob's contact has the claim \(String(describing: claim))") {
                try await bob.run("/_info @1")["contact"]?["profile"]?["contactDomain"] == claim
            }
        }
        try await stage.alice.run("/_set domain 1")
        try await waitForClaim(nil)
        try await stage.claimName()
        try await waitForClaim(["domain": "alice.simplex"])
        #expect(try await bob.run("/_info @1")["contact"]?["profile"]?["contactDomainVerified"] == nil)
        #expect(try await bob.run("/_connect plan 1 @alice.simplex resolve=never").errorType == "notResolvedLocally")
        let again = try await bob.run("/_connect plan 1 @alice.simplex")
        let checked = again["connectionPlan"]?["contactAddressPlan"]?["contact"]
        #expect(checked?["profile"]?["contactDomainVerified"] == true, "\(again)")
        await stage.close()
    }

    @Test
    func `The claimed name of a contact is stored in lower case, and malformed names and proofs are dropped`()
        async throws
    {
        let world = try await World()
        let (alice, bob) = try await world.makeStrangers()
        try await connectUsers(alice, 1, to: bob, 1)
        func receive(_ claim: JSONValue) async throws -> JSONValue? {
            try await bob.controller.store.write { tx in
                let user = try #require(try UserRecord.find(1, in: tx.db))
                var contact = try ContactRecord.get(1, user: user, in: tx.db)
                try contact.receiveProfile(
                    profile: ["displayName": "alice", "fullName": "", "contactDomain": claim],
                    showsItems: false,
                    user,
                    tx
                )
            }
            return try await bob.run("/_info @1")["contact"]?["profile"]?["contactDomain"]
        }
        let proof: JSONValue = ["presHeader": "Tabc", "signature": "AAAA", "linkOwnerId": "AAAA"]
        #expect(try await receive(["domain": "ALICE.simplex"]) == ["domain": "alice.simplex"])
        for malformed in ["", "alice", "алиса.simplex", "a..simplex"] {
            #expect(try await receive(["domain": .string(malformed)]) == nil, "\(malformed)")
        }
        let proven: JSONValue = ["domain": "alice.simplex", "proof": proof]
        #expect(try await receive(proven) == proven)
        let malformedProofs: [JSONValue] = [
            ["presHeader": "Tabc", "signature": "not base64!"],
            ["presHeader": "Tabc", "signature": "AAAA", "linkOwnerId": "not base64!"],
        ]
        for malformed in malformedProofs {
            let claim: JSONValue = ["domain": "alice.simplex", "proof": malformed]
            #expect(try await receive(claim) == ["domain": "alice.simplex"], "\(malformed)")
        }
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `The SimpleX name of a contact cannot be verified if the user did not connect by the contact's address`()
        async throws
    {
        let stage = try await Stage()
        // Alice connects to bob, so bob does not know alice by her address.
        try await connectUsers(stage.bob, 1, to: stage.alice, 1)
        try await stage.storeProof(stage.makeProof())
        let answer = try await stage.bob.run("/_verify domain @1")
        #expect(
            answer["verificationFailure"]?.stringValue == "no connection link to check the name against",
            "\(answer)"
        )
        #expect(answer["contact"]?["profile"]?["contactDomainVerified"] == nil)
        await stage.close()
    }

    @Test
    func `A SimpleX name is not verified if the owner of the address has not signed the proof of the name`()
        async throws
    {
        let stage = try await Stage()
        _ = try await stage.prepareChat()
        let unproven = try await stage.bob.run("/_verify domain @1")
        #expect(unproven["verificationFailure"] == "no name proof to verify", "\(unproven)")
        #expect(unproven["contact"]?["profile"]?["contactDomainVerified"] == true)
        try await stage.storeProof(Stage.makeProof([UInt8](repeating: 0, count: 64)))
        let answer = try await stage.bob.run("/_verify domain @1")
        #expect(answer["contact"]?["profile"]?["contactDomainVerified"] == false, "\(answer)")
        #expect(answer["verificationFailure"]?.stringValue?.contains("not signed") == true)
        await stage.close()
    }
}
