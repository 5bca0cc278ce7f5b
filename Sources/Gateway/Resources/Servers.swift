internal import ChatAPI

/// Servers, operators and their conditions.
enum Servers {
    static let routes: [Route] = [
        .command(.get, "/v1/server-operators", "apiGetServerOperators", room: "Servers") { _ throws(ProblemDetails) in
            .servers(.getServerOperators)
        },
        .command(.put, "/v1/server-operators", "apiSetServerOperators", room: "Servers", access: .key(.admin)) { context throws(ProblemDetails) in
            .servers(.setServerOperators(operators: try context.body().value("operators")))
        },
        .command(.get, "/v1/users/{userId}/servers", "apiGetUserServers", room: "Servers") { context throws(ProblemDetails) in
            .servers(.getUserServers(userId: try context.id("userId")))
        },
        // It can change operators, which all profiles have.
        .command(.put, "/v1/users/{userId}/servers", "apiSetUserServers", room: "Servers", access: .key(.admin)) { context throws(ProblemDetails) in
            .servers(.setUserServers(userId: try context.id("userId"), userServers: try context.body().value("userServers")))
        },
        .command(.post, "/v1/users/{userId}/servers/validate", "apiValidateServers", room: "Servers") { context throws(ProblemDetails) in
            .servers(.validateServers(userId: try context.id("userId"), userServers: try context.body().value("userServers")))
        },
        .command(.get, "/v1/usage-conditions", "apiGetUsageConditions", room: "Servers", cached: true) { _ throws(ProblemDetails) in
            .servers(.getUsageConditions)
        },
        .command(.post, "/v1/usage-conditions/{conditionsId}/accept", "apiAcceptConditions", room: "Servers", access: .key(.admin)) {
            context throws(ProblemDetails) in
            .servers(.acceptConditions(conditionsId: try context.id("conditionsId"), operatorIds: try context.body().value("operatorIds")))
        },
        .command(.post, "/v1/usage-conditions/{conditionsId}/notified", "apiSetConditionsNotified", room: "Servers", access: .key(.admin)) {
            context throws(ProblemDetails) in
            .servers(.setConditionsNotified(conditionsId: try context.id("conditionsId")))
        },
        .command(.post, "/v1/users/{userId}/servers/test", "apiTestProtoServer", room: "Servers") { context throws(ProblemDetails) in
            .servers(.testProtoServer(userId: try context.id("userId"), server: try context.body().value("server")))
        },
        Route(.post, "/v1/users/{userId}/relays/test", "apiTestChatRelay", room: "Servers"),
    ]
}
