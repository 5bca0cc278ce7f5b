import Foundation
import JSON
import TestSupport
import Testing

/// Tests that an accepted contact request stays accepted, even if the process is killed before the network answers.
@Suite(.socketTimeLimit, .faultTests) struct AcceptanceKillTests {
    @Test
    func `A contact is connected once if the gateway is killed before the relay answers the acceptance`()
        async throws
    {
        try await withNodes { asking, owner, request in
            let id = try await request("bob")
            // The relay is in the process that sent the request. While this process is stopped, the relay answers
            // nothing.
            try await asking.waitUntilRunning().program.signal(SIGSTOP)
            let accepted = try await owner.callForObject("POST", "/v1/users/1/contact-requests/\(id)/accept", [:])
            #expect(accepted["contact"]?["activeConn"]?["connStatus"]?["type"] == "new", "\(accepted)")
            await owner.restart()
            _ = try await owner.waitUntilRunning()
            try await asking.waitUntilRunning().program.signal(SIGCONT)
            try await expectOneConnection(asking, owner, user: 1, contacts: 1)
        }
    }

    @Test
    func `A contact is connected once if the gateway is killed at any moment of accepting the request again`()
        async throws
    {
        let chance = SharedRandom()
        try await withNodes { asking, owner, request in
            for round in 1...4 {
                let id = try await request("bob\(round)")
                async let answer = owner.call(
                    "POST",
                    "/v1/users/1/contact-requests/\(id)/accept",
                    [:],
                    idempotencyKey: "accept \(round)"
                )
                try await chance.sleepRandomly(in: 0..<30_000)
                await owner.restart()
                let status = try await answer.status
                #expect(status == 202)
                try await expectOneConnection(asking, owner, user: Int64(round), contacts: round)
            }
        }
    }

    /// Runs `body` with one process that has an address, and another process with a relay, which sends requests.
    /// - Parameter body: its last parameter makes a profile that sends a request, and returns the id of the request.
    private func withNodes(_ body: (Node, Node, (String) async throws -> Int64) async throws -> Void) async throws {
        try await Folder.withNewFolder { folder in
            let asking = Node(folder: folder.path + "/asking", ["--relay-port", "\(TestPort.takeUnused())"])
            let relay = try #require(try await asking.waitUntilRunning().relay)
            let owner = Node(folder: folder.path + "/owner", ["--no-relay", "--smp-server", relay])
            do {
                _ = try await owner.callForObject(
                    "POST",
                    "/v1/users",
                    ["profile": ["displayName": "alice", "fullName": ""]]
                )
                let address = try await owner.callForObject("POST", "/v1/users/1/address", [:])
                let link = address["connLinkContact"] ?? .null
                try await body(asking, owner) { name in
                    let made = try await asking.callForObject(
                        "POST",
                        "/v1/users",
                        ["profile": ["displayName": .string(name), "fullName": ""]]
                    )
                    let user = try #require(made["user"]?["userId"]?.integerValue)
                    _ = try await asking.callForObject("POST", "/v1/users/\(user)/connections", ["connLink": link])
                    var request: Int64?
                    try await owner.readJournal { entry in
                        let told = entry["event"]?["contactRequest"]
                        if told?["localDisplayName"]?.stringValue == name {
                            request = told?["contactRequestId"]?.integerValue
                        }
                        return request != nil
                    }
                    return try #require(request)
                }
            } catch {
                await asking.stop()
                await owner.stop()
                throw error
            }
            await asking.stop()
            await owner.stop()
        }
    }

    /// Checks that both sides have the contact, got the event about the connection once, and can exchange messages.
    /// - Parameter user: the profile that sent the request.
    private func expectOneConnection(_ asking: Node, _ owner: Node, user: Int64, contacts: Int) async throws {
        try await owner.readJournal { entry in
            entry["event"]?["type"] == "contactConnected"
                && entry["event"]?["contact"]?["contactId"]?.integerValue == Int64(contacts)
        }
        try await asking.readJournal { entry in
            entry["userId"]?.integerValue == user && entry["event"]?["type"] == "contactConnected"
        }
        _ = try await asking.callForObject(
            "POST",
            "/v1/users/\(user)/chats/direct/1/messages",
            textMessages(["hello from \(user)"])
        )
        _ = try await owner.callForObject(
            "POST",
            "/v1/users/1/chats/direct/\(contacts)/messages",
            textMessages(["hello to \(user)"])
        )
        for (node, text) in [(owner, "hello from \(user)"), (asking, "hello to \(user)")] {
            var connected: [JSONValue: Int] = [:]
            try await node.readJournal { entry in
                guard let event = entry["event"] else { return false }
                if event["type"] == "contactConnected" {
                    connected[[entry["userId"] ?? .null, event["contact"]?["contactId"] ?? .null], default: 0] += 1
                }
                return (event["chatItems"]?.arrayValue ?? []).contains {
                    $0["chatItem"]?["chatDir"] == ["type": "directRcv"]
                        && $0["chatItem"]?["meta"]?["itemText"]?.stringValue == text
                }
            }
            #expect(connected.count == contacts && connected.values.allSatisfy { $0 == 1 }, "\(connected)")
        }
        let list = try await owner.callForObject("GET", "/v1/users/1/contacts")
        #expect(list["contacts"]?.arrayValue?.count == contacts)
        let own = try await asking.callForObject("GET", "/v1/users/\(user)/contacts")
        #expect(own["contacts"]?.arrayValue?.count == 1)
    }
}
