import ChatAPI
import JSON
import TestSupport
import Testing

@testable import ChatCore

@Suite(.socketTimeLimit) struct SecurityTests {
    @Test
    func `Security codes equal the codes of the original`() throws {
        let vectors = try Fixture.readVectors("chat-text")
        for name in ["verificationCode", "contactSecurityCode"] {
            for vector in try #require(vectors[name]?.arrayValue) {
                let hash = try #require(vector["bytes"]?.stringValue ?? vector["sha256"]?.stringValue)
                #expect(VerificationCode.makeText(try #require([UInt8](hex: hash))) == vector["code"]?.stringValue)
            }
        }
        #expect(VerificationCode.areEqual("85061 67334", "8506167334") && !VerificationCode.areEqual("85061", "85062"))
    }

    @Test
    func `Both sides see the same security code, and only the correct code marks the contact as verified`() async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        let ids = (try await firstContactId(of: alice), try await firstContactId(of: bob))
        let shown = try await alice.run("/_get code @\(ids.0)")
        let code = try #require(shown["connectionCode"]?.stringValue, "\(shown)")
        #expect(try await bob.run("/_get code @\(ids.1)")["connectionCode"]?.stringValue == code)
        let wrong = try await bob.run("/_verify code @\(ids.1) 12345 67890")
        #expect(wrong["verified"] == false && wrong["expectedCode"]?.stringValue == code)
        #expect(try await bob.run("/_verify code @\(ids.1) \(code.filter { $0 != " " })")["verified"] == true)
        let verified = try await bob.run("/_get code @\(ids.1)")
        #expect(verified["contact"]?["activeConn"]?["connectionCode"]?["securityCode"]?.stringValue == code)
        #expect(try await bob.run("/_verify code @\(ids.1)")["verified"] == false)
        #expect(try await bob.run("/_get code @\(ids.1)")["contact"]?["activeConn"]?["connectionCode"] == nil)
        #expect(try await bob.run("/_get code @99").errorType == "contactNotFound")
    }

    @Test
    func `After a ratchet is renegotiated, both chats show the change, and both sides get a new security code`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        let ids = (try await firstContactId(of: alice), try await firstContactId(of: bob))
        let code = try #require(try await alice.run("/_get code @\(ids.0)")["connectionCode"]?.stringValue)
        #expect(try await alice.run("/_verify code @\(ids.0) \(code)")["verified"] == true)
        let refused = try await alice.run("/_sync @\(ids.0)")
        #expect(refused["agentError"]?["cmdErr"]?["type"] == "PROHIBITED", "\(refused)")
        let started = try await alice.run("/_sync @\(ids.0) force=on")
        #expect(
            started["type"] == "contactRatchetSyncStarted"
                && started["connectionStats"]?["ratchetSyncState"] == "started"
        )
        for core in [alice, bob] {
            let told = try await core.wait(for: "contactRatchetSync", count: 2)
            #expect(told.map { $0["ratchetSyncProgress"]?["ratchetSyncStatus"] } == ["agreed", "ok"])
        }
        // Only one side had compared the code.
        let resets = try await alice.wait(for: "terminalEvent")
        #expect(resets.count == 1 && resets[0]["data"]?["type"] == "contactVerificationReset")
        #expect(try await bob.events().allSatisfy { $0.event["type"] != "terminalEvent" })
        let synchronized = ["connection synchronization agreed", "connection synchronized"]
        #expect(try await bob.run("/_get chat @\(ids.1) count=2").itemTexts == synchronized)
        #expect(
            try await alice.run("/_get chat @\(ids.0) count=4").itemTexts
                == ["connection synchronization started", synchronized[0], "security code changed", synchronized[1]]
        )
        let new = try await alice.run("/_get code @\(ids.0)")
        #expect(new["connectionCode"]?.stringValue != code && new["contact"]?["activeConn"]?["connectionCode"] == nil)
        try await alice.run(#"/_send @\#(ids.0) json [{"msgContent":{"type":"text","text":"again"},"mentions":{}}]"#)
        try await waitForText("again", bob)
        let info = try await bob.run("/_info @\(ids.1)")
        #expect(
            info["connectionStats_"]?["ratchetSyncSupported"] == true
                && info["connectionStats_"]?["ratchetSyncState"] == "ok"
        )
    }

    @Test
    func `After a change of the contact's queue, both chats show the change, and messages arrive over the new queue`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        let ids = (try await firstContactId(of: alice), try await firstContactId(of: bob))
        let refused = try await alice.run("/_abort switch @\(ids.0)")
        #expect(refused["agentError"]?["cmdErr"]?["type"] == "PROHIBITED", "\(refused)")
        let started = try await alice.run("/_switch @\(ids.0)")
        #expect(started["type"] == "contactSwitchStarted", "\(started)")
        #expect(started["connectionStats"]?["rcvQueuesInfo"]?[0]?["rcvSwitchStatus"] == "switch_started")
        #expect(started["connectionStats"]?["rcvQueuesInfo"]?[0]?["canAbortSwitch"] == true)
        for (core, direction) in [(alice, "rcv"), (bob, "snd")] {
            let told = try await core.wait(for: "contactSwitch", count: 4)
            #expect(
                told.map { $0["switchProgress"]?["switchPhase"]?.stringValue } == [
                    "started", "confirmed", "secured", "completed",
                ]
            )
            #expect(told.allSatisfy { $0["switchProgress"]?["queueDirection"]?.stringValue == direction })
        }
        #expect(
            try await alice.run("/_get chat @\(ids.0) count=2").itemTexts == [
                "started changing address...", "you changed address",
            ]
        )
        #expect(
            try await bob.run("/_get chat @\(ids.1) count=2").itemTexts == [
                "started changing address for you...", "changed address for you",
            ]
        )
        try await bob.run(
            #"/_send @\#(ids.1) json [{"msgContent":{"type":"text","text":"to the new one"},"mentions":{}}]"#
        )
        try await waitForText("to the new one", alice)
        let info = try await alice.run("/_info @\(ids.0)")
        #expect(info["connectionStats_"]?["rcvQueuesInfo"]?.arrayValue?.count == 1)
        #expect(info["connectionStats_"]?["rcvQueuesInfo"]?[0]?["rcvSwitchStatus"] == nil)
    }
}
