internal import ChatAPI

extension RunningCommand {
    func run(_ command: GroupCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .newGroup(let named, let incognito, let profile):
            return try await createGroup(profile, incognito: incognito, user: findUser(userId, named: named))
        case .newPublicGroup(let named, let incognito, let relayIds, let profile):
            return try await createChannel(
                profile,
                relays: relayIds,
                incognito: incognito,
                user: findUser(userId, named: named)
            )
        case .getGroupRelays(let groupId): return try await listGroupRelays(groupId, user: findUser(userId))
        case .addGroupRelays(let groupId, let relayIds):
            return try await addGroupRelays(groupId, relays: relayIds, user: findUser(userId))
        case .setPublicGroupAccess(let groupId, let access):
            return try await setChannelAccess(groupId, access, user: findUser(userId))
        // The command can also name a contact. This program ignores the contact, as the original does.
        case .listGroups(let named, _, let search):
            return try await listGroups(search: search, user: findUser(userId, named: named))
        case .groupInfo(let groupId): return try await showGroupInfo(groupId, user: findUser(userId))
        case .listMembers(let groupId): return try await listMembers(groupId, user: findUser(userId))
        case .updateGroupProfile(let groupId, let profile):
            return try await updateGroupProfile(groupId, profile, user: findUser(userId))
        case .leaveGroup(let groupId): return try await leaveGroup(groupId, user: findUser(userId))
        case .setGroupAlias(let groupId, let alias):
            return try await setGroupAlias(groupId, alias, user: findUser(userId))
        case .setGroupCustomData(let groupId, let data):
            return try await setCustomData(data, of: .group(groupId), user: findUser(userId))
        case .addMember(let groupId, let contactId, let role):
            return try await addMember(groupId, contact: contactId, role: role, user: findUser(userId))
        case .joinGroup(let groupId): return try await joinGroup(groupId, user: findUser(userId))
        case .membersRole(let groupId, let memberIds, let role):
            return try await setMembersRole(groupId, memberIds, role, user: findUser(userId))
        case .blockMembersForAll(let groupId, let memberIds, let isBlocked):
            return try await blockMembers(groupId, memberIds, isBlocked, user: findUser(userId))
        case .removeMembers(let groupId, let memberIds, let withMessages):
            return try await removeMembers(groupId, memberIds, withMessages: withMessages, user: findUser(userId))
        case .createGroupLink(let groupId, let role):
            return try await createGroupLink(groupId, role: role, user: findUser(userId))
        case .groupLinkMemberRole(let groupId, let role):
            return try await setGroupLinkRole(groupId, role, user: findUser(userId))
        case .deleteGroupLink(let groupId): return try await deleteGroupLink(groupId, user: findUser(userId))
        case .getGroupLink(let groupId): return try await showGroupLink(groupId, user: findUser(userId))
        case .addGroupShortLink(let groupId): return try await addGroupShortLink(groupId, user: findUser(userId))
        case .prepareGroup(let named, let link, let isDirect, let domain, let data):
            return try await prepareGroup(
                link: link,
                isDirect: isDirect,
                name: Self.parseName(domain),
                data: data,
                user: findUser(userId, named: named)
            )
        case .connectPreparedGroup(let groupId, let incognito, let owner, let message):
            return try await connectPreparedGroup(
                groupId,
                incognito: incognito,
                ownerContact: owner,
                message: message,
                user: findUser(userId)
            )
        case .getUpdatedGroupLinkData(let groupId): return try await updateFromLink(groupId, user: findUser(userId))
        case .changePreparedGroupUser(let groupId, let newUserId):
            return try await changePreparedGroupUser(groupId, to: newUserId, user: findUser(userId))
        case .acceptMember(let groupId, let memberId, let role):
            let user = try await findUser(userId)
            return try await store.writeAndAnswer { tx in
                try MemberAdmission.acceptMember(memberId, as: role, in: groupId, user, tx)
            }
        case .deleteMemberSupportChat(let groupId, let memberId):
            return try await deleteSupportChat(groupId, memberId, user: findUser(userId))
        case .groupMemberInfo(let groupId, let memberId):
            return try await showGroupMemberInfo(groupId, memberId, user: findUser(userId))
        case .createMemberContact(let groupId, let memberId):
            return try await createMemberContact(groupId, memberId, user: findUser(userId))
        case .sendMemberContactInvitation(let contactId, let content):
            return try await inviteMemberContact(contactId, content, user: findUser(userId))
        case .acceptMemberContact(let contactId):
            return try await acceptMemberContact(contactId, user: findUser(userId))
        case .enableGroupMember(let groupId, let memberId):
            return try await enableMember(groupId, memberId, user: findUser(userId))
        case .setMemberSettings(let groupId, let memberId, let settings):
            return try await setMemberSettings(groupId, memberId, settings, user: findUser(userId))
        case .allowRelayGroup(let groupId): return try await allowRelayGroup(groupId, user: findUser(userId))
        }
    }
}
