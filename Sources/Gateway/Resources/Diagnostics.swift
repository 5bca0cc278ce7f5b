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
            .diagnostics(.getAgentSubsTotal(userId: try context.parseID("userId")))
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
            .diagnostics(.getAgentServersSummary(userId: try context.parseID("userId")))
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
            .diagnostics(.contactQueueInfo(contactId: try context.parseID("contactId")))
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
                    groupId: try context.parseID("groupId"),
                    groupMemberId: try context.parseID("groupMemberId")
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
            success: .page(ListPages.selectNetworkStatuses)
        ) { context throws(ProblemDetails) in
            _ = try context.parsePage()
            return .diagnostics(.getNetworkStatuses)
        },
    ]
}
