internal import ChatAPI

/// Routes for servers, operators and their conditions.
enum ServersResource {
    static let routes: [Route] = [
        .makeCommandRoute(
            .get,
            "/v1/server-operators",
            "listServerOperators",
            .getServerOperators,
            category: "Servers",
            policy: .secretData,
            patched: replacedOperators
        ) { _ throws(ProblemDetails) in
            .servers(.getServerOperators)
        },
        .makeCommandRoute(
            .put,
            "/v1/server-operators",
            "setServerOperators",
            .setServerOperators,
            category: "Servers",
            policy: .secretData,
            patched: replacedOperators
        ) { context throws(ProblemDetails) in
            .servers(.setServerOperators(operators: try context.parseBody().decodeValue("operators")))
        },
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/servers",
            "listServers",
            .getUserServers,
            category: "Servers",
            policy: .secretData,
            patched: replacedServers
        ) { context throws(ProblemDetails) in
            .servers(.getUserServers(userId: try context.parseID("userId")))
        },
        .makeCommandRoute(
            .put,
            "/v1/users/{userId}/servers",
            "setServers",
            .setUserServers,
            category: "Servers",
            policy: .secretData,
            patched: replacedServers
        ) { context throws(ProblemDetails) in
            .servers(
                .setUserServers(
                    userId: try context.parseID("userId"),
                    userServers: try context.parseBody().decodeValue("userServers")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/servers/validate",
            "validateServers",
            .validateServers,
            category: "Servers",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            .servers(
                .validateServers(
                    userId: try context.parseID("userId"),
                    userServers: try context.parseBody().decodeValue("userServers")
                )
            )
        },
        .makeCommandRoute(
            .get,
            "/v1/usage-conditions",
            "getUsageConditions",
            .getUsageConditions,
            category: "Servers",
            policy: .secretData,
            cached: true
        ) { _ throws(ProblemDetails) in
            .servers(.getUsageConditions)
        },
        .makeCommandRoute(
            .post,
            "/v1/usage-conditions/{conditionsId}/accept",
            "acceptUsageConditions",
            .acceptConditions,
            category: "Servers",
            policy: .secretData
        ) {
            context throws(ProblemDetails) in
            .servers(
                .acceptConditions(
                    conditionsId: try context.parseID("conditionsId"),
                    operatorIds: try context.parseBody().decodeValue("operatorIds")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/usage-conditions/{conditionsId}/notified",
            "markUsageConditionsShown",
            .setConditionsNotified,
            category: "Servers",
            policy: .secretData
        ) {
            context throws(ProblemDetails) in
            .servers(.setConditionsNotified(conditionsId: try context.parseID("conditionsId")))
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/servers/test",
            "testServer",
            .testProtoServer,
            category: "Servers",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            .servers(
                .testProtoServer(
                    userId: try context.parseID("userId"),
                    server: try context.parseBody().decodeValue("server")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/relays/test",
            "testChatRelay",
            .testChatRelay,
            category: "Servers",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            .servers(
                .testChatRelay(
                    userId: try context.parseID("userId"),
                    address: try context.parseBody().decodeValue("address")
                )
            )
        },
    ]

    // A profile's servers are listed with their operators, so changes of servers and changes of operators share a lock.
    private static let lockName = "servers"

    private static let replacedOperators = PatchedResource(lockName: lockName) { _ throws(ProblemDetails) in
        .servers(.getServerOperators)
    } changeableValues: { response in
        guard case .serverOperatorConditions(let conditions) = response else { return [] }
        return [("operators", conditions.serverOperators)]
    }

    private static let replacedServers = PatchedResource(lockName: lockName) { context throws(ProblemDetails) in
        .servers(.getUserServers(userId: try context.parseID("userId")))
    } changeableValues: { response in
        guard case .userServers(_, let servers) = response else { return [] }
        return [("userServers", servers)]
    }
}
