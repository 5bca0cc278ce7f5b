import ChatAPI
import ChatStore
import JSON
import SimpleXCrypto
import Testing

@testable import ChatCore

/// Tests of the checks of received badges, and of the limits of these checks.
extension BadgeTests {
    @Test
    func `If a contact sends a badge of an unknown issuer again, the badge is neither checked nor stored again`()
        async throws
    {
        let issuer = try Issuer()
        let alice = try await World().core("alice") { $0.badgeKeys = issuer.badgeKeys }
        try await alice.createUser("alice")
        var unknown = try issuer.makeProof()
        unknown.badgeKeyIdx = BadgeTests.issuerNumber + 1
        let badge = unknown
        try await alice.controller.store.write { tx in
            let user = try #require(try UserRecord.find(1, in: tx.db))
            var contact = try Self.contact("bob", badge, user, tx)
            try Self.passRetryTime(of: contact, tx)
            func changed() throws -> Int64? {
                try tx.db.queryFirst(
                    "SELECT updated_at FROM contact_profiles WHERE contact_profile_id = ?",
                    [contact.profileId]
                )?.int64("updated_at")
            }
            let before = try changed()
            let profile = try JSONEncoder().encodeValue(contact.profile)
            try contact.receiveProfile(profile: profile, showsItems: false, user, tx)
            #expect(try changed() == before && contact.badgeStatus == .unknownKey)
            #expect(tx.badgeCheckCount == 0)
        }
        await alice.controller.close()
    }

    @Test
    func `A new proof of a known badge is not a change of the profile, but a valid proof replaces a failed proof`()
        throws
    {
        let issuer = try Issuer()
        let credential = try issuer.makeCredential()
        var known = Profile(displayName: "bob", fullName: "")
        known.badge = credential.makeProof(issuer: issuer.publicKey.rawRepresentation)
        var again = known
        again.badge = credential.makeProof(issuer: issuer.publicKey.rawRepresentation)
        #expect(known != again && again.hasSameContent(of: known))
        #expect(!again.mayImproveBadgeStatus(.active, of: known) && !known.mayImproveBadgeStatus(.failed, of: known))
        #expect(again.mayImproveBadgeStatus(.failed, of: known) && known.mayImproveBadgeStatus(.unknownKey, of: known))
        again.badge?.badgeInfo.badgeType = .legend
        #expect(!again.hasSameContent(of: known))
        again.badge = nil
        #expect(!again.hasSameContent(of: known))
    }

    @Test
    func `Many wrong badge proofs from one contact cause one check, and the valid proof is checked an hour later`()
        async throws
    {
        let issuer = try Issuer()
        let alice = try await World().core("alice") { $0.badgeKeys = issuer.badgeKeys }
        try await alice.createUser("alice")
        let valid = try issuer.makeProof()
        try await alice.controller.store.write { tx in
            let user = try #require(try UserRecord.find(1, in: tx.db))
            var contact = try Self.contact("bob", nil, user, tx)
            func receive(_ badge: BadgeProof?, _ fullName: String) throws {
                var profile = Profile(displayName: "bob", fullName: fullName)
                profile.badge = badge
                try contact.receiveProfile(profile: JSONEncoder().encodeValue(profile), showsItems: false, user, tx)
            }
            for number in 0..<100 as Range<UInt8> {
                var wrong = valid
                wrong.proof = Base64URL.encode([number])
                // Only every fourth profile has a new name, and every tenth profile has no badge.
                try receive(number % 10 == 9 ? nil : wrong, "\(number / 4)")
                #expect(contact.badgeStatus?.isValid != true)
            }
            #expect(tx.badgeCheckCount == 1)
            try receive(valid, "Bob")
            #expect(tx.badgeCheckCount == 1 && contact.badgeStatus == .unknownKey)
            #expect(contact.profile.fullName == "Bob")
            try Self.passRetryTime(of: contact, tx)
            try receive(valid, "Bob")
            #expect(tx.badgeCheckCount == 2 && contact.badgeStatus == .active)
        }
        await alice.controller.close()
    }

    @Test
    func `One transaction checks a limited number of badges, and the next transaction checks the remaining badges`()
        async throws
    {
        let issuer = try Issuer()
        let alice = try await World().core("alice") { $0.badgeKeys = issuer.badgeKeys }
        try await alice.createUser("alice")
        let badge = try issuer.makeProof()
        let last = try await alice.controller.store.write { tx in
            let user = try #require(try UserRecord.find(1, in: tx.db))
            let contacts = try (0...BadgeCheck.maxChecksPerTransaction).map {
                try Self.contact("bob \($0)", badge, user, tx)
            }
            #expect(contacts.dropLast().allSatisfy { $0.badgeStatus == .active })
            #expect(contacts.last?.badgeStatus == .unknownKey)
            return try #require(contacts.last?.contactId)
        }
        try await alice.controller.store.write { tx in
            // The worker may already have checked the badge. Then there is nothing to check here.
            _ = try ExpiringBadges.markDueBadges(tx)
            let user = try #require(try UserRecord.find(1, in: tx.db))
            #expect(try ContactRecord.get(last, user: user, in: tx.db).badgeStatus == .active)
        }
        await alice.controller.close()
    }

    @Test
    func `If a contact sends a valid badge proof soon after a wrong proof, the valid proof is checked an hour later`()
        async throws
    {
        let issuer = try Issuer()
        let alice = try await World().core("alice") { $0.badgeKeys = issuer.badgeKeys }
        try await alice.createUser("alice")
        let valid = try issuer.makeProof()
        try await alice.controller.store.write { tx in
            let user = try #require(try UserRecord.find(1, in: tx.db))
            var wrong = valid
            wrong.proof = Base64URL.encode([1])
            var contact = try Self.contact("bob", wrong, user, tx)
            #expect(contact.badgeStatus == .failed)
            var profile = contact.profile
            profile.fullName = "Bob"
            profile.badge = valid
            try contact.receiveProfile(profile: JSONEncoder().encodeValue(profile), showsItems: false, user, tx)
            #expect(contact.badgeStatus == .unknownKey)
            #expect(
                try ExpiringBadges.findTimeUntilNextChange(tx.now, tx.db) == .seconds(BadgeCheck.recheckPauseSeconds)
            )
            try tx.db.execute("UPDATE contact_profiles SET badge_changes_at = 1 WHERE badge_changes_at IS NOT NULL")
            #expect(try !ExpiringBadges.markDueBadges(tx))
            #expect(try ContactRecord.get(contact.contactId, user: user, in: tx.db).badgeStatus == .active)
            #expect(try ExpiringBadges.findTimeUntilNextChange(tx.now, tx.db) == nil)
        }
        await alice.controller.close()
    }

    @Test
    func `If a valid badge proof arrives twice before its postponed check, the time of the check stays the same`()
        async throws
    {
        let issuer = try Issuer()
        let alice = try await World().core("alice") { $0.badgeKeys = issuer.badgeKeys }
        try await alice.createUser("alice")
        let valid = try issuer.makeProof()
        try await alice.controller.store.write { tx in
            let user = try #require(try UserRecord.find(1, in: tx.db))
            var wrong = valid
            wrong.proof = Base64URL.encode([1])
            var contact = try Self.contact("bob", wrong, user, tx)
            var profile = contact.profile
            profile.badge = valid
            let sent = try JSONEncoder().encodeValue(profile)
            try contact.receiveProfile(profile: sent, showsItems: false, user, tx)
            #expect(contact.badgeStatus == .unknownKey && tx.followUpWork.contains(.expiringItems))
            #expect(
                try ExpiringBadges.findTimeUntilNextChange(tx.now, tx.db) == .seconds(BadgeCheck.recheckPauseSeconds)
            )
            // Half an hour later, the same profile arrives again: the time of the check stays.
            let left = BadgeCheck.recheckPauseSeconds / 2
            try tx.db.execute(
                "UPDATE contact_profiles SET badge_changes_at = ? WHERE badge_changes_at IS NOT NULL",
                [tx.now.adding(seconds: left).nanoseconds]
            )
            try contact.receiveProfile(profile: sent, showsItems: false, user, tx)
            #expect(tx.badgeCheckCount == 1)
            #expect(try ExpiringBadges.findTimeUntilNextChange(tx.now, tx.db) == .seconds(left))
            try tx.db.execute(
                "UPDATE contact_profiles SET badge_changes_at = 1, updated_at = 1 WHERE badge_changes_at IS NOT NULL"
            )
            #expect(try !ExpiringBadges.markDueBadges(tx))
            let checked = try ContactRecord.get(contact.contactId, user: user, in: tx.db)
            #expect(checked.badgeStatus == .active && checked.profile.badge == valid)
            let row = try tx.db.queryFirst(
                "SELECT updated_at FROM contact_profiles WHERE contact_profile_id = ?",
                [contact.profileId]
            )
            #expect(try row?.int64("updated_at") == tx.now.nanoseconds)
        }
        await alice.controller.close()
    }

    @Test
    func `The result of a postponed badge check is reported in an event about the contact with the badge`() async throws
    {
        let issuer = try Issuer()
        let alice = try await World().core("alice") { $0.badgeKeys = issuer.badgeKeys }
        try await alice.createUser("alice")
        let badge = try issuer.makeProof()
        try await alice.controller.store.write { tx in
            let user = try #require(try UserRecord.find(1, in: tx.db))
            let contact = try Self.contact("bob", badge, user, tx)
            try Self.postponeCheck(in: contact.profileId, tx)
            _ = try ExpiringBadges.markDueBadges(tx)
            let changes = tx.events.compactMap { event in
                if case .contactUpdated(_, let before, let after) = event {
                    [before.profile.localBadge?.status, after.profile.localBadge?.status]
                } else {
                    nil
                }
            }
            #expect(changes == [[.unknownKey, .active]])
        }
        await alice.controller.close()
    }

    @Test
    func `The result of a postponed badge check is reported in an event about the member with the badge`() async throws
    {
        let issuer = try Issuer()
        let alice = try await World().core("alice") { $0.badgeKeys = issuer.badgeKeys }
        try await alice.createUser("alice")
        var profile = Profile(displayName: "bob", fullName: "")
        profile.badge = try issuer.makeProof()
        try await alice.controller.store.write { [profile] tx in
            let user = try #require(try UserRecord.find(1, in: tx.db))
            let team = GroupProfile(displayName: "team", fullName: "")
            let group = try GroupRecord.create(team, incognito: false, user, tx)
            let new = NewMember(
                id: .random(),
                role: .member,
                category: .pre,
                status: .connected,
                profileId: 0,
                localDisplayName: "",
                versions: .supported
            )
            let member = try MemberRecord.create(new, profile: profile, in: group.groupId, user, tx)
            try Self.postponeCheck(in: member.contactProfileId, tx)
            _ = try ExpiringBadges.markDueBadges(tx)
            let changes = tx.events.compactMap { event in
                if case .groupMemberUpdated(_, _, let before, let after) = event {
                    [before.memberProfile.localBadge?.status, after.memberProfile.localBadge?.status]
                } else {
                    nil
                }
            }
            #expect(changes == [[.unknownKey, .active]])
        }
        await alice.controller.close()
    }

    /// Gives the badge of a profile the state of a badge whose postponed check is due.
    private static func postponeCheck(in profileId: Int64, _ tx: Transaction) throws {
        try tx.db.execute(
            "UPDATE contact_profiles SET badge_status = ?, badge_changes_at = 1 WHERE contact_profile_id = ?",
            [BadgeStatus.unknownKey.rawValue, profileId]
        )
    }

    /// Creates a contact with a badge.
    static func contact(
        _ name: String,
        _ badge: BadgeProof?,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws
        -> ContactRecord
    {
        var profile = Profile(displayName: name, fullName: "")
        profile.badge = badge
        let contactId = try ContactRecord.create(profile, alias: "", user, tx)
        return try ContactRecord.get(contactId, user: user, in: tx.db)
    }

    /// Moves the last change of the contact's profile into the past, so that another proof may be checked.
    private static func passRetryTime(of contact: ContactRecord, _ tx: Transaction) throws {
        try tx.db.execute(
            "UPDATE contact_profiles SET updated_at = ? WHERE contact_profile_id = ?",
            [tx.now.adding(seconds: -BadgeCheck.recheckPauseSeconds).nanoseconds, contact.profileId]
        )
    }
}
