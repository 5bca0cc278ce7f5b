package import JSON

/// Commands for groups and channels, their members, profiles and links (Chat API, section 2.5).
package enum GroupCommand: Hashable, Sendable {
    case newGroup(userId: Int64, incognito: Bool, groupProfile: GroupProfile)
    case newPublicGroup(userId: Int64, incognito: Bool, relayIds: [Int64], groupProfile: GroupProfile)
    case listGroups(userId: Int64, contactId_: Int64?, search: String?)
    case groupInfo(groupId: Int64)
    case addMember(groupId: Int64, contactId: Int64, memberRole: GroupMemberRole)
    case joinGroup(groupId: Int64)
    case acceptMember(groupId: Int64, groupMemberId: Int64, memberRole: GroupMemberRole)
    case removeMembers(groupId: Int64, memberIds: [Int64], withMessages: Bool)
    case leaveGroup(groupId: Int64)
    case listMembers(groupId: Int64)
    case updateGroupProfile(groupId: Int64, groupProfile: GroupProfile)
    case membersRole(groupId: Int64, memberIds: [Int64], memberRole: GroupMemberRole)
    case blockMembersForAll(groupId: Int64, memberIds: [Int64], blocked: Bool)
    case createGroupLink(groupId: Int64, memberRole: GroupMemberRole)
    case groupLinkMemberRole(groupId: Int64, memberRole: GroupMemberRole)
    case deleteGroupLink(groupId: Int64)
    case getGroupLink(groupId: Int64)
    case addGroupShortLink(groupId: Int64)
    case createMemberContact(groupId: Int64, groupMemberId: Int64)
    case sendMemberContactInvitation(contactId: Int64, msg: MsgContent?)
    case acceptMemberContact(contactId: Int64)
    case groupMemberInfo(groupId: Int64, groupMemberId: Int64)
    case deleteMemberSupportChat(groupId: Int64, groupMemberId: Int64)
    case setMemberSettings(groupId: Int64, groupMemberId: Int64, memberSettings: GroupMemberSettings)
    case setGroupAlias(groupId: Int64, localAlias: String)
    case setGroupCustomData(groupId: Int64, customData: JSONObject?)
    case getGroupRelays(groupId: Int64)
    case addGroupRelays(groupId: Int64, relayIds: [Int64])
    case allowRelayGroup(groupId: Int64)
    case setPublicGroupAccess(groupId: Int64, access: PublicGroupAccess)
    case getUpdatedGroupLinkData(groupId: Int64)
    case prepareGroup(
        userId: Int64,
        connLink: CreatedConnLink,
        directLink: Bool,
        verifiedDomain: String?,
        groupShortLinkData: GroupShortLinkData
    )
    case changePreparedGroupUser(groupId: Int64, newUserId: Int64)
    case connectPreparedGroup(groupId: Int64, incognito: Bool, ownerContact: GroupOwnerContact?, msg: MsgContent?)
    case enableGroupMember(groupId: Int64, groupMemberId: Int64)
}

extension GroupCommand: CommandCategory {
    var commandText: CommandText {
        switch self {
        case .newGroup(let userId, let incognito, let groupProfile):
            "/_group \(userId) incognito=\(incognito) \(json: groupProfile)"
        case .newPublicGroup(let userId, let incognito, let relayIds, let groupProfile):
            "/_public group \(userId) incognito=\(incognito) \(relayIds) \(json: groupProfile)"
        case .listGroups(let userId, let contactId_, let search): "/_groups \(userId)\(" @", contactId_)\(" ", search)"
        case .groupInfo(let groupId): "/_info #\(groupId)"
        case .addMember(let groupId, let contactId, let memberRole): "/_add #\(groupId) \(contactId) \(memberRole)"
        case .joinGroup(let groupId): "/_join #\(groupId)"
        case .acceptMember(let groupId, let groupMemberId, let memberRole):
            "/_accept member #\(groupId) \(groupMemberId) \(memberRole)"
        case .removeMembers(let groupId, let memberIds, let withMessages):
            "/_remove #\(groupId) \(memberIds) messages=\(withMessages)"
        case .leaveGroup(let groupId): "/_leave #\(groupId)"
        case .listMembers(let groupId): "/_members #\(groupId)"
        case .updateGroupProfile(let groupId, let groupProfile): "/_group_profile #\(groupId) \(json: groupProfile)"
        case .membersRole(let groupId, let memberIds, let memberRole):
            "/_member role #\(groupId) \(memberIds) \(memberRole)"
        case .blockMembersForAll(let groupId, let memberIds, let blocked):
            "/_block #\(groupId) \(memberIds) blocked=\(blocked)"
        case .createGroupLink(let groupId, let memberRole): "/_create link #\(groupId) \(memberRole)"
        case .groupLinkMemberRole(let groupId, let memberRole): "/_set link role #\(groupId) \(memberRole)"
        case .deleteGroupLink(let groupId): "/_delete link #\(groupId)"
        case .getGroupLink(let groupId): "/_get link #\(groupId)"
        case .addGroupShortLink(let groupId): "/_short link #\(groupId)"
        case .createMemberContact(let groupId, let groupMemberId):
            "/_create member contact #\(groupId) \(groupMemberId)"
        case .sendMemberContactInvitation(let contactId, let msg): "/_invite member contact @\(contactId)\(" ", msg)"
        case .acceptMemberContact(let contactId): "/_accept member contact @\(contactId)"
        case .groupMemberInfo(let groupId, let groupMemberId): "/_info #\(groupId) \(groupMemberId)"
        case .deleteMemberSupportChat(let groupId, let groupMemberId):
            "/_delete member chat #\(groupId) \(groupMemberId)"
        case .setMemberSettings(let groupId, let groupMemberId, let memberSettings):
            "/_member settings #\(groupId) \(groupMemberId) \(json: memberSettings)"
        case .setGroupAlias(let groupId, let localAlias): "/_set alias #\(groupId)\(" ", localAlias)"
        case .setGroupCustomData(let groupId, let customData): "/_set custom #\(groupId)\(" ", json: customData)"
        case .getGroupRelays(let groupId): "/_get relays #\(groupId)"
        case .addGroupRelays(let groupId, let relayIds): "/_add relays #\(groupId) \(relayIds)"
        case .allowRelayGroup(let groupId): "/_relay allow #\(groupId)"
        case .setPublicGroupAccess(let groupId, let access): "/_public group access #\(groupId) \(json: access)"
        case .getUpdatedGroupLinkData(let groupId): "/_get group link data #\(groupId)"
        case .prepareGroup(let userId, let connLink, let directLink, let verifiedDomain, let groupShortLinkData):
            "/_prepare group \(userId) \(connLink) direct=\(directLink)\(" domain=", verifiedDomain) \(json: groupShortLinkData)"
        case .changePreparedGroupUser(let groupId, let newUserId): "/_set group user #\(groupId) \(newUserId)"
        case .connectPreparedGroup(let groupId, let incognito, let owner, let msg):
            "/_connect group #\(groupId) incognito=\(incognito)\(" contact=", owner?.contactId)\(" owner=", owner?.memberId)\(" ", msg)"
        case .enableGroupMember(let groupId, let groupMemberId): "/_enable #\(groupId) \(groupMemberId)"
        }
    }

    static let forms: [CommandForm<Self>] = [
        CommandForm("/_group") { scanner throws(CommandParseError) in
            .newGroup(
                userId: try scanner.scanNumber(),
                incognito: try scanner.scanFlag("incognito") ?? false,
                groupProfile: try scanner.scanJSON()
            )
        },
        CommandForm("/_public group") { scanner throws(CommandParseError) in
            .newPublicGroup(
                userId: try scanner.scanNumber(),
                incognito: try scanner.scanFlag("incognito") ?? false,
                relayIds: try scanner.scanNumbers(),
                groupProfile: try scanner.scanJSON()
            )
        },
        CommandForm("/_groups") { scanner throws(CommandParseError) in
            .listGroups(
                userId: try scanner.scanNumber(),
                contactId_: scanner.remainingText.hasPrefix(" @") ? try scanner.scanChatID(.direct) : nil,
                search: try scanner.scanRemainderIfAny()
            )
        },
        CommandForm("/_add") { scanner throws(CommandParseError) in
            .addMember(
                groupId: try scanner.scanChatID(.group),
                contactId: try scanner.scanNumber(),
                memberRole: try scanner.scanMemberRole()
            )
        },
        CommandForm("/_join") { scanner throws(CommandParseError) in .joinGroup(groupId: try scanner.scanChatID(.group))
        },
        CommandForm("/_accept member") { scanner throws(CommandParseError) in
            .acceptMember(
                groupId: try scanner.scanChatID(.group),
                groupMemberId: try scanner.scanNumber(),
                memberRole: try scanner.scanMemberRole()
            )
        },
        CommandForm("/_remove") { scanner throws(CommandParseError) in
            .removeMembers(
                groupId: try scanner.scanChatID(.group),
                memberIds: try scanner.scanNumbers(),
                withMessages: try scanner.scanFlag("messages") ?? false
            )
        },
        CommandForm("/_leave") { scanner throws(CommandParseError) in
            .leaveGroup(groupId: try scanner.scanChatID(.group))
        },
        CommandForm("/_members") { scanner throws(CommandParseError) in
            .listMembers(groupId: try scanner.scanChatID(.group))
        },
        CommandForm("/_group_profile") { scanner throws(CommandParseError) in
            .updateGroupProfile(groupId: try scanner.scanChatID(.group), groupProfile: try scanner.scanJSON())
        },
        CommandForm("/_member role") { scanner throws(CommandParseError) in
            .membersRole(
                groupId: try scanner.scanChatID(.group),
                memberIds: try scanner.scanNumbers(),
                memberRole: try scanner.scanMemberRole()
            )
        },
        CommandForm("/_block") { scanner throws(CommandParseError) in
            .blockMembersForAll(
                groupId: try scanner.scanChatID(.group),
                memberIds: try scanner.scanNumbers(),
                blocked: try scanner.scanRequiredFlag("blocked")
            )
        },
        CommandForm("/_create link") { scanner throws(CommandParseError) in
            .createGroupLink(
                groupId: try scanner.scanChatID(.group),
                memberRole: scanner.isAtEnd ? .member : try scanner.scanMemberRole()
            )
        },
        CommandForm("/_set link role") { scanner throws(CommandParseError) in
            .groupLinkMemberRole(groupId: try scanner.scanChatID(.group), memberRole: try scanner.scanMemberRole())
        },
        CommandForm("/_delete link") { scanner throws(CommandParseError) in
            .deleteGroupLink(groupId: try scanner.scanChatID(.group))
        },
        CommandForm("/_get link") { scanner throws(CommandParseError) in
            .getGroupLink(groupId: try scanner.scanChatID(.group))
        },
        CommandForm("/_short link") { scanner throws(CommandParseError) in
            .addGroupShortLink(groupId: try scanner.scanChatID(.group))
        },
        CommandForm("/_create member contact") { scanner throws(CommandParseError) in
            .createMemberContact(groupId: try scanner.scanChatID(.group), groupMemberId: try scanner.scanNumber())
        },
        CommandForm("/_invite member contact") { scanner throws(CommandParseError) in
            .sendMemberContactInvitation(
                contactId: try scanner.scanChatID(.direct),
                msg: try scanner.scanMsgContentIfAny()
            )
        },
        CommandForm("/_accept member contact") { scanner throws(CommandParseError) in
            .acceptMemberContact(contactId: try scanner.scanChatID(.direct))
        },
        CommandForm("/_delete member chat") { scanner throws(CommandParseError) in
            .deleteMemberSupportChat(groupId: try scanner.scanChatID(.group), groupMemberId: try scanner.scanNumber())
        },
        CommandForm("/_member settings") { scanner throws(CommandParseError) in
            .setMemberSettings(
                groupId: try scanner.scanChatID(.group),
                groupMemberId: try scanner.scanNumber(),
                memberSettings: try scanner.scanJSON()
            )
        },
        CommandForm("/_get relays") { scanner throws(CommandParseError) in
            .getGroupRelays(groupId: try scanner.scanChatID(.group))
        },
        CommandForm("/_add relays") { scanner throws(CommandParseError) in
            .addGroupRelays(groupId: try scanner.scanChatID(.group), relayIds: try scanner.scanNumbers())
        },
        CommandForm("/_relay allow") { scanner throws(CommandParseError) in
            .allowRelayGroup(groupId: try scanner.scanChatID(.group))
        },
        CommandForm("/_public group access") { scanner throws(CommandParseError) in
            .setPublicGroupAccess(groupId: try scanner.scanChatID(.group), access: try scanner.scanJSON())
        },
        CommandForm("/_get group link data") { scanner throws(CommandParseError) in
            .getUpdatedGroupLinkData(groupId: try scanner.scanChatID(.group))
        },
        CommandForm("/_prepare group") { scanner throws(CommandParseError) in
            .prepareGroup(
                userId: try scanner.scanNumber(),
                connLink: try scanner.scanCreatedConnLink(),
                directLink: try scanner.scanFlag("direct") ?? true,
                verifiedDomain: try scanner.scanOption("domain"),
                groupShortLinkData: try scanner.scanJSON()
            )
        },
        CommandForm("/_set group user") { scanner throws(CommandParseError) in
            .changePreparedGroupUser(groupId: try scanner.scanChatID(.group), newUserId: try scanner.scanNumber())
        },
        CommandForm("/_connect group") { scanner throws(CommandParseError) in
            .connectPreparedGroup(
                groupId: try scanner.scanChatID(.group),
                incognito: try scanner.scanFlag("incognito") ?? false,
                ownerContact: try scanner.scanOwnerContact(),
                msg: try scanner.scanMsgContentIfAny()
            )
        },
    ]
}

extension GroupCommand {
    package var name: CommandName {
        switch self {
        case .newGroup: .newGroup
        case .newPublicGroup: .newPublicGroup
        case .listGroups: .listGroups
        case .groupInfo: .groupInfo
        case .addMember: .addMember
        case .joinGroup: .joinGroup
        case .acceptMember: .acceptMember
        case .removeMembers: .removeMembers
        case .leaveGroup: .leaveGroup
        case .listMembers: .listMembers
        case .updateGroupProfile: .updateGroupProfile
        case .membersRole: .membersRole
        case .blockMembersForAll: .blockMembersForAll
        case .createGroupLink: .createGroupLink
        case .groupLinkMemberRole: .groupLinkMemberRole
        case .deleteGroupLink: .deleteGroupLink
        case .getGroupLink: .getGroupLink
        case .addGroupShortLink: .addGroupShortLink
        case .createMemberContact: .createMemberContact
        case .sendMemberContactInvitation: .sendMemberContactInvitation
        case .acceptMemberContact: .acceptMemberContact
        case .groupMemberInfo: .groupMemberInfo
        case .deleteMemberSupportChat: .deleteMemberSupportChat
        case .setMemberSettings: .setMemberSettings
        case .setGroupAlias: .setGroupAlias
        case .setGroupCustomData: .setGroupCustomData
        case .getGroupRelays: .getGroupRelays
        case .addGroupRelays: .addGroupRelays
        case .allowRelayGroup: .allowRelayGroup
        case .setPublicGroupAccess: .setPublicGroupAccess
        case .getUpdatedGroupLinkData: .getUpdatedGroupLinkData
        case .prepareGroup: .prepareGroup
        case .changePreparedGroupUser: .changePreparedGroupUser
        case .connectPreparedGroup: .connectPreparedGroup
        case .enableGroupMember: .enableGroupMember
        }
    }
}
