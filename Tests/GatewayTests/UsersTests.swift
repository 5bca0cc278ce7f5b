import JSON
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct UsersTests {
    @Test
    func `The creation of a user is answered with 201 and the user's path, and the user is listed`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let answer = try await client.post("/v1/users", ["profile": ["displayName": "alice", "fullName": ""]])
            #expect(answer.status == 201)
            #expect(answer.header("location") == "/v1/users/1")
            #expect(try answer.json["type"] == "activeUser")
            #expect(try await client.call("GET", "/v1/users").json["users"]?.arrayValue?.count == 1)
            _ = try await client.createUser("bob")
            #expect(try await client.call("GET", "/v1/users").json["users"]?.arrayValue?.count == 2)
        }
    }

    @Test
    func `A user that is created with 'activate: false' is inactive, except for the first user of a store`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            for (name, isActive) in [("alice", true), ("bob", false)] {
                let body: JSONValue = ["profile": ["displayName": .string(name), "fullName": ""], "activate": false]
                let answer = try await client.post("/v1/users", body)
                #expect(try answer.status == 201 && answer.json["user"]?["activeUser"] == .bool(isActive), "\(name)")
            }
            #expect(try await client.call("GET", "/v1/users/active").json["user"]?["userId"] == 1)
            #expect(try await client.call("GET", "/v1/users").json["users"]?.arrayValue?.count == 2)
            // An inactive user also has a chat for notes, and can be activated.
            let note = try await client.post("/v1/users/2/chats/local/1/messages", ["text": "a note"])
            #expect(note.status == 201, "\(note.text)")
            #expect(try await client.post("/v1/users/2/activate", [:]).json["user"]?["activeUser"] == true)
        }
    }

    @Test
    func `The setting 'clientService' of a profile can be switched off only while the chat is stopped`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let body: JSONValue = ["profile": ["displayName": "alice", "fullName": ""], "clientService": true]
            #expect(try await client.post("/v1/users", body).status == 201)
            let refused = try await client.patch("/v1/users/1", ["clientService": false])
            #expect(try refused.status == 409 && refused.json["chatError"]?["errorType"]?["type"] == "chatNotStopped")
            #expect(try await client.post("/v1/core/stop", [:]).status == 200)
            let changed = try await client.patch("/v1/users/1", ["clientService": false])
            #expect(try changed.status == 200 && changed.json["user"]?["clientService"] == false, "\(changed.text)")
            #expect(try await client.call("GET", "/v1/users/1").json["user"]?["clientService"] == false)
        }
    }

    @Test
    func `A hidden user is deleted only with the right password in the header 'Current-Password'`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = (try await client.createUser("alice"), try await client.createUser("bob"))
            #expect(try await client.post("/v1/users/1/hide", ["viewPwd": "ключ %"]).status == 200)
            let place = "/v1/users/1?delSMPQueues=false"
            for headers in [[], [("Current-Password", "wrong")]] {
                #expect(try await client.call("DELETE", place, headers: headers).status >= 400)
            }
            let password = [("Current-Password", "%D0%BA%D0%BB%D1%8E%D1%87%20%25")]
            #expect(try await client.call("DELETE", place, headers: password).status == 200)
            #expect(try await client.call("DELETE", place, headers: password).status == 404)
        }
    }

    @Test
    func `A request with a name in use or without an active user gets 409, and one for an unknown user gets 404`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            #expect(try await client.call("GET", "/v1/users/active").status == 409)
            _ = try await client.createUser("alice")
            let taken = try await client.post("/v1/users", ["profile": ["displayName": "alice", "fullName": ""]])
            #expect(taken.status == 409)
            #expect(try taken.json["chatError"]?["type"] != nil)
            #expect(try await client.call("GET", "/v1/users/99/chats").status == 404)
            #expect(try await client.call("GET", "/v1/users/x/chats").status == 400)
        }
    }

    @Test
    func `An invalid name of a user gets 422 with the nearest valid name, if such a name exists`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            for (name, nearest) in [("Dr. X", "Dr X"), ("O'Neil", "ONeil"), ("Anna (work)", "Anna work"), ("'", "")] {
                let profile: JSONValue = ["displayName": .string(name), "fullName": ""]
                let answer = try await client.post("/v1/users", ["profile": profile])
                #expect(answer.status == 422)
                #expect(try answer.json["chatError"]?["errorType"]?["validName"] == .string(nearest))
                let detail = try answer.json["detail"]?.stringValue ?? ""
                let end = nearest.isEmpty ? "in a row." : "The nearest one is “\(nearest)”."
                #expect(detail.hasSuffix(end), "\(detail)")
            }
            #expect(try await client.createUser("Anna work") == 1)
        }
    }

    @Test(arguments: [
        ("no json", 400), ("[1]", 400), ("\"text\"", 400), (#"{"profile":1}"#, 422),
        (#"{"profile":{"displayName":1}}"#, 422),
        (#"{"profile":{"displayName":"a","displayName":"b"}}"#, 400), (String(repeating: "[", count: 10_000), 400),
    ])
    func `A request to create or change a user with an invalid body is refused`(body: String, status: Int) async throws
    {
        try await RealGateway.run { gateway in
            let answer = try await gateway.connectClient().call("POST", "/v1/users", body: body)
            #expect(answer.status == status)
            #expect(answer.header("content-type") == "application/problem+json")
        }
    }

    @Test
    func `A request whose body has invalid UTF-8 gets 400`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            try await client.send(
                "POST",
                "/v1/users",
                body: Array(#"{"profile":{"displayName":""#.utf8) + [0xFF] + Array(#"","fullName":""}}"#.utf8)
            )
            let answer = try await client.receiveAnswer()
            #expect(answer.status == 400)
        }
    }

    @Test
    func `The core can be stopped and started over HTTP, and its state is reported`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            #expect(try await client.call("GET", "/v1/core").json["type"] == "chatRunning")
            #expect(try await client.call("POST", "/v1/core/stop").json["type"] == "chatStopped")
            #expect(try await client.call("GET", "/v1/core").json["type"] == "chatStopped")
            #expect(try await client.call("POST", "/v1/core/start").json["type"] == "chatStarted")
        }
    }
}
