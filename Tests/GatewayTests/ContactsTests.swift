import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite(.socketTimeLimit) struct ContactsTests {
    @Test
    func `An invitation can be made incognito and be moved to another profile`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let made = try await client.post("/v1/users/\(alice)/connections/invitations", ["incognito": true])
            #expect(made.status == 201, "\(made.text)")
            let id = try #require(try made.json["connection"]?["pccConnId"]?.integerValue)
            let place = "/v1/users/\(alice)/connections/\(id)"
            #expect(try await client.patch(place, ["incognito": true]).status == 409)
            for incognito in [false, true] {
                let set = try await client.patch(place, ["incognito": .bool(incognito)])
                #expect(set.status == 200, "\(set.text)")
                let connection = try set.json["chat"]?["chatInfo"]?["contactConnection"]
                #expect((connection?["customUserProfileId"] != nil) == incognito)
            }
            let read = try await client.call("GET", "/v1/users/\(alice)/chats/contactConnection/\(id)")
            let named = try await client.patch(place, ["alias": "for Bob"], ifMatch: read.header("etag"))
            #expect(named.status == 200, "\(named.text)")
            #expect(try named.json["chat"]?["chatInfo"]?["contactConnection"]?["localAlias"] == "for Bob")
            let late = try await client.patch(place, ["incognito": false], ifMatch: read.header("etag"))
            #expect(late.status == 412, "\(late.text)")
            for body: JSONValue in [
                ["incognito": false, "alias": "a"], ["userId": .integer(bob), "incognito": false],
            ] {
                #expect(try await client.patch(place, body).status == 422)
            }
            #expect(try await client.patch(place, ["userId": 77]).status == 404)
            let changed = try await client.patch(place, ["userId": .integer(bob)])
            #expect(changed.status == 200, "\(changed.text)")
            #expect(try await client.patch(place, ["userId": .integer(bob)]).status == 404)
            #expect(try changed.json["toConnection"]?["connLinkInv"]?["connFullLink"] != nil)
        }
    }

    @Test
    func `A contact that was prepared from a short link can be moved to another profile, and then connects`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let carol = try await client.createUser("carol")
            let made = try await client.post("/v1/users/\(alice)/connections/invitations", [:])
            let link = try #require(try made.json["connLinkInvitation"])
            let planned = try await client.post(
                "/v1/users/\(bob)/connections/plan",
                ["connLink": try #require(link["connShortLink"])]
            )
            let data = try #require(
                try planned.json["connectionPlan"]?["invitationLinkPlan"]?["contactSLinkData_"],
                "\(planned.text)"
            )
            let body: JSONValue = [
                "connLink": try #require(try planned.json["connLink"]), "contactShortLinkData": data,
            ]
            let prepared = try await client.post("/v1/users/\(bob)/contacts/prepared", body)
            #expect(prepared.status == 200, "\(prepared.text)")
            let first = try #require(try prepared.json["chat"]?["chatInfo"]?["contact"]?["contactId"]?.integerValue)
            let prepares = "/v1/users/\(bob)/contacts/\(first)"
            let mixed = try await client.patch(prepares, ["userId": .integer(carol), "alias": "a"])
            #expect(mixed.status == 422 && mixed.text.contains("userId"), "\(mixed.text)")
            let moved = try await client.patch(prepares, ["userId": .integer(carol)])
            #expect(moved.header("etag") == nil)
            #expect(try await client.patch(prepares, ["alias": "a"]).status == 404)
            #expect(moved.status == 200, "\(moved.text)")
            let contact = try #require(try moved.json["toContact"]?["contactId"]?.integerValue)
            #expect(try await client.post("/v1/users/\(carol)/contacts/\(contact + 1)/connect", [:]).status == 404)
            let started = try await client.post(
                "/v1/users/\(carol)/contacts/\(contact)/connect",
                ["incognito": true, "msg": ["type": "text", "text": "hi"]]
            )
            #expect(started.status == 202, "\(started.text)")
            #expect(try started.json["customUserProfile"]?["displayName"] != nil)
            var cursor: String?
            let told = try await client.waitForEvent(after: &cursor, "contactConnected", user: carol)
            #expect(
                told["userCustomProfile"]?["displayName"] == (try started.json["customUserProfile"]?["displayName"])
            )
            let info = try await client.call("GET", "/v1/users/\(carol)/contacts/\(contact)")
            #expect(
                try info.json["customUserProfile"]?["displayName"] == told["userCustomProfile"]?["displayName"],
                "\(info.text)"
            )
            #expect(
                try await client.post("/v1/users/\(carol)/contacts/\(contact)/connect-via-address", [:]).status == 422
            )
        }
    }

    @Test
    func `A key of one profile cannot move an invitation or a contact to another profile`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let made = try await client.post("/v1/users/\(alice)/connections/invitations", [:])
            let id = try #require(try made.json["connection"]?["pccConnId"]?.integerValue)
            let key = try KeyFile(folder: gateway.folder).addKey(name: "alice", scopes: [.read, .write], userId: alice)
                .key
            let bound = try await HTTPClient.connect(port: gateway.port, key: key.text)
            try await bound.waitForStatus(200, at: "/v1/users/\(alice)/contacts")
            #expect(
                try await bound.patch("/v1/users/\(alice)/connections/\(id)", ["userId": .integer(bob)]).status
                    == 403
            )
            let (contact, _) = try await client.connectUsers(alice, bob)
            #expect(
                try await bound.patch("/v1/users/\(alice)/contacts/\(contact)", ["userId": .integer(bob)]).status == 403
            )
        }
    }

    @Test
    func `Over HTTP, a contact can be enabled and get custom data, and an address can get a short link`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (contact, _) = try await client.connectUsers(alice, bob)
            let place = "/v1/users/\(alice)/contacts/\(contact)"
            let data: JSONValue = ["ticket": 7]
            #expect(try await client.patch(place, ["customData": data]).status == 200)
            #expect(try await client.call("GET", place).json["contact"]?["customData"] == data)
            #expect(try await client.post("\(place)/enable", [:]).status == 200)
            #expect(try await client.post("/v1/users/\(alice)/contacts/77/enable", [:]).status == 404)
            for enable in [false, true] {
                #expect(try await client.put("/v1/settings/contact-merge", ["enable": .bool(enable)]).status == 200)
            }
            let short = try await client.post("/v1/users/\(alice)/address/short-link", [:])
            #expect(short.status == 404, "\(short.text)")
            #expect(try await client.post("/v1/users/\(alice)/address", [:]).status == 201)
            let address = try await client.post("/v1/users/\(alice)/address/short-link", [:])
            #expect(
                try address.status == 200 && address.json["contactLink"]?["connLinkContact"]?["connShortLink"] != nil,
                "\(address.text)"
            )
        }
    }
}
