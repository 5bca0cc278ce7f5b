internal import ChatAPI
internal import SQLCipher

/// Settings for finding and showing a channel outside of the apps.
extension RunningCommand {
    /// `/_public group access #`: changes the settings for finding and showing a channel.
    func setChannelAccess(_ groupId: Int64, _ access: PublicGroupAccess, user: UserRecord) async throws -> ChatResponse
    {
        try await store.answer { tx in
            let group = try GroupRecord.get(groupId, user: user, in: tx.db)
            guard let publicGroup = group.profile.publicGroup else {
                throw ChatFailure.command("the group is not public")
            }
            // This program does not resolve names, so it cannot check that a new domain leads to the channel. The user
            // can only keep or remove the domain.
            guard
                access.groupDomainClaim == nil
                    || access.groupDomainClaim == publicGroup.publicGroupAccess?.groupDomainClaim
            else {
                throw ChatFailure.notImplemented("apiSetPublicGroupAccess groupDomainClaim")
            }
            var profile = group.profile
            profile.publicGroup?.publicGroupAccess = access
            return try Self.update(group, to: profile, user, tx)
        }
    }
}
