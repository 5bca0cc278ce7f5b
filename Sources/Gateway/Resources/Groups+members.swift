internal import ChatAPI
internal import JSON

/// Routes for members of groups, and for direct chats with members.
extension GroupsResource {
    static let memberRoutes: [Route] = [
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
            scopes: [.read, .write],
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

    /// The values that clients can change in a member.
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
