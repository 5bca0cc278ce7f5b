import JSON
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct NetworkTests {
    @Test
    func `Network settings can be read and changed, and invalid settings are refused`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let answer = try await client.call("GET", "/v1/settings/network")
            #expect(answer.status == 200)
            var config = try #require(try answer.json["networkConfig"]?.objectValue)
            config["smpProxyMode"] = "never"
            let tag = answer.header("etag")
            let changed = try await client.patch("/v1/settings/network", ["smpProxyMode": "never"], ifMatch: tag)
            #expect(try changed.json["networkConfig"] == .object(config), "\(changed.text)")
            let late = try await client.patch("/v1/settings/network", ["smpProxyMode": "always"], ifMatch: tag)
            #expect(late.status == 412, "\(late.text)")
            for body: JSONValue in [["hostMode": "maybe", "smpProxyMode": "always"], ["smpProxyMode": nil]] {
                #expect(try await client.patch("/v1/settings/network", body).status == 422)
            }
            #expect(try await client.patch("/v1/settings/network", ["proxy": "a"]).status == 400)
            #expect(try await client.patch("/v1/settings/network", [:]).status == 200)
            #expect(try await client.call("GET", "/v1/settings/network").json["networkConfig"] == .object(config))
        }
    }

    @Test
    func `The type of the network can be set, and relays are reconnected on request`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            let news = try await client.call(
                "PUT",
                "/v1/settings/network-info",
                body: #"{"networkType":"wifi","online":true}"#
            )
            #expect(news.status == 200)
            #expect(
                try await client.call(
                    "PUT",
                    "/v1/settings/network-info",
                    body: #"{"networkType":"pigeon","online":true}"#
                ).status == 422
            )
            #expect(try await client.call("POST", "/v1/servers/reconnect").status == 200)
            let server = JSONValue.string(gateway.relay.address.str)
            #expect(try await client.post("/v1/users/\(alice)/servers/reconnect", ["smpServer": server]).status == 200)
            #expect(try await client.post("/v1/users/99/servers/reconnect", ["smpServer": server]).status == 404)
            #expect(
                try await client.post("/v1/users/\(alice)/servers/reconnect", ["smpServer": "nonsense"]).status == 422
            )
        }
    }
}
