import JSON
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct SecurityTests {
    @Test
    func `The routes of a contact verify its security code, and renew its ratchet and its queue`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            var cursor: String?
            let (contact, _) = try await client.connectUsers(alice, bob)
            let path = "/v1/users/\(alice)/contacts/\(contact)"
            let shown = try await client.call("GET", path + "/code")
            #expect(shown.status == 200, "\(shown.text)")
            let code = try #require(try shown.json["connectionCode"]?.stringValue)
            #expect(try await client.post(path + "/verify", ["connectionCode": "12345"]).json["verified"] == false)
            #expect(try await client.post(path + "/verify", ["connectionCode": .string(code)]).json["verified"] == true)
            #expect(try await client.post(path + "/verify", [:]).json["verified"] == false)
            #expect(try await client.post(path + "/verify", ["connectionCode": "12 @3"]).status == 400)
            #expect(try await client.post(path + "/sync", [:]).status >= 400)
            let started = try await client.post(path + "/sync", ["force": true])
            #expect(started.status == 202, "\(started.text)")
            _ = try await client.waitForEvent(after: &cursor, "contactRatchetSync", user: alice)
            _ = try await client.waitForEvent(after: &cursor, "contactRatchetSync", user: alice)
            #expect(try await client.call("DELETE", path + "/switch").status >= 400)
            let switching = try await client.post(path + "/switch", [:])
            #expect(switching.status == 202, "\(switching.text)")
            _ = try await client.waitForEvent(after: &cursor, "contactSwitch", user: alice)
            let missing = try await client.call("GET", "/v1/users/\(alice)/contacts/99/code")
            #expect(missing.status == 404)
            let group = try await client.call("GET", "/v1/users/\(alice)/groups/1/members/1/code")
            #expect(group.status == 404)
        }
    }
}
