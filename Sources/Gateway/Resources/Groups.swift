internal import ChatAPI
internal import JSON

/// Routes for groups and their members.
enum GroupsResource {
    static let routes: [Route] = [
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/groups",
            "createGroup",
            .newGroup,
            category: "Groups",
            policy: .storeData,
            success: .created { response, context in
                guard case .groupCreated(_, let group) = response else { return nil }
                return "/v1/users/\(context.parameters["userId"] ?? "")/groups/\(group.groupId)"
            }
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .groups(
                .newGroup(
                    userId: try context.parseID("userId"),
                    incognito: try body.decodeIfPresent("incognito") ?? false,
                    groupProfile: try body.decodeValue("groupProfile")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/channels",
            "createChannel",
            .newPublicGroup,
            category: "Groups",
            policy: .storeData,
            success: .created { response, context in
                guard case .publicGroupCreated(_, let group, _, _) = response else { return nil }
                return "/v1/users/\(context.parameters["userId"] ?? "")/groups/\(group.groupId)"
            }
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .groups(
                .newPublicGroup(
                    userId: try context.parseID("userId"),
                    incognito: try body.decodeIfPresent("incognito") ?? false,
                    relayIds: try body.decodeValue("relayIds"),
                    groupProfile: try body.decodeValue("groupProfile")
                )
            )
        },
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/groups",
            "listGroups",
            .listGroups,
            category: "Groups",
            policy: .storeData,
            success: .page(ListPages.selectGroups),
            finishing: FieldMask.makeFinisher("groups", of: "GroupInfo")
        ) { context throws(ProblemDetails) in
            _ = try context.parsePage()
            let contactId = try context.parseNumber("contactId", in: 1...Int64.max)
            return .groups(
                .listGroups(
                    userId: try context.parseID("userId"),
                    contactId_: contactId,
                    search: context.readParameter("search")
                )
            )
        },
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/groups/{groupId}",
            "getGroup",
            .groupInfo,
            category: "Groups",
            policy: .chatData,
            patched: patchedGroup
        ) { context throws(ProblemDetails) in
            .groups(.groupInfo(groupId: try context.parseID("groupId")))
        },
        .makePatchRoute(
            "/v1/users/{userId}/groups/{groupId}",
            "updateGroup",
            [
                .updateGroupProfile, .setPublicGroupAccess, .setGroupAlias, .setGroupCustomData,
                .changePreparedGroupUser,
            ],
            category: "Groups",
            policy: .storeData,
            of: patchedGroup
        ) { context, patch throws(ProblemDetails) in
            let id = try context.parseID("groupId")
            patch.setMember("profile") { [.groups(.updateGroupProfile(groupId: id, groupProfile: $0))] }
            patch.setMember("access") { [.groups(.setPublicGroupAccess(groupId: id, access: $0))] }
            patch.setOrDeleteMember("alias") { .groups(.setGroupAlias(groupId: id, localAlias: $0 ?? "")) }
            patch.setOrDeleteMember("customData") { (data: FreeObject?) in
                .groups(.setGroupCustomData(groupId: id, customData: data?.members))
            }
            patch.setMember("userId") { [.groups(.changePreparedGroupUser(groupId: id, newUserId: $0))] }
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/groups/{groupId}/members",
            "inviteMember",
            .addMember,
            category: "Groups",
            policy: .storeData,
            success: .created { response, context in
                guard case .sentGroupInvitation(_, let group, _, let member) = response else { return nil }
                return
                    "/v1/users/\(context.parameters["userId"] ?? "")/groups/\(group.groupId)/members/\(member.groupMemberId)"
            }
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .groups(
                .addMember(
                    groupId: try context.parseID("groupId"),
                    contactId: try body.decodeValue("contactId"),
                    memberRole: try body.decodeMemberRole()
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/groups/{groupId}/join",
            "joinGroup",
            .joinGroup,
            category: "Groups",
            policy: .storeData,
            success: .accepted
        ) { context throws(ProblemDetails) in
            .groups(.joinGroup(groupId: try context.parseID("groupId")))
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/accept",
            "acceptMember",
            .acceptMember,
            category: "Groups",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .groups(
                .acceptMember(
                    groupId: try context.parseID("groupId"),
                    groupMemberId: try context.parseID("groupMemberId"),
                    memberRole: try context.parseBody().decodeMemberRole()
                )
            )
        },
        .makeCommandRoute(
            .delete,
            "/v1/users/{userId}/groups/{groupId}/members",
            "removeMembers",
            .removeMembers,
            category: "Groups",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .groups(
                .removeMembers(
                    groupId: try context.parseID("groupId"),
                    memberIds: try context.parseIDs("memberIds"),
                    withMessages: try context.parseFlag("withMessages", default: false)
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/groups/{groupId}/leave",
            "leaveGroup",
            .leaveGroup,
            category: "Groups",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .groups(.leaveGroup(groupId: try context.parseID("groupId")))
        },
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/groups/{groupId}/members",
            "listMembers",
            .listMembers,
            category: "Groups",
            policy: .chatData,
            success: .page(ListPages.selectMembers)
        ) { context throws(ProblemDetails) in
            _ = try context.parsePage()
            return .groups(.listMembers(groupId: try context.parseID("groupId")))
        },
        .makeCommandRoute(
            .put,
            "/v1/users/{userId}/groups/{groupId}/members/role",
            "setMembersRole",
            .membersRole,
            category: "Groups",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .groups(
                .membersRole(
                    groupId: try context.parseID("groupId"),
                    memberIds: try body.decodeIDs("memberIds"),
                    memberRole: try body.decodeMemberRole()
                )
            )
        },
        .makeCommandRoute(
            .put,
            "/v1/users/{userId}/groups/{groupId}/members/blocked",
            "setMembersBlocked",
            .blockMembersForAll,
            category: "Groups",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .groups(
                .blockMembersForAll(
                    groupId: try context.parseID("groupId"),
                    memberIds: try body.decodeIDs("memberIds"),
                    blocked: try body.decodeValue("blocked")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/groups/{groupId}/link",
            "createGroupLink",
            .createGroupLink,
            category: "Groups",
            policy: .secretData,
            success: .created { response, context in
                guard case .groupLinkCreated(_, let group, _) = response else { return nil }
                return "/v1/users/\(context.parameters["userId"] ?? "")/groups/\(group.groupId)/link"
            }
        ) { context throws(ProblemDetails) in
            .groups(
                .createGroupLink(
                    groupId: try context.parseID("groupId"),
                    memberRole: try context.parseBody().decodeMemberRole()
                )
            )
        },
        .makeCommandRoute(
            .patch,
            "/v1/users/{userId}/groups/{groupId}/link",
            "updateGroupLink",
            .groupLinkMemberRole,
            category: "Groups",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            .groups(
                .groupLinkMemberRole(
                    groupId: try context.parseID("groupId"),
                    memberRole: try context.parseBody().decodeMemberRole()
                )
            )
        },
        .makeCommandRoute(
            .delete,
            "/v1/users/{userId}/groups/{groupId}/link",
            "deleteGroupLink",
            .deleteGroupLink,
            category: "Groups",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .groups(.deleteGroupLink(groupId: try context.parseID("groupId")))
        },
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/groups/{groupId}/link",
            "getGroupLink",
            .getGroupLink,
            category: "Groups",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            .groups(.getGroupLink(groupId: try context.parseID("groupId")))
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/groups/{groupId}/link/short",
            "createGroupShortLink",
            .addGroupShortLink,
            category: "Groups",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            .groups(.addGroupShortLink(groupId: try context.parseID("groupId")))
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/contact",
            "createMemberContact",
            .createMemberContact,
            category: "Groups",
            policy: .storeData,
            success: .created { response, context in
                guard case .newMemberContact(_, let contact, _, _) = response else { return nil }
                return "/v1/users/\(context.parameters["userId"] ?? "")/contacts/\(contact.contactId)"
            }
        ) { context throws(ProblemDetails) in
            .groups(
                .createMemberContact(
                    groupId: try context.parseID("groupId"),
                    groupMemberId: try context.parseID("groupMemberId")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/contacts/{contactId}/invitation",
            "sendContactInvitation",
            .sendMemberContactInvitation,
            category: "Groups",
            policy: .storeData,
            success: .accepted
        ) { context throws(ProblemDetails) in
            .groups(
                .sendMemberContactInvitation(
                    contactId: try context.parseID("contactId"),
                    msg: try context.parseBody().decodeNewContent("msg")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/contacts/{contactId}/accept",
            "acceptContactInvitation",
            .acceptMemberContact,
            category: "Groups",
            policy: .storeData,
            success: .accepted
        ) { context throws(ProblemDetails) in
            .groups(.acceptMemberContact(contactId: try context.parseID("contactId")))
        },
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}",
            "getMember",
            .groupMemberInfo,
            category: "Groups",
            policy: .storeData,
            patched: patchedMember
        ) { context throws(ProblemDetails) in
            .groups(
                .groupMemberInfo(
                    groupId: try context.parseID("groupId"),
                    groupMemberId: try context.parseID("groupMemberId")
                )
            )
        },
        .makePatchRoute(
            "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}",
            "updateMember",
            [.setMemberSettings, .membersRole, .blockMembersForAll],
            category: "Groups",
            policy: .storeData,
            of: patchedMember
        ) { context, patch throws(ProblemDetails) in
            let (group, member) = (try context.parseID("groupId"), try context.parseID("groupMemberId"))
            patch.setMember("settings") {
                [.groups(.setMemberSettings(groupId: group, groupMemberId: member, memberSettings: $0))]
            }
            patch.setMember("role") { (role: AssignableRole) in
                [.groups(.membersRole(groupId: group, memberIds: [member], memberRole: role.role))]
            }
            patch.setMember("blocked") {
                [.groups(.blockMembersForAll(groupId: group, memberIds: [member], blocked: $0))]
            }
        },
        .makeCommandRoute(
            .delete,
            "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/support-chat",
            "deleteMemberSupportChat",
            .deleteMemberSupportChat,
            category: "Groups",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .groups(
                .deleteMemberSupportChat(
                    groupId: try context.parseID("groupId"),
                    groupMemberId: try context.parseID("groupMemberId")
                )
            )
        },
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/groups/{groupId}/relays",
            "listChannelRelays",
            .getGroupRelays,
            category: "Groups",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .groups(.getGroupRelays(groupId: try context.parseID("groupId")))
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/groups/{groupId}/relays",
            "addChannelRelays",
            .addGroupRelays,
            category: "Groups",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .groups(
                .addGroupRelays(
                    groupId: try context.parseID("groupId"),
                    relayIds: try context.parseBody().decodeValue("relayIds")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/groups/{groupId}/allow-relay",
            "allowChannelRelay",
            .allowRelayGroup,
            category: "Groups",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .groups(.allowRelayGroup(groupId: try context.parseID("groupId")))
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/groups/{groupId}/link/refresh",
            "refreshGroupLinkData",
            .getUpdatedGroupLinkData,
            category: "Groups",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .groups(.getUpdatedGroupLinkData(groupId: try context.parseID("groupId")))
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/groups/prepared",
            "prepareGroup",
            .prepareGroup,
            category: "Groups",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .groups(
                .prepareGroup(
                    userId: try context.parseID("userId"),
                    connLink: try body.decodeConnLink(),
                    directLink: try body.decodeIfPresent("directLink") ?? true,
                    verifiedDomain: try body.decodeIfPresent("verifiedDomain"),
                    groupShortLinkData: try body.decodeValue("groupShortLinkData")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/groups/{groupId}/connect",
            "joinPreparedGroup",
            .connectPreparedGroup,
            category: "Groups",
            policy: .storeData,
            success: .accepted
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .groups(
                .connectPreparedGroup(
                    groupId: try context.parseID("groupId"),
                    incognito: try body.decodeIfPresent("incognito") ?? false,
                    ownerContact: try body.decodeIfPresent("ownerContact"),
                    msg: try body.decodeNewContent("msg")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/enable",
            "enableMember",
            .enableGroupMember,
            category: "Groups",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .groups(
                .enableGroupMember(
                    groupId: try context.parseID("groupId"),
                    groupMemberId: try context.parseID("groupMemberId")
                )
            )
        },
    ]
}

extension GroupsResource {
    /// The values of a group that clients can change.
    private static let patchedGroup = PatchedResource { context throws(ProblemDetails) in
        .groups(.groupInfo(groupId: try context.parseID("groupId")))
    } changeableValues: { response in
        guard case .groupInfo(_, let group) = response else { return [] }
        var profile = group.groupProfile
        // The public group is not shown, since a change of the profile does not change it.
        profile.publicGroup = nil
        return [
            ("profile", profile), ("access", group.groupProfile.publicGroup?.publicGroupAccess),
            ("alias", group.localAlias), ("customData", group.customData),
        ]
    }

    /// The values of a member that clients can change.
    private static let patchedMember = PatchedResource { context throws(ProblemDetails) in
        .groups(
            .groupMemberInfo(
                groupId: try context.parseID("groupId"),
                groupMemberId: try context.parseID("groupMemberId")
            )
        )
    } changeableValues: { response in
        guard case .groupMemberInfo(_, _, let member, _) = response else { return [] }
        return [
            ("settings", member.memberSettings), ("role", member.memberRole), ("blocked", member.blockedByAdmin),
        ]
    }
}
