internal import ChatAPI

/// Routes for servers, operators and their conditions.
enum ServersResource {
    static let routes: [Route] = [
        .command(
            .get,
            "/v1/server-operators",
            "listServerOperators",
            .getServerOperators,
            category: "Servers",
            policy: .secrets,
            patched: replacedOperators
        ) { _ throws(ProblemDetails) in
            .servers(.getServerOperators)
        },
        .command(
            .put,
            "/v1/server-operators",
            "setServerOperators",
            .setServerOperators,
            category: "Servers",
            policy: .secrets,
            patched: replacedOperators
        ) { context throws(ProblemDetails) in
            .servers(.setServerOperators(operators: try context.body().value("operators")))
        },
        .command(
            .get,
            "/v1/users/{userId}/servers",
            "listServers",
            .getUserServers,
            category: "Servers",
            policy: .secrets,
            patched: replacedServers
        ) { context throws(ProblemDetails) in
            .servers(.getUserServers(userId: try context.id("userId")))
        },
        .command(
            .put,
            "/v1/users/{userId}/servers",
            "setServers",
            .setUserServers,
            category: "Servers",
            policy: .secrets,
            patched: replacedServers
        ) { context throws(ProblemDetails) in
            .servers(
                .setUserServers(userId: try context.id("userId"), userServers: try context.body().value("userServers"))
            )
        },
        .command(
            .post,
            "/v1/users/{userId}/servers/validate",
            "validateServers",
            .validateServers,
            category: "Servers",
            policy: .secrets
        ) { context throws(ProblemDetails) in
            .servers(
                .validateServers(userId: try context.id("userId"), userServers: try context.body().value("userServers"))
            )
        },
        .command(
            .get,
            "/v1/usage-conditions",
            "getUsageConditions",
            .getUsageConditions,
            category: "Servers",
            policy: .secrets,
            cached: true
        ) { _ throws(ProblemDetails) in
            .servers(.getUsageConditions)
        },
        .command(
            .post,
            "/v1/usage-conditions/{conditionsId}/accept",
            "acceptUsageConditions",
            .acceptConditions,
            category: "Servers",
            policy: .secrets
        ) {
            context throws(ProblemDetails) in
            .servers(
                .acceptConditions(
                    conditionsId: try context.id("conditionsId"),
                    operatorIds: try context.body().value("operatorIds")
                )
            )
        },
        .command(
            .post,
            "/v1/usage-conditions/{conditionsId}/notified",
            "markUsageConditionsShown",
            .setConditionsNotified,
            category: "Servers",
            policy: .secrets
        ) {
            context throws(ProblemDetails) in
            .servers(.setConditionsNotified(conditionsId: try context.id("conditionsId")))
        },
        .command(
            .post,
            "/v1/users/{userId}/servers/test",
            "testServer",
            .testProtoServer,
            category: "Servers",
            policy: .secrets
        ) { context throws(ProblemDetails) in
            .servers(.testProtoServer(userId: try context.id("userId"), server: try context.body().value("server")))
        },
        .command(
            .post,
            "/v1/users/{userId}/relays/test",
            "testChatRelay",
            .testChatRelay,
            category: "Servers",
            policy: .secrets
        ) { context throws(ProblemDetails) in
            .servers(.testChatRelay(userId: try context.id("userId"), address: try context.body().value("address")))
        },
    ]

    // A profile's servers are listed with their operators, so changes of both share a lock.
    private static let turns = "servers"

    private static let replacedOperators = PatchedResource(turns: turns) { _ throws(ProblemDetails) in
        .servers(.getServerOperators)
    } values: { response in
        guard case .serverOperatorConditions(let conditions) = response else { return [] }
        return [("operators", conditions.serverOperators)]
    }

    private static let replacedServers = PatchedResource(turns: turns) { context throws(ProblemDetails) in
        .servers(.getUserServers(userId: try context.id("userId")))
    } values: { response in
        guard case .userServers(_, let servers) = response else { return [] }
        return [("userServers", servers)]
    }
}
