internal import ChatAPI

extension RunningCommand {
    func run(_ command: GroupCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .newGroup(let named, let incognito, let profile):
            return try await newGroup(profile, incognito: incognito, user: user(userId, named: named))
        case .newPublicGroup(let named, let incognito, let relayIds, let profile):
            return try await newChannel(
                profile,
                relays: relayIds,
                incognito: incognito,
                user: user(userId, named: named)
            )
        case .getGroupRelays(let groupId): return try await groupRelays(groupId, user: user(userId))
        case .addGroupRelays(let groupId, let relayIds):
            return try await addGroupRelays(groupId, relays: relayIds, user: user(userId))
        case .setPublicGroupAccess(let groupId, let access):
            return try await setChannelAccess(groupId, access, user: user(userId))
        // The command can also name a contact. This program ignores the contact, as the original does.
        case .listGroups(let named, _, let search):
            return try await listGroups(search: search, user: user(userId, named: named))
        case .groupInfo(let groupId): return try await groupInfo(groupId, user: user(userId))
        case .listMembers(let groupId): return try await listMembers(groupId, user: user(userId))
        case .updateGroupProfile(let groupId, let profile):
            return try await updateGroupProfile(groupId, profile, user: user(userId))
        case .leaveGroup(let groupId): return try await leaveGroup(groupId, user: user(userId))
        case .setGroupAlias(let groupId, let alias): return try await setGroupAlias(groupId, alias, user: user(userId))
        case .setGroupCustomData(let groupId, let data):
            return try await setCustomData(data, of: .group(groupId), user: user(userId))
        case .addMember(let groupId, let contactId, let role):
            return try await addMember(groupId, contact: contactId, role: role, user: user(userId))
        case .joinGroup(let groupId): return try await joinGroup(groupId, user: user(userId))
        case .membersRole(let groupId, let memberIds, let role):
            return try await setMembersRole(groupId, memberIds, role, user: user(userId))
        case .blockMembersForAll(let groupId, let memberIds, let isBlocked):
            return try await blockMembers(groupId, memberIds, isBlocked, user: user(userId))
        case .removeMembers(let groupId, let memberIds, let withMessages):
            return try await removeMembers(groupId, memberIds, withMessages: withMessages, user: user(userId))
        case .createGroupLink(let groupId, let role):
            return try await createGroupLink(groupId, role: role, user: user(userId))
        case .groupLinkMemberRole(let groupId, let role):
            return try await setGroupLinkRole(groupId, role, user: user(userId))
        case .deleteGroupLink(let groupId): return try await deleteGroupLink(groupId, user: user(userId))
        case .getGroupLink(let groupId): return try await groupLink(groupId, user: user(userId))
        case .addGroupShortLink(let groupId): return try await addGroupShortLink(groupId, user: user(userId))
        case .prepareGroup(let named, let link, let isDirect, let domain, let data):
            return try await prepareGroup(
                link: link,
                isDirect: isDirect,
                name: Self.name(domain),
                data: data,
                user: user(userId, named: named)
            )
        case .connectPreparedGroup(let groupId, let incognito, let owner, let message):
            return try await connectPreparedGroup(
                groupId,
                incognito: incognito,
                ownerContact: owner,
                message: message,
                user: user(userId)
            )
        case .getUpdatedGroupLinkData(let groupId): return try await updateFromLink(groupId, user: user(userId))
        case .changePreparedGroupUser(let groupId, let newUserId):
            return try await changePreparedGroupUser(groupId, to: newUserId, user: user(userId))
        case .acceptMember(let groupId, let memberId, let role):
            let user = try await user(userId)
            return try await store.answer { tx in try MemberAdmission.accept(memberId, as: role, in: groupId, user, tx)
            }
        case .deleteMemberSupportChat(let groupId, let memberId):
            return try await deleteSupportChat(groupId, memberId, user: user(userId))
        case .groupMemberInfo(let groupId, let memberId):
            return try await groupMemberInfo(groupId, memberId, user: user(userId))
        case .createMemberContact(let groupId, let memberId):
            return try await createMemberContact(groupId, memberId, user: user(userId))
        case .sendMemberContactInvitation(let contactId, let content):
            return try await inviteMemberContact(contactId, content, user: user(userId))
        case .acceptMemberContact(let contactId): return try await acceptMemberContact(contactId, user: user(userId))
        case .enableGroupMember(let groupId, let memberId):
            return try await enableMember(groupId, memberId, user: user(userId))
        case .setMemberSettings(let groupId, let memberId, let settings):
            return try await setMemberSettings(groupId, memberId, settings, user: user(userId))
        case .allowRelayGroup(let groupId): return try await allowRelayGroup(groupId, user: user(userId))
        }
    }
}
