internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// The association of a member of a group with a contact who is the same person.
enum MemberAssociation {
    /// Associates a member with a contact. The local name with the lower number is kept together with its profile
    /// (`bob` before `bob_1`). If the two names do not differ in their numbers, nothing is associated.
    /// - Returns: the updated contact; nil if nothing was associated.
    static func associateMember(
        _ member: MemberRecord,
        in group: GroupRecord,
        with contact: ContactRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> ContactRecord? {
        let name = contact.profile.displayName
        guard let ofContact = LocalDisplayNames.suffixNumber(of: contact.localDisplayName, name),
            let ofMember = LocalDisplayNames.suffixNumber(of: member.localDisplayName, name), ofContact != ofMember
        else { return nil }
        let takesMember = ofMember < ofContact
        let (profileId, kept) =
            takesMember
            ? (member.contactProfileId, member.localDisplayName) : (contact.profileId, contact.localDisplayName)
        let (goneId, gone) =
            takesMember
            ? (contact.profileId, contact.localDisplayName) : (member.contactProfileId, member.localDisplayName)
        // A profile and a name belong together, so all rows of members with one of the two profiles are updated.
        try tx.db.execute(
            """
            UPDATE group_members SET contact_id = :contact_id, contact_profile_id = :contact_profile_id,
            local_display_name = :local_display_name, updated_at = :updated_at
            WHERE user_id = :user_id AND contact_profile_id IN (:contact_profile_id, :gone_profile_id)
            """,
            [
                "contact_id": contact.contactId, "contact_profile_id": profileId, "local_display_name": kept,
                "updated_at": tx.now.nanoseconds, "user_id": user.userId, "gone_profile_id": goneId,
            ]
        )
        if takesMember {
            try tx.db.update(
                "contacts",
                set: ["contact_profile_id": profileId, "local_display_name": kept, "updated_at": tx.now.nanoseconds],
                where: ["user_id": user.userId, "contact_id": contact.contactId]
            )
            // The alias of the contact is kept too.
            try tx.db.update(
                "contact_profiles",
                set: ["local_alias": contact.localAlias],
                where: ["contact_profile_id": profileId]
            )
        }
        try tx.db.execute("DELETE FROM contact_profiles WHERE contact_profile_id = ?", [goneId])
        try LocalDisplayNames.delete(gone, user: user.userId, in: tx.db)
        let updated = try ContactRecord.get(contact.contactId, user: user, in: tx.db)
        let shown = try GroupRecord.get(group.groupId, user: user, in: tx.db)
        try tx.emit(
            .contactAndMemberAssociated(
                user: user.api,
                contact: contact.api(user),
                groupInfo: shown.api(user),
                member: member.api,
                updatedContact: updated.api(user)
            ),
            user: user.userId
        )
        return updated
    }
}
