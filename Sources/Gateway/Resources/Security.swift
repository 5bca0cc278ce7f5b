/// Verification of contacts, queues and ratchets.
enum Security {
    static let routes: [Route] = [
        Route(.get, "/v1/users/{userId}/contacts/{contactId}/code", "apiGetContactCode", room: "Security"),
        Route(.get, "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/code", "apiGetGroupMemberCode", room: "Security"),
        Route(.post, "/v1/users/{userId}/contacts/{contactId}/verify", "apiVerifyContact", room: "Security"),
        Route(.post, "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/verify", "apiVerifyGroupMember", room: "Security"),
        Route(.post, "/v1/users/{userId}/contacts/{contactId}/switch", "apiSwitchContact", room: "Security"),
        Route(.post, "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/switch", "apiSwitchGroupMember", room: "Security"),
        Route(.delete, "/v1/users/{userId}/contacts/{contactId}/switch", "apiAbortSwitchContact", room: "Security"),
        Route(.delete, "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/switch", "apiAbortSwitchGroupMember", room: "Security"),
        Route(.post, "/v1/users/{userId}/contacts/{contactId}/sync", "apiSyncContactRatchet", room: "Security"),
        Route(.post, "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/sync", "apiSyncGroupMemberRatchet", room: "Security"),
    ]
}
