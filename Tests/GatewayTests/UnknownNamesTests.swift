import JSON
import Testing

@testable import Gateway

@Suite("Unknown names in requests", .socketTimeLimit)
struct UnknownNamesTests {
    /// Calls every route of a gateway that has a user and a second store.
    private func callAll(
        body: (Route) -> JSONValue?,
        query: String = "",
        expecting check: (Route, HTTPClient.Answer) throws -> Void
    ) async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let store = try #require(
                try await client.call("POST", "/v1/stores", body: #"{"name":"other"}"#).json["store"]?["storeId"]?
                    .stringValue
            )
            for route in RouteTable.all {
                let path = route.path(id: "1").replacing("/v1/stores/1", with: "/v1/stores/\(store)")
                // A request for the changes of a document needs a cursor, so `now` is given.
                let needed =
                    ["changes", "changes/ws"].contains { route.template.hasSuffix($0) }
                    ? "?cursor=now" : route.requiredQuery
                let target = query.isEmpty ? path : "\(path)\(needed)\(needed.isEmpty ? "?" : "&")\(query)"
                try check(route, try await client.call(route.method.rawValue, target, body: body(route)?.text))
            }
        }
    }

    @Test
    func `Every route refuses an unknown query parameter, and the answer names the parameter`() async throws {
        try await callAll(body: { $0.sampleBody }, query: "incognitoo=true") { route, answer in
            #expect(answer.status == 400, "\(route.operationID): \(answer.text)")
            #expect(
                answer.text.contains(#""code":"unknownParameter""#) && answer.text.contains("incognitoo"),
                "\(route.operationID): \(answer.text)"
            )
        }
    }

    @Test
    func `Routes refuse an unknown member of a body, and routes for DELETE refuse every body`() async throws {
        let body = { (route: Route) -> JSONValue? in
            guard route.method != .get else { return nil }
            var members = route.sampleBody?.objectValue ?? JSONObject()
            members["incognitoo"] = true
            return .object(members)
        }
        try await callAll(body: body) { route, answer in
            // Two kinds of routes are left out: the body of an upload is a file with any contents, and other programs
            // add members to the bodies of notices.
            if case .upload = route.work { return }
            guard route.method != .get, route.category != "Notices" else { return }
            #expect(answer.status == 400, "\(route.operationID): \(answer.text)")
            guard route.method != .delete else {
                let names = ["malformedRequest", "A DELETE has no body", "Current-Password"]
                #expect(names.allSatisfy(answer.text.contains), "\(route.operationID): \(answer.text)")
                return
            }
            #expect(
                answer.text.contains(#""code":"unknownMember""#) && answer.text.contains("incognitoo"),
                "\(route.operationID): \(answer.text)"
            )
        }
    }

    @Test
    func `The contract forbids additional members in each body whose schema is not a shared type`() {
        let contract = Contract.servedContract
        for route in RouteTable.all {
            guard let schema = contract.findOperation(route).flatMap({ contract.findBodySchema($0) }),
                schema["$ref"] == nil
            else { continue }
            #expect(schema["additionalProperties"] == false, "\(route.operationID)")
        }
    }

    @Test
    func `A request to connect with a misspelt member 'incognito' is refused, and creates no contact`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let invitation = try await client.call(
                "POST",
                "/v1/users/\(alice)/connections/invitations",
                body: #"{"incognito":false}"#
            ).json
            let link = try #require(invitation["connLinkInvitation"]?["connFullLink"])
            let body: JSONValue = ["connLink": link, "incognitoo": true]
            let refused = try await client.call("POST", "/v1/users/\(bob)/connections", body: body.text)
            #expect(refused.status == 400 && refused.text.contains("incognitoo"), "\(refused.text)")
            let chats = try #require(try await client.call("GET", "/v1/users/\(bob)/chats").json["chats"]?.arrayValue)
            #expect(chats.allSatisfy { $0["chatInfo"]?["type"] == "local" })
        }
    }

    @Test(arguments: [
        (
            "PUT", "/v1/users/1/profile", #"{"profile":{"displayName":"alice","fullName":"","nickname":"a"}}"#,
            "profile.nickname"
        ),
        (
            "PATCH", "/v1/users/1/contacts/1",
            #"{"preferences":{"voice":{"allow":"no","forever":true}}}"#, "preferences.voice.forever"
        ),
        (
            "PATCH", "/v1/users/1/chats/direct/1",
            #"{"settings":{"enableNtfs":"all","favorite":false,"mute":true}}"#, "settings.mute"
        ),
        (
            "PUT", "/v1/settings/app", #"{"privacyAcceptImages":true,"privacyAcceptPictures":true}"#,
            "privacyAcceptPictures"
        ),
        (
            "POST", "/v1/users/1/chats/direct/1/messages",
            #"{"composedMessages":[{"msgContent":{"type":"text","text":"a"},"quoted":1}]}"#,
            "composedMessages[0].quoted"
        ),
        (
            "PATCH", "/v1/users/1/address",
            #"{"businessAddress":false,"autoAccept":{"acceptIncognito":false,"x":1}}"#, "autoAccept.x"
        ),
    ])
    func `A body with an unknown member inside an object is refused, and the answer has the path of the member`(
        method: String,
        path: String,
        body: String,
        name: String
    ) async throws {
        try await ServedGateway.run { served in
            let answer = try await served.connectClient().call(method, path, body: body)
            #expect(
                try answer.status == 400 && answer.json["detail"]?.stringValue?.hasPrefix("\(name) ") == true,
                "\(answer.text)"
            )
        }
    }

    @Test(arguments: [
        (
            "POST", "/v1/users/1/chats/direct/1/messages",
            #"{"composedMessages":[{"msgContent":{"type":"text","text":"a","new":{"x":[1]}}}]}"#
        ),
        (
            "POST", "/v1/users/1/chats/direct/1/messages",
            #"{"composedMessages":[{"msgContent":{"type":"link","text":"a","preview":{"uri":"https://a","title":"","description":"","image":"","new":1}}}]}"#
        ),
        (
            "POST", "/v1/users/1/chats/direct/1/messages",
            #"{"composedMessages":[{"msgContent":{"type":"new","text":"a","x":{"y":1}}}]}"#
        ),
        ("PATCH", "/v1/users/1/contacts/1", #"{"customData":{"a":{"b":[1]}}}"#),
    ])
    func `The content of a message and custom data may have members that the contract does not know`(
        method: String,
        path: String,
        body: String
    ) async throws {
        try await ServedGateway.run { served in
            let answer = try await served.connectClient().call(method, path, body: body)
            // The core in memory refuses every command, so its error shows that the route accepted the body.
            #expect(try answer.status != 400 && answer.json["chatError"] != nil, "\(answer.text)")
        }
    }

    @Test
    func `A request that is refused because of an unknown member creates no store and no user`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            for (path, body) in [
                ("/v1/stores", #"{"name":"a","colour":"red"}"#),
                ("/v1/users", #"{"profile":{"displayName":"alice","fullName":""},"x":1}"#),
            ] {
                for _ in 1...2 {
                    let answer = try await client.call("POST", path, headers: [("Idempotency-Key", "same")], body: body)
                    #expect(answer.status == 400, "\(answer.text)")
                }
            }
            #expect(try await client.call("GET", "/v1/stores").json["stores"]?.arrayValue?.count == 1)
            #expect(try await client.call("GET", "/v1/users").json["users"] == [])
        }
    }
}
