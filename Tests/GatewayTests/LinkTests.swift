import JSON
import SMP
import SQLCipher
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore

/// Unusable links. Each causes a problem with the core's error, and adds no rows.
@Suite(.socketTimeLimit) struct LinkTests {
    @Test
    func `A request with an invalid or incomplete link gets 422`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let link = try await client.makeInvitation(alice)
            let before = try await gateway.countRows()
            var bad = [
                "", " ", "simplex:", "simplex:/", "simplex:/invitation", "simplex:/invitation#/?",
                "https://example.org/", "simplex:/contact#/?v=2", link + "#" + link,
            ]
            bad += stride(from: 1, to: link.count - 1, by: 37).map { String(link.prefix($0)) }
            bad += ["v=2-7", "smp=", "e2e="].map { link.replacing($0, with: "x=") }
            bad.append(link.replacing("v=2-7", with: "v=7-2"))
            bad.append(String(repeating: link, count: 100))
            for text in bad {
                for route in ["connections", "connections/plan"] {
                    let answer = try await client.post("/v1/users/\(bob)/\(route)", ["connLink": .string(text)])
                    #expect(answer.status == 422, "\(text): \(answer.text)")
                    #expect(
                        try answer.json["chatError"]?["errorType"]?["type"] == "invalidConnReq",
                        "\(text): \(answer.text)"
                    )
                }
            }
            #expect(try await gateway.countRows() == before)
        }
    }

    @Test
    func `A request with a link that has unsupported versions or invalid keys gets 422`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let request = try ConnectionRequest(parsing: try await client.makeInvitation(alice))
            let before = try await gateway.countRows()
            var future = request
            future.agentVersions = ProtocolVersionRange(SMPVersion(900), SMPVersion(901))
            // This key is a point of order one, so the shared secret with it would be zero, and the key must be
            // refused.
            var keyless = request
            keyless.queues[0].dhPublicKey = try X25519.PublicKey(rawRepresentation: [UInt8](repeating: 0, count: 32))
            for (link, error) in [(future.uri, "AGENT"), (keyless.uri, "CMD")] {
                let answer = try await client.post("/v1/users/\(bob)/connections", ["connLink": .string(link)])
                #expect(answer.status == 422, "\(answer.text)")
                #expect(try answer.json["chatError"]?["agentError"]?["type"] == .string(error))
            }
            #expect(try await gateway.countRows() == before)
        }
    }

    @Test
    func `A request with a used link gets 409, even for the profile that has used the link`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob, carol) = (
                try await client.createUser("alice"), try await client.createUser("bob"),
                try await client.createUser("carol")
            )
            let link = try await client.makeInvitation(alice)
            let first = try await client.post("/v1/users/\(bob)/connections", ["connLink": .string(link)])
            #expect(first.status == 202)
            var cursor: String?
            _ = try await client.waitForEvent(after: &cursor, "contactConnected", user: bob)
            cursor = nil
            _ = try await client.waitForEvent(after: &cursor, "contactConnected", user: alice)
            let before = try await gateway.countRowsAtRest()
            for user in [carol, bob] {
                let answer = try await client.post("/v1/users/\(user)/connections", ["connLink": .string(link)])
                #expect(answer.status == 409, "\(answer.text)")
                let error = try answer.json["chatError"]?["agentError"]
                #expect(error?["type"] == "SMP" && error?["smpErr"]?["type"] == "AUTH")
                #expect(try answer.json["detail"]?.stringValue?.contains("used or withdrawn") == true)
            }
            try await gateway.waitForRowCounts(to: before)
            let sent = try await client.post("/v1/users/\(bob)/chats/direct/1/messages", textMessage("still there"))
            #expect(sent.status == 201)
            while try await !client.waitForEvent(after: &cursor, "newChatItems", user: alice).text.contains(
                "still there"
            ) {}
        }
    }

    @Test
    func `A request with a link that the owner has deleted gets 409`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let before = try await gateway.countRows()
            let made = try await client.post("/v1/users/\(alice)/connections/invitations", ["incognito": false])
            let link = try #require(try made.json["connLinkInvitation"]?["connFullLink"])
            let place = try #require(made.header("location"))
            let deleted = try await client.call("DELETE", place)
            #expect(deleted.status == 200)
            try await waitUntil("the relay has deleted the queue") { gateway.relay.counts.queues == 0 }
            let answer = try await client.post("/v1/users/\(bob)/connections", ["connLink": link])
            #expect(answer.status == 409, "\(answer.text)")
            #expect(try answer.json["chatError"]?["agentError"]?["smpErr"]?["type"] == "AUTH")
            let again = try await client.call("DELETE", place)
            #expect(again.status == 404)
            try await gateway.waitForRowCounts(to: before)
        }
    }
}

extension HTTPClient {
    /// Returns a new one-time invitation.
    func makeInvitation(_ user: Int64) async throws -> String {
        let made = try await post("/v1/users/\(user)/connections/invitations", ["incognito": false])
        return try #require(try made.json["connLinkInvitation"]?["connFullLink"]?.stringValue, "\(made.text)")
    }
}

extension RealGateway {
    /// Counts the rows that a connection could add in both databases.
    func countRows() async throws -> [String: Int64] {
        func count(_ database: Database, _ tables: [String]) async throws -> [(String, Int64)] {
            try await database.read { db in
                try tables.map { table in
                    ("\(table)", try db.firstRow("SELECT count(*) AS n FROM \(table)")?.int64("n") ?? -1)
                }
            }
        }
        let chat = try await count(
            core.store.database,
            ["connections", "contacts", "contact_profiles", "display_names", "retired_connections", "deliveries"]
        )
        let agent = try await count(
            core.services.agent.database,
            ["connections", "rcv_queues", "snd_queues", "confirmations", "snd_messages", "deleted_queues"]
        )
        return Dictionary(uniqueKeysWithValues: chat.map { ("chat.\($0)", $1) } + agent.map { ("agent.\($0)", $1) })
    }

    /// Counts the same rows when no command to the relay is in transit.
    func countRowsAtRest() async throws -> [String: Int64] {
        try await waitUntil("the agent has no message to send") { try await countRows()["agent.snd_messages"] == 0 }
        return try await countRows()
    }

    /// Waits until the counts are the same as before, since abandoned rows are removed after the answer.
    func waitForRowCounts(to rows: [String: Int64]) async throws {
        var now: [String: Int64] = [:]
        try await waitUntil("\(rows), but there are \(now)") {
            now = try await self.countRows()
            return now == rows
        }
    }
}
