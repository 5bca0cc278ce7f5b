import JSON
import TestSupport
import Testing
import XFTPTestSupport

@Suite(.socketTimeLimit) struct ServersTests {
    @Test
    func `The servers of a profile can be read, validated, changed and tested over HTTP`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            let lists = try #require(try await client.call("GET", "/v1/users/\(alice)/servers").json["userServers"])
            let body: JSONValue = ["userServers": lists]
            #expect(try await client.post("/v1/users/\(alice)/servers/validate", body).json["serverErrors"] == [])
            #expect(try await client.call("PUT", "/v1/users/\(alice)/servers", body: body.text).status == 200)
            let none: JSONValue = ["userServers": [["smpServers": [], "xftpServers": [], "chatRelays": []]]]
            let errors = try await client.post("/v1/users/\(alice)/servers/validate", none).json["serverErrors"]
            #expect(errors == [["type": "noServers", "protocol": "smp"]])
            #expect(try await client.call("PUT", "/v1/users/\(alice)/servers", body: none.text).status == 422)
            #expect(try await client.call("GET", "/v1/users/9/servers").status == 404)
            let tested = try await client.post(
                "/v1/users/\(alice)/servers/test",
                ["server": .string(gateway.relay.address.str)]
            )
            #expect(tested.status == 200)
            #expect(try tested.json["testFailure"] == nil)
            var nobody = gateway.relay.address
            nobody.port = "1"
            let failed = try await client.post("/v1/users/\(alice)/servers/test", ["server": .string(nobody.str)])
            #expect(failed.status == 200)
            #expect(try failed.json["testFailure"]?["testStep"] == "connect")
            let files = try await FileServer(FileServer.Configuration(fault: .answers("FPUT", .quota)))
            let full = try await client.post("/v1/users/\(alice)/servers/test", ["server": .string(files.server.str)])
            #expect(full.status == 200)
            #expect(
                try full.json["testFailure"] == [
                    "testStep": "uploadFile",
                    "testError": [
                        "type": "XFTP", "serverAddress": .string(files.server.str), "xftpErr": ["type": "QUOTA"],
                    ],
                ]
            )
            await files.stop()
            #expect(try await client.post("/v1/users/\(alice)/servers/test", ["server": "nonsense"]).status == 422)
            #expect(try await client.post("/v1/users/\(alice)/relays/test", ["address": "x"]).status == 422)
        }
    }

    @Test
    func `Server operators can be read and changed, and the operators' conditions of use can be accepted`() async throws
    {
        try await RealGateway.run(change: { $0.serverPresets = .network }) { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            let operators = try await client.call("GET", "/v1/server-operators").json["conditions"]
            let list = try #require(operators?["serverOperators"])
            #expect(list.arrayValue?.count == 2)
            #expect(
                try await client.call("PUT", "/v1/server-operators", body: JSONValue.object(["operators": list]).text)
                    .status == 200
            )
            #expect(
                try await client.call("GET", "/v1/users/\(alice)/servers").json["userServers"]?.arrayValue?.count == 3
            )
            let conditions = try await client.call("GET", "/v1/usage-conditions")
            let id = try #require(try conditions.json["usageConditions"]?["conditionsId"]?.integerValue)
            #expect(try await client.call("POST", "/v1/usage-conditions/\(id)/notified").status == 200)
            let accepted = try await client.post("/v1/usage-conditions/\(id)/accept", ["operatorIds": [1, 2]])
            #expect(try accepted.json["conditions"]?["conditionsAction"]?["type"] == "accepted")
            #expect(try await client.post("/v1/usage-conditions/99/accept", ["operatorIds": [1]]).status == 404)
            #expect(try await client.post("/v1/usage-conditions/\(id)/accept", ["operatorIds": [9]]).status == 404)
        }
    }
}
