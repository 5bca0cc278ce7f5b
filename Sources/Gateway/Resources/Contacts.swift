/// Contacts.
enum Contacts {
    static let routes: [Route] = [
        Route(.post, "/v1/users/{userId}/connections/invitations", "apiAddContact", room: "Contacts"),
        Route(.post, "/v1/users/{userId}/connections", "apiConnect", room: "Contacts"),
        Route(.post, "/v1/users/{userId}/connections/plan", "apiConnectPlan", room: "Contacts"),
        Route(.post, "/v1/users/{userId}/contacts/prepared", "apiPrepareContact", room: "Contacts"),
        Route(.post, "/v1/users/{userId}/contacts/{contactId}/connect", "apiConnectPreparedContact", room: "Contacts"),
        Route(.post, "/v1/users/{userId}/contacts/{contactId}/connect-via-address", "apiConnectContactViaAddress", room: "Contacts"),
        Route(.post, "/v1/users/{userId}/contact-requests/{contactReqId}/accept", "apiAcceptContact", room: "Contacts"),
        Route(.post, "/v1/users/{userId}/contact-requests/{contactReqId}/reject", "apiRejectContact", room: "Contacts"),
        Route(.delete, "/v1/users/{userId}/chats/{chatType}/{chatId}", "apiDeleteChat", room: "Contacts"),
        Route(.post, "/v1/users/{userId}/chats/{chatType}/{chatId}/clear", "apiClearChat", room: "Contacts"),
        Route(.get, "/v1/users/{userId}/contacts", "apiListContacts", room: "Contacts"),
        Route(.put, "/v1/users/{userId}/contacts/{contactId}/preferences", "apiSetContactPrefs", room: "Contacts"),
        Route(.put, "/v1/users/{userId}/contacts/{contactId}/alias", "apiSetContactAlias", room: "Contacts"),
        Route(.put, "/v1/users/{userId}/contacts/{contactId}/custom-data", "apiSetContactCustomData", room: "Contacts"),
        Route(.put, "/v1/users/{userId}/connections/{connId}/alias", "apiSetConnectionAlias", room: "Contacts"),
        Route(.get, "/v1/users/{userId}/contacts/{contactId}", "apiContactInfo", room: "Contacts"),
        Route(.put, "/v1/users/{userId}/connections/{connId}/incognito", "apiSetConnectionIncognito", room: "Contacts"),
        Route(.put, "/v1/users/{userId}/connections/{connId}/user", "apiChangeConnectionUser", room: "Contacts"),
        Route(.put, "/v1/users/{userId}/contacts/{contactId}/user", "apiChangePreparedContactUser", room: "Contacts"),
        Route(.post, "/v1/users/{userId}/contacts/{contactId}/enable", "apiEnableContact", room: "Contacts"),
    ]
}
