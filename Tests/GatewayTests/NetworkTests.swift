import JSON
import TestSupport
import Testing

@Suite(.overSockets) struct NetworkTests {
    @Test("Network settings are read and set, and invalid ones are refused")
    func settings() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            let answer = try await client.call("GET", "/v1/settings/network")
            #expect(answer.status == 200)
            var config = try #require(try answer.json["networkConfig"]?.objectValue)
            config["smpProxyMode"] = "never"
            #expect(
                try await client.call("PUT", "/v1/settings/network", body: JSONValue.object(config).text).json == [
                    "type": "cmdOk"
                ]
            )
            #expect(try await client.call("GET", "/v1/settings/network").json["networkConfig"] == .object(config))
            config["hostMode"] = "maybe"
            #expect(
                try await client.call("PUT", "/v1/settings/network", body: JSONValue.object(config).text).status == 422
            )
            #expect(try await client.call("PUT", "/v1/settings/network", body: "{}").status == 422)
        }
    }

    @Test("Information about the network is set, and servers are reconnected on request")
    func reconnect() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            let alice = try await client.user("alice")
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
