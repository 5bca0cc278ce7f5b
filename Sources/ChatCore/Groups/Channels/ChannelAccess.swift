internal import ChatAPI
internal import SQLCipher

/// Commands for the settings by which people find and see a channel outside of the apps.
extension RunningCommand {
    /// `/_public group access #`: changes the settings for finding and showing a channel. A new SimpleX name must lead
    /// to the link of the channel.
    func setChannelAccess(_ groupId: Int64, _ access: PublicGroupAccess, user: UserRecord) async throws -> ChatResponse
    {
        let before = try await store.read { db in try GroupRecord.get(groupId, user: user, in: db) }
        guard before.profile.publicGroup != nil else { throw ChatFailure.commandError("the group is not public") }
        var check: DomainCheck?
        if let claim = access.groupDomainClaim, claim.name == nil || claim.name != before.domainClaim?.name {
            try before.requireRole(.owner, user)
            check = try await self.checkChannelDomain(claim, of: before, user: user)
        }
        return try await store.writeAndAnswer { [check] tx in
            var group = try GroupRecord.get(groupId, user: user, in: tx.db)
            var profile = group.profile
            profile.publicGroup?.publicGroupAccess = access.normalized
            if let check {
                try check.store(in: group, tx)
                group.domainCheck = check
            }
            return try Self.changeGroupProfile(group, to: profile, user, tx)
        }
    }
}
