internal import ChatAPI

/// Routes for the state of the core.
enum DiagnosticsResource {
    static let routes: [Route] = [
        .command(
            .get,
            "/v1/version",
            "getVersion",
            .showVersion,
            category: "Diagnostics",
            policy: .data
        ) { _ throws(ProblemDetails) in
            .diagnostics(.showVersion)
        },
        .command(
            .get,
            "/v1/users/{userId}/diagnostics/subscriptions",
            "getSubscriptionCounts",
            .getAgentSubsTotal,
            category: "Diagnostics",
            policy: .data
        ) { context throws(ProblemDetails) in
            .diagnostics(.getAgentSubsTotal(userId: try context.id("userId")))
        },
        .command(
            .get,
            "/v1/users/{userId}/diagnostics/servers",
            "getServerStatistics",
            .getAgentServersSummary,
            category: "Diagnostics",
            policy: .data
        ) {
            context throws(ProblemDetails) in
            .diagnostics(.getAgentServersSummary(userId: try context.id("userId")))
        },
        .command(
            .delete,
            "/v1/diagnostics/servers",
            "resetServerStatistics",
            .resetAgentServersStats,
            category: "Diagnostics",
            policy: .data
        ) { _ throws(ProblemDetails) in
            .diagnostics(.resetAgentServersStats)
        },
        .command(
            .get,
            "/v1/users/{userId}/contacts/{contactId}/queue",
            "getContactQueue",
            .contactQueueInfo,
            category: "Diagnostics",
            policy: .data
        ) { context throws(ProblemDetails) in
            .diagnostics(.contactQueueInfo(contactId: try context.id("contactId")))
        },
        .command(
            .get,
            "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/queue",
            "getMemberQueue",
            .groupMemberQueueInfo,
            category: "Diagnostics",
            policy: .data
        ) { context throws(ProblemDetails) in
            .diagnostics(
                .groupMemberQueueInfo(
                    groupId: try context.id("groupId"),
                    groupMemberId: try context.id("groupMemberId")
                )
            )
        },
        .command(
            .get,
            "/v1/diagnostics/network-statuses",
            "listNetworkStatuses",
            .getNetworkStatuses,
            category: "Diagnostics",
            policy: .data,
            success: .page(ListPages.networkStatuses)
        ) { context throws(ProblemDetails) in
            _ = try context.page()
            return .diagnostics(.getNetworkStatuses)
        },
    ]
}
