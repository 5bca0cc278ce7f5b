internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

extension MemberInfo {
    func readProfile() throws -> Profile {
        var profile = try JSONDecoder().decode(Profile.self, from: profile)
        profile.replaceUnshowableValues()
        return profile
    }
}

extension MemberRecord {
    /// Returns the information by which the member is introduced to other members.
    func introductionInfo(in group: GroupRecord) throws -> MemberInfo {
        MemberInfo(id: sharedID, role: role, versions: versions, profile: try group.redactedProfile(profile, of: role))
    }

    mutating func setProfile(_ profile: Profile, _ tx: Transaction) throws {
        if profile.displayName != self.profile.displayName, contactId == nil, category != .user {
            try LocalDisplayNames.delete(localDisplayName, user: userId, in: tx.db)
            localDisplayName = try LocalDisplayNames.create(profile.displayName, user: userId, in: tx.db)
            try tx.db.update(
                "group_members",
                set: ["local_display_name": localDisplayName],
                where: ["user_id": userId, "contact_profile_id": contactProfileId]
            )
        }
        var profile = profile
        let check = try tx.checkProfileBadge(&profile, instead: self.profile, badgeStatus, in: contactProfileId)
        self.profile = profile
        badgeStatus = check?.status
        updatedAt = tx.now
        try tx.storeProfile(profile, check, in: contactProfileId)
        try tx.db.update(
            "group_members",
            set: ["updated_at": tx.now.nanoseconds],
            where: ["user_id": userId, "group_member_id": memberId]
        )
    }
}
