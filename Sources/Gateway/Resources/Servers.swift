/// Servers, operators and their conditions.
enum Servers {
    static let routes: [Route] = [
        Route(.get, "/v1/server-operators", "apiGetServerOperators", room: "Servers"),
        Route(.put, "/v1/server-operators", "apiSetServerOperators", room: "Servers"),
        Route(.get, "/v1/users/{userId}/servers", "apiGetUserServers", room: "Servers"),
        Route(.put, "/v1/users/{userId}/servers", "apiSetUserServers", room: "Servers"),
        Route(.post, "/v1/users/{userId}/servers/validate", "apiValidateServers", room: "Servers"),
        Route(.get, "/v1/usage-conditions", "apiGetUsageConditions", room: "Servers"),
        Route(.post, "/v1/usage-conditions/{conditionsId}/accept", "apiAcceptConditions", room: "Servers"),
        Route(.post, "/v1/usage-conditions/{conditionsId}/notified", "apiSetConditionsNotified", room: "Servers"),
        Route(.post, "/v1/users/{userId}/servers/test", "apiTestProtoServer", room: "Servers"),
        Route(.post, "/v1/users/{userId}/relays/test", "apiTestChatRelay", room: "Servers"),
    ]
}
