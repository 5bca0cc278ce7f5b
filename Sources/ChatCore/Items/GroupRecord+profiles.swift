internal import ChatAPI
internal import ChatText
internal import JSON

extension GroupRecord {
    /// Returns a profile without the parts that members may not see. The preferences and the description are only for
    /// contacts. Links and addresses for contact outside of the group are removed if the group does not allow them to
    /// this role.
    func redactedProfile(_ profile: Profile, of role: GroupMemberRole) throws -> JSONValue {
        var profile = profile
        profile.preferences = nil
        profile.description = nil
        // The proof of the name is removed, because only a peer who asks for the proof may see it.
        profile.contactDomain?.proof = nil
        let preferences = preferences
        if !preferences.allows(.directMessages, role) { profile.contactDomain = nil }
        if !preferences.allows(.simplexLinks, role) || !preferences.allows(.directMessages, role) {
            profile.contactLink = nil
            if let text = profile.shortDescr,
                SimplexLinkText.containsSplitLink(in: text)
                    || (MarkdownParser.parse(text) ?? []).contains(where: \.isSimplexLink)
            {
                profile.shortDescr = nil
            }
        }
        return try JSONEncoder().encodeValue(profile)
    }

    /// Returns the profile of the user that members see.
    func ownProfile(_ user: UserRecord) throws -> JSONValue {
        let isIncognito = membership.incognitoProfileId != nil
        return try redactedProfile(
            isIncognito ? membership.profile : user.profileWithNewProof(user.profile),
            of: membership.role
        )
    }
}
