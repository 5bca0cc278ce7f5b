internal import ChatAPI

/// Verification of contacts, queues and ratchets.
enum Security {
    static let routes: [Route] = [
        .command(.get, "/v1/users/{userId}/contacts/{contactId}/code", "apiGetContactCode", room: "Security") { context throws(ProblemDetails) in
            .security(.getContactCode(contactId: try context.id("contactId")))
        },
        Route(.get, "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/code", "apiGetGroupMemberCode", room: "Security"),
        .command(.post, "/v1/users/{userId}/contacts/{contactId}/verify", "apiVerifyContact", room: "Security") { context throws(ProblemDetails) in
            .security(
                .verifyContact(contactId: try context.id("contactId"), connectionCode: try context.body().connectionCode()))
        },
        Route(.post, "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/verify", "apiVerifyGroupMember", room: "Security"),
        .command(
            .post, "/v1/users/{userId}/contacts/{contactId}/switch", "apiSwitchContact", room: "Security", success: .accepted
        ) { context throws(ProblemDetails) in
            .security(.switchContact(contactId: try context.id("contactId")))
        },
        Route(.post, "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/switch", "apiSwitchGroupMember", room: "Security"),
        .command(.delete, "/v1/users/{userId}/contacts/{contactId}/switch", "apiAbortSwitchContact", room: "Security") { context throws(ProblemDetails) in
            .security(.abortSwitchContact(contactId: try context.id("contactId")))
        },
        Route(.delete, "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/switch", "apiAbortSwitchGroupMember", room: "Security"),
        .command(
            .post, "/v1/users/{userId}/contacts/{contactId}/sync", "apiSyncContactRatchet", room: "Security", success: .accepted
        ) { context throws(ProblemDetails) in
            .security(
                .syncContactRatchet(contactId: try context.id("contactId"), force: try context.body().optional("force") ?? false))
        },
        Route(.post, "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/sync", "apiSyncGroupMemberRatchet", room: "Security"),
    ]
}

extension RequestBody {
    /// The code that the contact's program shows: digits and spaces. None takes the verification back.
    fileprivate func connectionCode() throws(ProblemDetails) -> String? {
        guard let code: String = try optional("connectionCode") else { return nil }
        guard !code.isEmpty, code.utf8.allSatisfy({ $0 == UInt8(ascii: " ") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            throw ProblemDetails(.invalidParameter, "connectionCode must be digits and spaces.")
        }
        return code
    }
}
