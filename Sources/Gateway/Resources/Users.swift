/// Users.
enum Users {
    static let routes: [Route] = [
        Route(.get, "/v1/users/active", "showActiveUser", room: "Users"),
        Route(.post, "/v1/users", "createActiveUser", room: "Users"),
        Route(.get, "/v1/users", "listUsers", room: "Users"),
        Route(.post, "/v1/users/{userId}/activate", "apiSetActiveUser", room: "Users"),
        Route(.post, "/v1/users/{userId}/hide", "apiHideUser", room: "Users"),
        Route(.post, "/v1/users/{userId}/unhide", "apiUnhideUser", room: "Users"),
        Route(.post, "/v1/users/{userId}/mute", "apiMuteUser", room: "Users"),
        Route(.post, "/v1/users/{userId}/unmute", "apiUnmuteUser", room: "Users"),
        Route(.delete, "/v1/users/{userId}", "apiDeleteUser", room: "Users"),
        Route(.put, "/v1/users/{userId}/profile", "apiUpdateProfile", room: "Users"),
        Route(.put, "/v1/settings/receipts", "setAllContactReceipts", room: "Users"),
        Route(.put, "/v1/users/{userId}/receipts/contacts", "apiSetUserContactReceipts", room: "Users"),
        Route(.put, "/v1/users/{userId}/receipts/groups", "apiSetUserGroupReceipts", room: "Users"),
        Route(.put, "/v1/users/{userId}/auto-accept-member-contacts", "apiSetUserAutoAcceptMemberContacts", room: "Users"),
        Route(.put, "/v1/users/{userId}/auto-accept-group-invitations", "apiSetUserAutoAcceptGroupInvitations", room: "Users"),
        Route(.post, "/v1/users/{userId}/read", "apiUserRead", room: "Users"),
    ]
}
