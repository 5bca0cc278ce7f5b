import JSON
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct AddressTests {
    @Test
    func `The routes of an address follow the contract from its creation to its deletion`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            #expect(try await client.call("GET", "/v1/users/\(alice)/address").status == 404)
            let made = try await client.post("/v1/users/\(alice)/address", [:])
            #expect(made.status == 201 && made.header("location") == "/v1/users/\(alice)/address", "\(made.text)")
            #expect(try await client.post("/v1/users/\(alice)/address", [:]).status == 409)
            let link = try #require(try made.json["connLinkContact"]?["connFullLink"])
            let place = "/v1/users/\(alice)/address"
            let set = try await client.patch(
                place,
                ["autoReply": ["type": "text", "text": "hi"], "autoAccept": ["acceptIncognito": false]]
            )
            #expect(set.status == 200, "\(set.text)")
            #expect(try await client.call("GET", place).header("etag") == set.header("etag"))
            #expect(try await set.json == client.call("GET", place).json)
            let kept = try await client.patch(place, ["autoAccept": nil], ifMatch: set.header("etag"))
            #expect(kept.status == 200, "\(kept.text)")
            #expect(try await client.patch(place, ["autoReply": nil], ifMatch: set.header("etag")).status == 412)
            #expect(try await client.patch(place, ["autoReply": "hi"]).status == 422)
            for enable in [true, true, false] {
                let answer = try await client.patch("/v1/users/\(alice)", ["addressInProfile": .bool(enable)])
                #expect(answer.status == 200, "\(answer.text)")
                #expect(try (answer.json["user"]?["profile"]?["contactLink"] != nil) == enable)
            }
            #expect(
                try await client.call("GET", "/v1/users/\(alice)/address").json["contactLink"]?["addressSettings"]
                    == ["businessAddress": false, "autoReply": ["type": "text", "text": "hi"]]
            )

            let plan = try await client.post("/v1/users/\(bob)/connections/plan", ["connLink": link])
            #expect(try plan.json["connectionPlan"]?["contactAddressPlan"]?["type"] == "ok", "\(plan.text)")
            for _ in 0..<2 {
                let asked = try await client.post("/v1/users/\(bob)/connections", ["connLink": link])
                #expect(try asked.status == 202 && asked.json["type"] == "sentInvitation", "\(asked.text)")
            }
            var cursor: String?
            let told = try await client.waitForEvent(after: &cursor, "receivedContactRequest", user: alice)
            _ = try await client.waitForEvent(after: &cursor, "receivedContactRequest", user: alice)
            let request = try #require(told["contactRequest"]?["contactRequestId"]?.integerValue)
            // The contact request belongs to alice, so bob's request to accept it gets 404.
            #expect(try await client.post("/v1/users/\(bob)/contact-requests/\(request)/accept", [:]).status == 404)
            let accepted = try await client.post("/v1/users/\(alice)/contact-requests/\(request)/accept", [:])
            #expect(accepted.status == 202, "\(accepted.text)")
            _ = try await client.waitForEvent(after: &cursor, "contactConnected", user: alice)
            #expect(
                try await client.post("/v1/users/\(alice)/contact-requests/\(request + 1)/reject", [:]).status == 404
            )
            let deleted = try await client.call("DELETE", "/v1/users/\(alice)/address")
            #expect(deleted.status == 200, "\(deleted.text)")
            #expect(try await client.call("DELETE", "/v1/users/\(alice)/address").status == 404)
        }
    }

    @Test
    func `The rejection of a contact request returns the request, and a second rejection gets 404`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let link = try #require(try await client.post("/v1/users/\(alice)/address", [:]).json["connLinkContact"])
            let asked = try await client.post("/v1/users/\(bob)/connections", ["connLink": link])
            #expect(asked.status == 202, "\(asked.text)")
            var cursor: String?
            let told = try await client.waitForEvent(after: &cursor, "receivedContactRequest", user: alice)
            let request = try #require(told["contactRequest"]?["contactRequestId"]?.integerValue)
            let rejected = try await client.post("/v1/users/\(alice)/contact-requests/\(request)/reject", [:])
            #expect(rejected.status == 200, "\(rejected.text)")
            #expect(try rejected.json["contactRequest"]?["localDisplayName"] == "bob")
            #expect(try await client.post("/v1/users/\(alice)/contact-requests/\(request)/reject", [:]).status == 404)
            #expect(try await client.call("GET", "/v1/users/\(alice)/contacts").json["contacts"] == [])
        }
    }
}
