import JSON
import NTFTestSupport
import SimpleXCrypto
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct NotificationsTests {
    @Test
    func `A device token for push notifications can be registered, verified, checked and deleted over HTTP`()
        async throws
    {
        let server = try await NotificationServer()
        try await RealGateway.run {
            $0.notificationServers = [server.server]
        } _: { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            let token: JSONValue = ["pushProvider": "apns_test", "token": "abab"]
            let path = "/v1/notifications/token"
            #expect(try await client.call("GET", path).status == 409)
            #expect(
                try await client.put(path, ["token": token, "notificationMode": "INSTANT"]).json["status"]
                    == "REGISTERED"
            )
            let push = try #require(server.pushes.last)
            let code = (
                nonce: JSONValue.string(Base64URL.encode(push.nonce)),
                box: JSONValue.string(Base64URL.encode(push.sealedContent))
            )
            #expect(
                try await client.post(path + "/verify", ["token": token, "nonce": code.box, "code": code.box]).status
                    == 422
            )
            #expect(
                try await client.post(path + "/verify", ["token": token, "nonce": code.nonce, "code": code.box]).status
                    == 200
            )
            #expect(try await client.post(path + "/check", ["token": token]).json["status"] == "ACTIVE")
            let saved = try await client.call("GET", path).json
            #expect(
                saved["token"] == token && saved["status"] == "ACTIVE"
                    && saved["ntfServer"]?.stringValue == server.server.str
            )
            let model = try #require(try await client.call("GET", "/v1/users/\(alice)/model").json["model"])
            #expect(model["notifications"]?["tokenStatus"] == "ACTIVE", "\(model)")
            // A token that is not registered, such as the token of another device, is refused.
            let other: JSONValue = ["pushProvider": "apns_test", "token": "cdcd"]
            #expect(try await client.post(path + "/check", ["token": other]).status == 409)
            #expect(
                try await client.put(
                    path,
                    ["token": ["pushProvider": "apns_test", "token": "aba"], "notificationMode": "INSTANT"]
                ).status == 422
            )
            #expect(try await client.put(path, ["token": token, "notificationMode": "SOMETIMES"]).status == 422)
            #expect(try await client.put(path, ["token": token]).status == 422)
            #expect(
                try await client.post("/v1/notifications/connections", ["nonce": code.nonce, "encNtfInfo": code.box])
                    .status >= 400
            )
            #expect(try await client.call("DELETE", path).status == 200)
            #expect(try await client.call("GET", path).status == 409)
            #expect(try await client.call("DELETE", path).status == 409)
            try await waitUntil("deletion") { server.tokenCount == 0 }
        }
        await server.stop()
    }
}
