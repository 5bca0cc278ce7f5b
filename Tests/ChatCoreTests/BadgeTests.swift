import ChatAPI
import ChatProtocol
import ChatStore
import ChatStoreTestSupport
import JSON
import SimpleXCrypto
import Testing
import TestSupport

@testable import ChatCore

/// Tests of badges of supporters. The issuer of the badges belongs to the test.
@Suite struct BadgeTests {
    static let issuerNumber = 1

    /// An issuer of badges with a new key.
    struct Issuer {
        let secretKey = BBS.SecretKey()
        let publicKey: BBS.PublicKey

        init() throws { publicKey = try #require(secretKey.publicKey) }

        var badgeKeys: BadgeKeys { BadgeKeys([BadgeTests.issuerNumber: Base64URL.encode(publicKey.rawRepresentation)]) }

        func makeCredential(_ type: BadgeType = .supporter, until expiry: Timestamp? = nil) throws -> BadgeCredential {
            let info = BadgeInfo(badgeType: type, badgeExpiry: expiry?.fullText)
            let master = RandomBytes.make(count: BadgeCredential.masterKeySize)
            let signature = try secretKey.signMessages(
                header: BadgeInfo.signatureHeader,
                messages: [master] + info.signedMessages
            )
            return BadgeCredential(
                badgeKeyIdx: BadgeTests.issuerNumber,
                masterKey: Base64URL.encode(master),
                signature: Base64URL.encode(signature),
                badgeInfo: info
            )
        }

        func makeProof(_ type: BadgeType = .supporter, until expiry: Timestamp? = nil) throws -> BadgeProof {
            try #require(try makeCredential(type, until: expiry).makeProof(issuer: publicKey.rawRepresentation))
        }
    }

    private static func daysFromNow(_ count: Int64) -> Timestamp { .now.adding(seconds: count * 86_400) }

    @Test
    func `A badge that was made by the library libbbs passes the check, and its expiry time determines its status`()
        throws
    {
        let vectors = try Vector.readFile("bbs").object("libbbs")
        let keys = BadgeKeys([7: Base64URL.encode(try vectors.bytes("publicKey"))])
        let now = try #require(Timestamp(parsing: "2026-01-01T00:00:00Z"))
        let expected: [BadgeStatus] = [.active, .active, .expiredOld, .active]
        let badges = try vectors.list("badges")
        #expect(badges.count == expected.count)
        for (vector, status) in zip(badges, expected) {
            let expiry = try vector.text("expiry")
            let badge = BadgeProof(
                badgeKeyIdx: 7,
                presHeader: Base64URL.encode(try vector.bytes("presHeader")),
                proof: Base64URL.encode(try vector.bytes("proof")),
                badgeInfo: BadgeInfo(
                    badgeType: BadgeType(rawValue: try vector.text("type")),
                    badgeExpiry: expiry == "lifetime" ? nil : expiry
                )
            )
            #expect(BadgeCheck(badge, with: keys, at: now).status == status)
        }
    }

    @Test
    func `The signed expiry time of a badge has no zeros at the end of its fraction of a second`() {
        for (text, signed) in [
            ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"), ("2026-01-02T03:04:05.500Z", "2026-01-02T03:04:05.5Z"),
            ("2026-01-02T03:04:00.000Z", "2026-01-02T03:04:00Z"),
        ] {
            #expect(BadgeInfo(badgeType: .supporter, badgeExpiry: text).signedMessages[0] == Array(signed.utf8))
        }
        #expect(BadgeInfo(badgeType: .supporter).signedMessages[0] == Array("lifetime".utf8))
    }

    @Test
    func `The status of a badge is active until its expiry time, expired for 31 days, and old afterwards`() throws {
        let end = try #require(Timestamp(parsing: "2026-01-01T00:00:00Z"))
        let badge = BadgeInfo(badgeType: .supporter, badgeExpiry: end.fullText)
        func status(_ seconds: Int64) -> BadgeStatus {
            BadgeCheck(valid: badge, at: end.adding(seconds: seconds)).status
        }
        #expect(status(0) == .active && status(1) == .expired)
        #expect(
            status(BadgeCheck.expiredBadgeShownSeconds) == .expired
                && status(BadgeCheck.expiredBadgeShownSeconds + 1) == .expiredOld
        )
        #expect(
            BadgeCheck(valid: BadgeInfo(badgeType: .legend), at: end)
                == BadgeCheck(valid: BadgeInfo(badgeType: .legend), at: .now)
        )
    }

    @Test
    func `The check of a changed badge fails, and a badge with an unlisted key gets the status for an unknown key`()
        throws
    {
        let issuer = try Issuer()
        let badge = try issuer.makeProof(until: Self.daysFromNow(10))
        func status(_ change: (inout BadgeProof) -> Void) -> BadgeStatus {
            var changed = badge
            change(&changed)
            return BadgeCheck(changed, with: issuer.badgeKeys, at: .now).status
        }
        #expect(status { _ in } == .active)
        #expect(status { $0.badgeInfo.badgeType = .legend } == .failed)
        #expect(status { $0.badgeInfo.badgeExpiry = nil } == .failed)
        #expect(status { $0.badgeInfo.badgeExpiry = Self.daysFromNow(20).fullText } == .failed)
        #expect(status { $0.badgeInfo.badgeExtra = "more" } == .failed)
        #expect(status { $0.presHeader = Base64URL.encode([BadgeCredential.unboundProofHeaderKind, 2]) } == .failed)
        #expect(status { $0.presHeader = "" } == .failed)
        #expect(status { $0.proof = String($0.proof.dropLast(8)) } == .failed)
        #expect(status { $0.proof = "" } == .failed)
        #expect(status { $0.proof = "?" } == .failed)
        #expect(status { $0.badgeKeyIdx = 2 } == .unknownKey)
        // A proof of another kind can be bound to values that are not checked here.
        #expect(status { $0.presHeader = Base64URL.encode([UInt8(ascii: "C"), 2]) } == .unknownKey)
        #expect(BadgeCheck(badge, with: try Issuer().badgeKeys, at: .now).status == .failed)
    }

    @Test
    func `The list of badge keys of the public network contains valid keys for the numbers 1 to 8 only`() {
        for number in 1...8 { #expect(BadgeKeys.publicNetwork[number] != nil) }
        #expect(BadgeKeys.publicNetwork[0] == nil && BadgeKeys.publicNetwork[9] == nil)
    }

    @Test
    func `When a user adds a badge, the user and the contact see the badge`() async throws {
        let issuer = try Issuer()
        try await withPeople(issuer.badgeKeys) { alice, bob in
            try await connectUsers(alice, 1, to: bob, 1)
            let answer = try await alice.add(try issuer.makeCredential(until: Self.daysFromNow(10)))
            #expect(answer["type"] == "cmdOk")
            let own = try await alice.run("/u")["user"]?["profile"]
            #expect(own?["localBadge"]?["status"] == "active")
            #expect(own?["localBadge"]?["badge"]?["badgeType"] == "supporter")
            let told = try #require(try await bob.wait(for: "contactUpdated").last)
            #expect(told["toContact"]?["profile"]?["localBadge"]?["status"] == "active")
            // The proof and the credential stay in the core, so events and answers do not show them.
            #expect(told["toContact"]?["profile"]?["badge"] == nil)
            #expect("\(answer)\(told)".contains("masterKey") == false)
        }
    }

    @Test
    func `A contact who connects after the user added a badge gets the badge with the user's profile`() async throws {
        let issuer = try Issuer()
        try await withPeople(issuer.badgeKeys) { alice, bob in
            try await alice.add(try issuer.makeCredential(.investor))
            try await connectUsers(alice, 1, to: bob, 1)
            #expect(try await bob.badge()?["badge"]?["badgeType"] == "investor")
            #expect(try await alice.badge() == nil)
        }
    }

    @Test
    func `A contact who knows only an incognito profile of the user does not get the user's badge`() async throws {
        let issuer = try Issuer()
        try await withPeople(issuer.badgeKeys) { alice, bob in
            try await alice.add(try issuer.makeCredential())
            let made = try await alice.run("/_connect 1 incognito=on")
            let link = try #require(made["connLinkInvitation"]?["connFullLink"]?.stringValue)
            try await bob.run("/_connect 1 incognito=off \(link)")
            try await bob.wait(for: "contactConnected")
            #expect(try await bob.badge() == nil)
            try await alice.run(#"/_profile 1 {"displayName":"alice","fullName":"Alice"}"#)
            try await alice.run("/_send @1 text hello")
            try await waitForText("hello", bob)
            #expect(try await bob.badge() == nil)
        }
    }

    @Test
    func `A user's badge that expired long ago is stored, but not sent to contacts`() async throws {
        let issuer = try Issuer()
        try await withPeople(issuer.badgeKeys) { alice, bob in
            try await alice.add(try issuer.makeCredential(until: Self.daysFromNow(-40)))
            #expect(try await alice.run("/u")["user"]?["profile"]?["localBadge"]?["status"] == "expiredOld")
            try await connectUsers(alice, 1, to: bob, 1)
            #expect(try await bob.badge() == nil)
        }
    }

    @Test
    func `A user's badge that has just expired is sent to contacts, and shown as expired`() async throws {
        let issuer = try Issuer()
        try await withPeople(issuer.badgeKeys) { alice, bob in
            try await alice.add(try issuer.makeCredential(until: Self.daysFromNow(-2)))
            try await connectUsers(alice, 1, to: bob, 1)
            #expect(try await bob.badge()?["status"] == "expired")
        }
    }

    @Test
    func `Contacts get different proofs of a badge up to a limit, but the same proof if the badge has just changed`()
        async throws
    {
        let issuer = try Issuer()
        let alice = try await World().core("alice") { $0.badgeKeys = issuer.badgeKeys }
        try await alice.createUser("alice")
        try await alice.add(try issuer.makeCredential())
        let user = try #require(try await alice.controller.store.read { try UserRecord.find(1, in: $0) })
        let profile = user.profile
        var proofs = try await BadgeProofs(user.badge, contacts: 5, limit: 3)
        let sent = (0..<4).map { _ in proofs.makeProfileWithNextProof(profile, of: user).badge }
        #expect(sent.allSatisfy { $0.map { BadgeCheck($0, with: issuer.badgeKeys, at: .now).status } == .active })
        #expect(Set(sent.map { $0?.proof }).count == 3 && sent[3] == sent[0])
        let former = OwnBadge(try issuer.makeCredential(.legend), issuer: issuer.publicKey.rawRepresentation, at: .now)
        var old = try await BadgeProofs(former, contacts: 2)
        #expect(old.count == 2)
        let new = (0..<2).map { _ in old.makeProfileWithNextProof(profile, of: user).badge }
        #expect(new[0]?.badgeInfo.badgeType == .supporter && new[0] == new[1])
        await alice.controller.close()
    }

    @Test
    func `A badge that its issuer did not sign, or whose issuer is unknown, is refused`() async throws {
        let issuer = try Issuer()
        let alice = try await World().core("alice") { $0.badgeKeys = issuer.badgeKeys }
        try await alice.createUser("alice")
        var credential = try issuer.makeCredential()
        credential.badgeInfo.badgeType = .legend
        let answers = [
            try await alice.add(credential), try await alice.add(try Issuer().makeCredential()),
            try await alice.add(
                BadgeCredential(badgeKeyIdx: 1, masterKey: "", signature: "", badgeInfo: .init(badgeType: .legend))
            ),
        ]
        for answer in answers {
            #expect(
                answer["errorType"]?["message"]?.stringValue?.contains("badge credential does not verify") == true,
                "\(answer)"
            )
        }
        credential.badgeKeyIdx = 5
        let unknown = try await alice.add(credential)
        #expect(unknown["errorType"]?["message"]?.stringValue?.contains("unknown badge key index") == true)
        #expect(try await alice.run("/u")["user"]?["profile"]?["localBadge"] == nil)
        await alice.controller.close()
    }

    @Test
    func `A change of a user's profile keeps the user's badge, and ignores a badge in the new profile`() async throws {
        let issuer = try Issuer()
        let alice = try await World().core("alice") { $0.badgeKeys = issuer.badgeKeys }
        try await alice.createUser("alice")
        try await alice.add(try issuer.makeCredential())
        var profile = Profile(displayName: "alice", fullName: "Alice")
        profile.badge = try issuer.makeProof(.legend)
        try await alice.run("/_profile 1 \(String(decoding: JSONEncoder().encode(profile), as: UTF8.self))")
        let own = try await alice.run("/u")["user"]?["profile"]
        #expect(own?["fullName"] == "Alice")
        #expect(own?["localBadge"]?["badge"]?["badgeType"] == "supporter")
        await alice.controller.close()
    }

    @Test
    func `A stored badge is marked as expired when its expiry time is reached`() async throws {
        let store = try await TemporaryStore()
        let now = Timestamp.now
        try await store.chats.write { tx in
            let badges: [(String, BadgeStatus, Int64)] = [
                ("due", .active, -10), ("gone", .expired, -10), ("later", .active, 1_000),
                ("long", .active, -BadgeCheck.expiredBadgeShownSeconds - 10),
            ]
            for (name, status, change) in badges {
                try tx.db.insert(
                    into: "contact_profiles",
                    [
                        "display_name": name, "profile": #"{"displayName":"\#(name)","fullName":""}"#,
                        "created_at": now.nanoseconds, "updated_at": now.nanoseconds, "badge_status": status.rawValue,
                        "badge_changes_at": now.adding(seconds: change).nanoseconds,
                    ]
                )
            }
        }
        let again = try await store.chats.write { try ExpiringBadges.markDueBadges($0) }
        #expect(!again)
        let rows = try await store.chats.read { db in
            try db.query("SELECT display_name, badge_status FROM contact_profiles ORDER BY display_name").map {
                try $0.string("display_name") + " " + $0.string("badge_status")
            }
        }
        #expect(rows == ["due expired", "gone expiredOld", "later active", "long expiredOld"])
        let wait = try await store.chats.read { try ExpiringBadges.findTimeUntilNextChange(now, $0) }
        let seconds = try #require(wait)
        #expect(seconds > .seconds(900) && seconds <= .seconds(1_000))
    }

    @Test
    func `A profile with an expiry time but without a badge status does not prevent the marking of expired badges`()
        async throws
    {
        let store = try await TemporaryStore()
        let now = Timestamp.now
        try await store.chats.write { tx in
            let badges: [(String, BadgeStatus?, Int64)] = [
                ("active", .active, -10), ("failed", .failed, -30), ("none", nil, -20),
            ]
            for (name, status, change) in badges {
                try tx.db.insert(
                    into: "contact_profiles",
                    [
                        "display_name": name, "profile": #"{"displayName":"\#(name)","fullName":""}"#,
                        "created_at": now.nanoseconds, "updated_at": now.nanoseconds, "badge_status": status?.rawValue,
                        "badge_changes_at": now.adding(seconds: change).nanoseconds,
                    ]
                )
            }
            _ = try ExpiringBadges.markDueBadges(tx)
        }
        let rows = try await store.chats.read { db in
            try db.query(
                "SELECT badge_status, badge_changes_at IS NULL AS is_final FROM contact_profiles ORDER BY display_name"
            ).map { "\(try $0.stringOrNil("badge_status") ?? "none") \(try $0.bool("is_final"))" }
        }
        #expect(rows == ["expired false", "failed true", "none true"])
    }

    @Test
    func `A new contact or incognito profile wakes the worker for expired badges only if its badge can expire`()
        async throws
    {
        let issuer = try Issuer()
        let alice = try await World().core("alice") { $0.badgeKeys = issuer.badgeKeys }
        try await alice.createUser("alice")
        let (endless, ending) = (try issuer.makeProof(), try issuer.makeProof(until: Self.daysFromNow(1)))
        for (badge, wakes) in [(endless, false), (ending, true)] {
            try await alice.controller.store.write { tx in
                let user = try #require(try UserRecord.find(1, in: tx.db))
                #expect(try Self.contact("bob", badge, user, tx).badgeStatus == .active)
                #expect(tx.followUpWork.contains(.expiringItems) == wakes)
            }
            try await alice.controller.store.write { tx in
                let user = try #require(try UserRecord.find(1, in: tx.db))
                var profile = Profile(displayName: "carol", fullName: "")
                profile.badge = badge
                _ = try IncognitoProfile.store(profile, user, tx)
                #expect(tx.followUpWork.contains(.expiringItems) == wakes)
            }
        }
        await alice.controller.close()
    }

    @Test
    func `If a user adds a badge while the address's link data are being written, the link data are written again`()
        async throws
    {
        let issuer = try Issuer()
        try await withPeople(issuer.badgeKeys) { alice, bob in
            let short = try #require(
                try await alice.run("/_address 1")["connLinkContact"]?["connShortLink"]?.stringValue
            )
            let store = alice.controller.store
            let before = try await store.read { try #require(try UserRecord.find(1, in: $0)) }
            try await alice.add(try issuer.makeCredential(until: Self.daysFromNow(10)))
            // Simulates that a worker completes its write of the earlier link data, which have no badge.
            let needsWrite = try await store.write { tx in
                try tx.db.execute("UPDATE user_addresses SET link_data_stale = 1")
                let address = try #require(try AddressRecord.findStale(in: tx.db).first)
                try address.markLinkDataWritten(of: before, tx)
                return try !AddressRecord.findStale(in: tx.db).isEmpty && tx.followUpWork.contains(.linkData)
            }
            #expect(needsWrite)
            try await waitUntil("the link data are written") {
                try await store.read { db in try AddressRecord.findStale(in: db).isEmpty }
            }
            let data = try await bob.run("/_connect plan 1 \(short)")["connectionPlan"]?["contactAddressPlan"]?[
                "contactSLinkData_"
            ]
            #expect(data?["localBadge"]?["status"] == "active")
        }
    }

    /// Runs `body` with the cores of alice and bob, who know the issuer, and not each other.
    private func withPeople(_ keys: BadgeKeys, _ body: (Core, Core) async throws -> Void) async throws {
        let world = try await World()
        let alice = try await world.core("alice") { $0.badgeKeys = keys }
        let bob = try await world.core("bob") { $0.badgeKeys = keys }
        try await alice.createUser("alice")
        try await bob.createUser("bob")
        try await body(alice, bob)
        await alice.controller.close()
        await bob.controller.close()
    }
}

extension Core {
    @discardableResult
    fileprivate func add(_ credential: BadgeCredential) async throws -> JSONValue {
        try await run("/badge add \(String(decoding: JSONEncoder().encode(credential), as: UTF8.self))")
    }

    /// Returns the badge of the only contact.
    fileprivate func badge() async throws -> JSONValue? {
        let contacts = try await run("/_contacts 1")["contacts"]?.arrayValue ?? []
        return contacts.first?["profile"]?["localBadge"]
    }
}
