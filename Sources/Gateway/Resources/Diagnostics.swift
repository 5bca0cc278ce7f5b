internal import ChatAPI

/// Routes about the state of the core.
enum Diagnostics {
    static let routes: [Route] = [
        .command(.get, "/v1/version", .showVersion, room: "Diagnostics") { _ throws(ProblemDetails) in .diagnostics(.showVersion) },
        .command(.get, "/v1/users/{userId}/diagnostics/subscriptions", .getAgentSubsTotal, room: "Diagnostics") { context throws(ProblemDetails) in
            .diagnostics(.getAgentSubsTotal(userId: try context.id("userId")))
        },
        .command(.get, "/v1/users/{userId}/diagnostics/servers", .getAgentServersSummary, room: "Diagnostics") {
            context throws(ProblemDetails) in
            .diagnostics(.getAgentServersSummary(userId: try context.id("userId")))
        },
        .command(.delete, "/v1/diagnostics/servers", .resetAgentServersStats, room: "Diagnostics") { _ throws(ProblemDetails) in
            .diagnostics(.resetAgentServersStats)
        },
        .command(.get, "/v1/users/{userId}/contacts/{contactId}/queue", .contactQueueInfo, room: "Diagnostics") { context throws(ProblemDetails) in
            .diagnostics(.contactQueueInfo(contactId: try context.id("contactId")))
        },
        .command(.get, "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/queue", .groupMemberQueueInfo, room: "Diagnostics") { context throws(ProblemDetails) in
            .diagnostics(.groupMemberQueueInfo(groupId: try context.id("groupId"), groupMemberId: try context.id("groupMemberId")))
        },
        .command(.get, "/v1/diagnostics/network-statuses", .getNetworkStatuses, room: "Diagnostics") {
            _ throws(ProblemDetails) in
            .diagnostics(.getNetworkStatuses)
        },
    ]
}
