internal import ChatAPI

/// Routes for the verification of contacts and members, and for their queues and ratchets.
enum SecurityResource {
    static let routes: [Route] = [
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/contacts/{contactId}/code",
            "getContactCode",
            .getContactCode,
            category: "Security",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            .security(.getContactCode(contactId: try context.parseID("contactId")))
        },
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/code",
            "getMemberCode",
            .getGroupMemberCode,
            category: "Security",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            .security(
                .getGroupMemberCode(
                    groupId: try context.parseID("groupId"),
                    groupMemberId: try context.parseID("groupMemberId")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/contacts/{contactId}/verify",
            "verifyContact",
            .verifyContact,
            category: "Security",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            .security(
                .verifyContact(
                    contactId: try context.parseID("contactId"),
                    connectionCode: try context.parseBody().decodeConnectionCode()
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/verify",
            "verifyMember",
            .verifyGroupMember,
            category: "Security",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            .security(
                .verifyGroupMember(
                    groupId: try context.parseID("groupId"),
                    groupMemberId: try context.parseID("groupMemberId"),
                    connectionCode: try context.parseBody().decodeConnectionCode()
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/contacts/{contactId}/switch",
            "switchContactQueue",
            .switchContact,
            category: "Security",
            policy: .secretData,
            success: .accepted
        ) { context throws(ProblemDetails) in
            .security(.switchContact(contactId: try context.parseID("contactId")))
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/switch",
            "switchMemberQueue",
            .switchGroupMember,
            category: "Security",
            policy: .secretData,
            success: .accepted
        ) { context throws(ProblemDetails) in
            .security(
                .switchGroupMember(
                    groupId: try context.parseID("groupId"),
                    groupMemberId: try context.parseID("groupMemberId")
                )
            )
        },
        .makeCommandRoute(
            .delete,
            "/v1/users/{userId}/contacts/{contactId}/switch",
            "abortContactQueueSwitch",
            .abortSwitchContact,
            category: "Security",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            .security(.abortSwitchContact(contactId: try context.parseID("contactId")))
        },
        .makeCommandRoute(
            .delete,
            "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/switch",
            "abortMemberQueueSwitch",
            .abortSwitchGroupMember,
            category: "Security",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            .security(
                .abortSwitchGroupMember(
                    groupId: try context.parseID("groupId"),
                    groupMemberId: try context.parseID("groupMemberId")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/contacts/{contactId}/sync",
            "syncContactEncryption",
            .syncContactRatchet,
            category: "Security",
            policy: .secretData,
            success: .accepted
        ) { context throws(ProblemDetails) in
            .security(
                .syncContactRatchet(
                    contactId: try context.parseID("contactId"),
                    force: try context.parseBody().decodeIfPresent("force") ?? false
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/sync",
            "syncMemberEncryption",
            .syncGroupMemberRatchet,
            category: "Security",
            policy: .secretData,
            success: .accepted
        ) { context throws(ProblemDetails) in
            .security(
                .syncGroupMemberRatchet(
                    groupId: try context.parseID("groupId"),
                    groupMemberId: try context.parseID("groupMemberId"),
                    force: try context.parseBody().decodeIfPresent("force") ?? false
                )
            )
        },
    ]
}

extension RequestBody {
    /// Reads the code that the program of the peer shows: digits and spaces. A request without a code removes the
    /// verification.
    fileprivate func decodeConnectionCode() throws(ProblemDetails) -> String? {
        guard let code: String = try decodeIfPresent("connectionCode") else { return nil }
        guard !code.isEmpty,
            code.utf8.allSatisfy({ $0 == UInt8(ascii: " ") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else {
            throw ProblemDetails(member: "connectionCode", "must be digits and spaces.", as: .invalidParameter)
        }
        return code
    }
}
