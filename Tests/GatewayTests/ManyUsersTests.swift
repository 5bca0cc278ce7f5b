import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Several users of one store", .socketTimeLimit)
struct ManyUsersTests {
    private func readActiveUser(_ gateway: RealGateway) async throws -> JSONValue? {
        try await gateway.connectClient().call("GET", "/v1/users/active").json["user"]?["userId"]
    }

    @Test
    func `Requests of two concurrent clients for different users do not change the active user`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (bobOfAlice, aliceOfBob) = try await client.connectUsers(alice, bob)
            let carol = try await client.createUser("carol")
            #expect(try await readActiveUser(gateway) == .integer(carol))
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for (user, contact, name) in [(alice, bobOfAlice, "alice"), (bob, aliceOfBob, "bob")] {
                    tasks.addTask {
                        let client = try await gateway.connectClient()
                        for index in 0..<20 {
                            let sent = try await client.post(
                                "/v1/users/\(user)/chats/direct/\(contact)/messages",
                                textMessage("\(name) \(index)")
                            )
                            #expect(
                                try sent.json["chatItems"]?[0]?["chatInfo"]?["contact"]?["contactId"]
                                    == .integer(contact)
                            )
                            let chats = try await client.call("GET", "/v1/users/\(user)/chats").json["chats"]?
                                .arrayValue
                            #expect(
                                chats?.contains { $0["chatInfo"]?["contact"]?["contactId"] == .integer(contact) }
                                    == true
                            )
                            #expect(
                                try await client.call("GET", "/v1/users/\(user)/model").json["model"]?["currentUser"]?[
                                    "userId"
                                ] == .integer(user)
                            )
                            #expect(try await readActiveUser(gateway) == .integer(carol))
                        }
                    }
                }
                try await tasks.waitForAll()
            }
        }
    }

    /// Operations that answer with the active user, or delete a user. All of them can change the active user.
    private static let choosingOperations: Set = ["activateUser", "createUser", "deleteUser", "hideUser"]

    @Test
    func `Only routes that create, activate, hide or delete a user can change the active user`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            let bob = try await client.createUser("bob")
            for route in Route.commandRoutes
            where route.parameterNames.contains("userId") && !Self.choosingOperations.contains(route.operationID) {
                _ = try await client.callRoute(route, user: "\(alice)", id: "1")
                let active = try await client.call("GET", "/v1/users/active").json["user"]?["userId"]
                #expect(active == .integer(bob), "\(route.operationID)")
            }
        }
    }
}
