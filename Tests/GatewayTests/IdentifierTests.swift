import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite(.socketTimeLimit) struct IdentifierTests {
    @Test
    func `An unknown user gets 404 at every route that has a user`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            for route in Route.commandRoutes where route.parameterNames.contains("userId") {
                let answer = try await client.callRoute(route, user: "99", id: "1")
                #expect(
                    answer.status == 404 || Self.excludedOperations.contains(route.operationID),
                    "\(route.operationID): \(answer.text)"
                )
            }
        }
    }

    /// Routes that report another error before the unknown id: a missing cursor or file name, no picture, nothing to
    /// forward, no desktop found, a path out of the folder, or pages that are not read.
    private static let excludedOperations: Set = [
        "uploadFile", "uploadWallpaper", "listModelChanges", "openModelSocket", "listSessionChanges",
        "openSessionSocket",
        "forwardMessages", "confirmController", "storeRemoteHostFile",
        "readLinkPreview",
    ]

    /// Routes at which the gateway ignores unknown ids, as the original does.
    private static let ignoringOperations: Set = [
        "deleteDraft", "deleteTag", "setTag", "markUsageConditionsShown", "deleteController",
        "stopRemoteHostSession",
    ]

    @Test
    func `An id that is unknown or belongs to another profile gets 404 at every route`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (ofAlice, _) = try await client.connectUsers(alice, bob)
            _ = try await client.connectUsers(bob, client.createUser("carol"))
            let ofBob = try await client.call("GET", "/v1/users/\(bob)/contacts").json["contacts"]?.arrayValue?
                .compactMap { $0["contactId"]?.integerValue }
            let stranger = try #require(ofBob?.max())
            #expect(ofAlice != stranger)
            let chat = try await client.call("GET", "/v1/users/\(bob)/chats/direct/\(stranger)").json["chat"]
            let foreignItem = try #require(chat?["chatItems"]?[0]?["meta"]?["itemId"]?.integerValue)
            for route in Route.commandRoutes
            where route.parameterNames.contains(where: { $0 != "userId" && $0 != "chatType" }) {
                for type in ["direct", "contactConnection"] {
                    for id in [99, stranger] {
                        let answer = try await client.callRoute(route, user: "\(alice)", chatType: type, id: "\(id)")
                        let refused =
                            try answer.status == 404
                            || answer.status == 422
                                && answer.json["chatError"]?["errorType"]?["message"] == "not supported"
                        #expect(
                            refused || Self.ignoringOperations.contains(route.operationID)
                                || Self.excludedOperations.contains(route.operationID),
                            "\(route.operationID) \(type) \(id): \(answer.text)"
                        )
                    }
                }
                guard route.parameterNames.contains("itemId") else { continue }
                for item in [9_999, foreignItem] {
                    let path =
                        route.path(user: "\(alice)", id: "\(ofAlice)").replacing(
                            "/messages/\(ofAlice)",
                            with: "/messages/\(item)"
                        ) + route.requiredQuery
                    let answer = try await client.call(route.method.rawValue, path, body: route.sampleBody?.text)
                    #expect(
                        answer.status == 404,
                        "\(route.operationID) \(item): \(answer.text)"
                    )
                }
            }
        }
    }

    @Test(arguments: [
        ("PATCH", "/v1/users/1/chats/direct/99", #"{"ttlSeconds":3600}"#),
        ("PATCH", "/v1/users/1/chats/direct/99", #"{"ttlSeconds":null}"#),
        ("PATCH", "/v1/users/1/chats/local/99", #"{"ttlSeconds":3600}"#),
        ("PATCH", "/v1/users/1/chats/direct/99", #"{"tagIds":[]}"#),
        ("PATCH", "/v1/users/1/chats/direct/99", #"{"settings":{"enableNtfs":"all","favorite":false}}"#),
        ("PATCH", "/v1/users/1/contacts/99", #"{"alias":"a"}"#),
        ("PATCH", "/v1/users/1/contacts/99", #"{"preferences":{}}"#),
        ("PATCH", "/v1/users/1/contacts/99", #"{"customData":{}}"#),
        ("PATCH", "/v1/users/1/chats/direct/99", #"{"themes":null}"#),
    ])
    func `A change of a setting of an unknown chat or contact gets 404`(
        method: String,
        path: String,
        body: String
    ) async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let answer = try await client.call(method, path, body: body)
            #expect(answer.status == 404, "\(answer.text)")
        }
    }

    @Test(arguments: ["0", "-1", "+1", "x", "1.0", "99999999999999999999", "%F0%9F%98%80", "1%20"])
    func `An invalid id in the path gets 400 at every route of a command`(id: String) async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectClient()
            for route in Route.commandRoutes where !route.parameterNames.isEmpty {
                let answer = try await client.callRoute(route, user: id, id: id)
                #expect(answer.status == 400, "\(route.operationID): \(answer.text)")
            }
        }
    }

    @Test(arguments: [("%00", 400), ("%FF", 400), ("%", 400), ("%4", 400), ("", 404)])
    func `An id with invalid percent escapes in a path gets 400, and a path without the id gets 404`(
        id: String,
        status: Int
    ) async throws {
        try await ServedGateway.run { served in
            let answer = try await served.connectClient().call("GET", "/v1/users/\(id)/chats")
            #expect(answer.status == status)
        }
    }
}

extension HTTPClient {
    /// Calls a route with a valid query and a valid body.
    func callRoute(_ route: Route, user: String = "1", chatType: String = "direct", id: String) async throws -> Answer {
        try await call(
            route.method.rawValue,
            route.path(user: user, chatType: chatType, id: id) + route.requiredQuery,
            body: route.sampleBody?.text
        )
    }
}
