internal import ChatAPI
internal import JSON

/// Routes for groups and their members.
enum GroupsResource {
    static let routes = groupRoutes + memberRoutes

    private static let groupRoutes: [Route] = [
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
            scopes: [.read, .write],
            policy: .storeData,
            of: patchedGroup
        ) { context, patch throws(ProblemDetails) in
            let id = try context.parseID("groupId")
            patch.setMember("profile") { [.groups(.updateGroupProfile(groupId: id, groupProfile: $0))] }
            patch.setMember("access") { [.groups(.setPublicGroupAccess(groupId: id, access: $0))] }
            patch.setOrDeleteMember("alias") { .groups(.setGroupAlias(groupId: id, localAlias: $0 ?? "")) }
            patch.setOrDeleteMember("customData") { (data: ArbitraryObject?) in
                .groups(.setGroupCustomData(groupId: id, customData: data?.members))
            }
            patch.setMember("userId") { [.groups(.changePreparedGroupUser(groupId: id, newUserId: $0))] }
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
            "/v1/users/{userId}/groups/{groupId}/leave",
            "leaveGroup",
            .leaveGroup,
            category: "Groups",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .groups(.leaveGroup(groupId: try context.parseID("groupId")))
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
    ]
}

extension GroupsResource {
    /// The values that clients can change in a group.
    private static let patchedGroup = PatchedResource { context throws(ProblemDetails) in
        .groups(.groupInfo(groupId: try context.parseID("groupId")))
    } changeableValues: { response in
        guard case .groupInfo(_, let group) = response else { return [] }
        var profile = group.groupProfile
        // The member `publicGroup` is left out, since a change of the profile does not change this member.
        profile.publicGroup = nil
        return [
            ("profile", profile), ("access", group.groupProfile.publicGroup?.publicGroupAccess),
            ("alias", group.localAlias), ("customData", group.customData),
        ]
    }
}
