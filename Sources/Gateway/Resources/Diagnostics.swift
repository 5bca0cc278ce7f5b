internal import ChatAPI

/// Routes for the state of the core.
enum DiagnosticsResource {
    static let routes: [Route] = [
        .makeCommandRoute(
            .get,
            "/v1/version",
            "getVersion",
            .showVersion,
            category: "Diagnostics",
            policy: .storeData
        ) { _ throws(ProblemDetails) in
            .diagnostics(.showVersion)
        },
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/diagnostics/subscriptions",
            "getSubscriptionCounts",
            .getAgentSubsTotal,
            category: "Diagnostics",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .diagnostics(.getAgentSubsTotal(userId: try context.parseID("userId")))
        },
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/diagnostics/servers",
            "getServerStatistics",
            .getAgentServersSummary,
            category: "Diagnostics",
            policy: .storeData
        ) {
            context throws(ProblemDetails) in
            .diagnostics(.getAgentServersSummary(userId: try context.parseID("userId")))
        },
        .makeCommandRoute(
            .get,
            "/v1/diagnostics/statements",
            "getSlowStatements",
            .slowSQLQueries,
            category: "Diagnostics",
            policy: .wholeStore
        ) { _ throws(ProblemDetails) in
            .diagnostics(.slowSQLQueries)
        },
        .makeCommandRoute(
            .delete,
            "/v1/diagnostics/servers",
            "resetServerStatistics",
            .resetAgentServersStats,
            category: "Diagnostics",
            policy: .storeData
        ) { _ throws(ProblemDetails) in
            .diagnostics(.resetAgentServersStats)
        },
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/contacts/{contactId}/queue",
            "getContactQueue",
            .contactQueueInfo,
            category: "Diagnostics",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .diagnostics(.contactQueueInfo(contactId: try context.parseID("contactId")))
        },
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/queue",
            "getMemberQueue",
            .groupMemberQueueInfo,
            category: "Diagnostics",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .diagnostics(
                .groupMemberQueueInfo(
                    groupId: try context.parseID("groupId"),
                    groupMemberId: try context.parseID("groupMemberId")
                )
            )
        },
        .makeCommandRoute(
            .get,
            "/v1/diagnostics/network-statuses",
            "listNetworkStatuses",
            .getNetworkStatuses,
            category: "Diagnostics",
            policy: .storeData,
            success: .page(ListPages.selectNetworkStatuses)
        ) { context throws(ProblemDetails) in
            _ = try context.parsePage()
            return .diagnostics(.getNetworkStatuses)
        },
    ]
}
