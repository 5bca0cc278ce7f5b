import ChatAPI
import ChatCore
import Foundation
import JSON
import NIOPosix
import SMP
import SMPRelay
import TestSupport
import Testing

@Suite("Routes of SimpleX names", .socketTimeLimit) struct NamesTests {
    /// Starts a relay with the name `alice.simplex`, and makes it the only message relay of both users.
    private func startNameRelay(_ link: String, in gateway: RealGateway, for users: [Int64]) async throws -> Relay {
        let folder = gateway.folder + "/names"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var configuration = RelayConfiguration(directory: folder, port: TestPort.takeUnused())
        let zero = "0x" + String(repeating: "0", count: 40)
        let record: JSONValue = [
            "name": "alice.simplex", "nickname": "", "website": "", "location": "", "simplexContact": [.string(link)],
            "simplexChannel": [], "eth": nil, "btc": nil, "xmr": nil, "dot": nil, "owner": .string(zero),
            "resolver": .string(zero),
        ]
        configuration.nameRecords = [try NameDomain(parsing: "alice.simplex".utf8): record.encodeText()]
        let relay = try await Relay.start(configuration: configuration, group: MultiThreadedEventLoopGroup.singleton)
        for user in users {
            let set = await gateway.core.send(
                try ChatCommand(parsing: "/smp \(relay.address.str)"),
                as: user,
                with: .all
            )
            let isSet = if case .result = set { true } else { false }
            try #require(isSet, "\(set)")
        }
        return relay
    }

    @Test
    func `A client connects by a name that the other user has set, and verifies names`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let plan = "/v1/users/\(bob)/connections/plan", domain = "/v1/users/\(alice)/address/domain"
            #expect(try await client.put(domain, ["simplexDomain": "alice.simplex"]).status == 404)
            let made = try await client.post("/v1/users/\(alice)/address", [:])
            let link = try #require(try made.json["connLinkContact"]?["connShortLink"]?.stringValue)
            // The relay of the gateway knows no names, so the name cannot be resolved.
            let without = try await client.post(plan, ["connLink": "@alice.simplex"])
            #expect(without.status == 409, "\(without.text)")

            let relay = try await startNameRelay(link, in: gateway, for: [alice, bob])
            for (name, status) in [("@nobody.simplex", 404), ("@alice", 422), ("@alice.simplex", 422)] {
                let answer = try await client.post(plan, ["connLink": .string(name)])
                #expect(answer.status == status, "\(name): \(answer.text)")
            }
            #expect(try await client.put(domain, ["simplexDomain": "alice"]).status == 422)
            let set = try await client.put(domain, ["simplexDomain": "alice.simplex"])
            #expect(set.status == 200, "\(set.text)")
            #expect(try set.json["toProfile"]?["contactDomain"] == ["domain": "alice.simplex"])

            let planned = try await client.post(plan, ["connLink": "@alice.simplex"])
            #expect(planned.status == 200, "\(planned.text)")
            let found = try planned.json
            let data = try #require(found["connectionPlan"]?["contactAddressPlan"]?["contactSLinkData_"])
            let prepared = try await client.post(
                "/v1/users/\(bob)/contacts/prepared",
                [
                    "connLink": try #require(found["connLink"]), "verifiedDomain": "alice.simplex",
                    "contactShortLinkData": data,
                ]
            )
            let contact = try prepared.json["chat"]?["chatInfo"]?["contact"]
            #expect(contact?["profile"]?["contactDomainVerified"] == true, "\(prepared.text)")
            let id = try #require(contact?["contactId"]?.integerValue)
            let verified = try await client.post("/v1/users/\(bob)/contacts/\(id)/verify-domain", [:])
            #expect(verified.status == 200, "\(verified.text)")
            #expect(try verified.json["verificationFailure"] == "no name proof to verify")
            #expect(try verified.json["contact"]?["profile"]?["contactDomainVerified"] == true)
            #expect(try await client.post("/v1/users/\(bob)/contacts/99/verify-domain", [:]).status == 404)
            #expect(try await client.post("/v1/users/\(bob)/groups/99/verify-domain", [:]).status == 404)
            let connected = try await client.post("/v1/users/\(bob)/contacts/\(id)/connect", [:])
            #expect(connected.status == 202, "\(connected.text)")

            let removed = try await client.put(domain, ["simplexDomain": nil])
            #expect(try removed.status == 200 && removed.json["toProfile"]?["contactDomain"] == nil, "\(removed.text)")
            await relay.stopAndWait()
        }
    }
}
