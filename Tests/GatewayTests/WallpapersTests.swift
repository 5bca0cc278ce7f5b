import JSON
import TestSupport
import Testing

@testable import ChatCore
@testable import Gateway

/// Uploaded pictures as wallpapers over HTTP.
@Suite(.socketTimeLimit) struct WallpapersTests {
    private static let path = "/v1/users/1/wallpapers"
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array("a picture".utf8)
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Array("a picture".utf8)

    private func upload(
        _ client: HTTPClient,
        _ body: [UInt8],
        headers: [(String, String)] = []
    ) async throws -> HTTPClient.Answer {
        try await client.send("POST", Self.path, headers: headers, body: body)
        return try await client.receiveAnswer()
    }

    private func uploadedName(_ client: HTTPClient, _ body: [UInt8]) async throws -> String {
        let answer = try await upload(client, body)
        return try #require(try answer.json["imageFile"]?.stringValue, "\(answer.text)")
    }

    private func themes(_ name: String) -> JSONValue {
        ["themes": ["light": ["mode": "light", "colors": [:], "wallpaper": ["imageFile": .string(name)]]]]
    }

    private func patch(_ client: HTTPClient, _ path: String, _ value: JSONValue) async throws -> HTTPClient.Answer {
        let headers = [("Content-Type", "application/merge-patch+json")]
        return try await client.call("PATCH", path, headers: headers, body: value.text)
    }

    @Test
    func `The name of a wallpaper depends on its contents, and another profile gets 404 for this name`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            for name in ["alice", "bob"] { _ = try await client.createUser(name) }
            for (picture, type, ending) in [(Self.jpeg, "image/jpeg", ".jpg"), (Self.png, "image/png", ".png")] {
                let uploaded = try await upload(client, picture)
                let name = try #require(try uploaded.json["imageFile"]?.stringValue, "\(uploaded.text)")
                #expect(uploaded.status == 201 && name.hasSuffix(ending))
                #expect(uploaded.header("location") == "\(Self.path)/\(name)")
                #expect(try await uploadedName(client, picture) == name)
                let fetched = try await client.call("GET", "\(Self.path)/\(name)")
                #expect(fetched.status == 200 && fetched.body == picture && fetched.header("content-type") == type)
                let tag = try #require(fetched.header("etag"))
                let known = [("If-None-Match", tag)]
                #expect(try await client.call("GET", "\(Self.path)/\(name)", headers: known).status == 304)
                #expect(try await client.call("GET", "/v1/users/2/wallpapers/\(name)").status == 404)
            }
        }
    }

    @Test(arguments: ["wallpaper_0.jpg", "..%2Fsimplex_v1_chat.db", "%00", "-"])
    func `A request for a wallpaper with an unknown or invalid name gets 404 or 400`(name: String) async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let answer = try await client.call("GET", "\(Self.path)/\(name)")
            #expect([400, 404].contains(answer.status), "\(answer.text)")
        }
    }

    @Test
    func `A wallpaper is kept as long as a theme of the profile or of a chat uses the wallpaper`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let group: JSONValue = ["groupProfile": ["displayName": "team", "fullName": ""]]
            #expect(try await client.post("/v1/users/1/groups", group).status == 201)
            let (first, second) = (
                try await uploadedName(client, Self.jpeg), try await uploadedName(client, Self.png)
            )
            func status(_ name: String) async throws -> Int {
                try await client.call("GET", "\(Self.path)/\(name)").status
            }
            func patch(_ path: String, _ value: JSONValue) async throws {
                let answer = try await self.patch(client, path, value)
                #expect(answer.status == 200, "\(answer.text)")
            }
            for path in ["/v1/users/1", "/v1/users/1/chats/group/1"] { try await patch(path, themes(first)) }
            // Another picture replaces the picture of the profile. The chat still uses the first picture, so this
            // picture is kept.
            try await patch("/v1/users/1", themes(second))
            #expect(try await status(first) == 200)
            try await patch("/v1/users/1/chats/group/1", ["themes": .null])
            #expect(try await status(first) == 404)
            #expect(try await status(second) == 200)
            try await patch("/v1/users/1", ["themes": .null])
            #expect(try await status(second) == 404)
        }
    }

    @Test
    func `Bytes that are not a picture are refused with 422, and a picture that is too large with 413`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            for body in ["", "a text", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "RIFF0000WAVE"] {
                let answer = try await upload(client, Array(body.utf8))
                #expect(answer.status == 422, "\(body): \(answer.text)")
            }
            let fitting = Self.jpeg + [UInt8](repeating: 0, count: ChatWallpapers.maxPictureBytes - Self.jpeg.count)
            #expect(try await upload(client, fitting).status == 201)
        }
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            // The picture is larger than any socket buffer. So the gateway must read some of the bytes, or the client
            // cannot get the answer.
            let large = Self.jpeg + [UInt8](repeating: 0, count: 8 * ChatWallpapers.maxPictureBytes)
            #expect(try await upload(client, large).status == 413)
        }
    }

    @Test
    func `A key without the scope 'write' can read wallpapers, and gets 403 for an upload`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let name = try await uploadedName(client, Self.jpeg)
            let made = try await client.post("/v1/keys", ["name": "reader", "scopes": ["read"]])
            let key = try #require(try made.json["key"]?.stringValue, "\(made.text)")
            let reader = try await HTTPClient.connect(port: gateway.port, key: key)
            #expect(try await reader.call("GET", "\(Self.path)/\(name)").status == 200)
            #expect(try await upload(reader, Self.png).status == 403)
        }
    }

    @Test
    func `A repeated upload gets the first answer, and another picture with the same idempotency key gets 422`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let headers = [("Idempotency-Key", "wallpaper-1")]
            let first = try await upload(client, Self.jpeg, headers: headers)
            let again = try await upload(client, Self.jpeg, headers: headers)
            #expect(try again.status == 201 && again.json == first.json)
            #expect(again.header("idempotent-replayed") == "true")
            #expect(try await upload(client, Self.png, headers: headers).status == 422)
        }
    }

    @Test
    func `If a wallpaper was deleted after its upload, a repetition of the upload stores the wallpaper again`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let headers = [("Idempotency-Key", "wallpaper-1")]
            let first = try await upload(client, Self.jpeg, headers: headers)
            let place = try #require(first.header("location"), "\(first.text)")
            let name = try #require(try first.json["imageFile"]?.stringValue)
            for value in [themes(name), ["themes": .null]] {
                #expect(try await patch(client, "/v1/users/1", value).status == 200)
            }
            #expect(try await client.call("GET", place).status == 404)
            let again = try await upload(client, Self.jpeg, headers: headers)
            #expect(again.status == 201 && again.header("idempotent-replayed") == "true")
            #expect(try await client.call("GET", place).status == 200)
        }
    }
}
