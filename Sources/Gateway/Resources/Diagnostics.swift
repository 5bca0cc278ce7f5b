/// What the core says of itself.
enum Diagnostics {
    static let routes: [Route] = [
        Route(.get, "/v1/version", "showVersion", room: "Diagnostics"),
        Route(.get, "/v1/users/{userId}/diagnostics/subscriptions", "getAgentSubsTotal", room: "Diagnostics"),
        Route(.get, "/v1/users/{userId}/diagnostics/servers", "getAgentServersSummary", room: "Diagnostics"),
        Route(.delete, "/v1/diagnostics/servers", "resetAgentServersStats", room: "Diagnostics"),
        Route(.get, "/v1/users/{userId}/contacts/{contactId}/queue", "apiContactQueueInfo", room: "Diagnostics"),
        Route(.get, "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/queue", "apiGroupMemberQueueInfo", room: "Diagnostics"),
        Route(.get, "/v1/diagnostics/network-statuses", "apiGetNetworkStatuses", room: "Diagnostics"),
    ]
}
