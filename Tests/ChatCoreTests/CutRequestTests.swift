import JSON
import SMPTestSupport
import TestSupport
import Testing

@testable import ChatCore

/// Requests to an address over a connection that breaks repeatedly.
@Suite(.socketTimeLimit) struct CutRequestTests {
    @Test(arguments: 0..<4)
    func `A contact request over a connection that breaks at any point makes exactly one contact on each side`(
        seed: Int
    ) async throws {
        var random = SeededRandom(seed: UInt64(seed &+ 500))
        let world = try await World()
        let cuts = (0..<7).map { _ in Int.random(in: 1..<220_000, using: &random) }
        let proxy = try await CuttingProxy(to: world.relay.address, cuts: cuts)
        let (alice, bob) = (
            try await world.core("alice", servers: [proxy.server]), try await world.core("bob", servers: [proxy.server])
        )
        try await alice.createUser("alice")
        try await bob.createUser("bob")
        let made = try await runUntilAnswer(alice, "/_address 1", "userContactLinkCreated")
        let link = try #require(made["connLinkContact"]?["connFullLink"]?.stringValue)
        _ = try await runUntilAnswer(bob, "/_connect 1 incognito=off \(link)", "sentInvitation")
        // The command is repeated, as an impatient user does.
        _ = try await runUntilAnswer(bob, "/_connect 1 incognito=off \(link)", "sentInvitation")
        let request = try await alice.wait(for: "receivedContactRequest")[0]
        let id = try #require(request["contactRequest"]?["contactRequestId"]?.integerValue)
        _ = try await runUntilAnswer(alice, "/_accept incognito=off \(id)", "acceptingContactRequest")
        try await alice.wait(for: "contactConnected")
        try await bob.wait(for: "contactConnected")
        let ids = (try await contactId(alice), try await contactId(bob))
        for number in 0..<3 {
            try await alice.run("/_send @\(ids.0) text to bob \(number)")
            try await bob.run("/_send @\(ids.1) text to alice \(number)")
        }
        for number in 0..<3 {
            try await waitForText("to bob \(number)", bob)
            try await waitForText("to alice \(number)", alice)
        }
        for core in [alice, bob] {
            #expect(try await core.run("/_contacts 1")["contacts"]?.arrayValue?.count == 1)
            #expect(try await core.events().count { $0.event["type"] == "contactConnected" } == 1)
            let chat = core === alice ? ids.0 : ids.1
            let received = try await core.run("/_get chat @\(chat) count=100").itemTexts.filter {
                $0.hasPrefix(core === alice ? "to alice" : "to bob")
            }
            #expect(received == (0..<3).map { "\(core === alice ? "to alice" : "to bob") \($0)" })
            await core.controller.close()
        }
        await proxy.stop()
    }

    /// Repeats a command that the network has interrupted, as its user would do.
    private func runUntilAnswer(_ core: Core, _ command: String, _ type: String) async throws -> JSONValue {
        var answer = JSONValue.null
        for _ in 0..<20 {
            answer = try await core.run(command)
            if answer["type"]?.stringValue == type { return answer }
            guard answer["agentError"]?["type"] == "BROKER" else { break }
        }
        Issue.record("\(command): \(answer)")
        return answer
    }

    private func contactId(_ core: Core) async throws -> Int64 {
        try #require(try await core.run("/_contacts 1")["contacts"]?[0]?["contactId"]?.integerValue)
    }
}
