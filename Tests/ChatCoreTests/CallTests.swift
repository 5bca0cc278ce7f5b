import ChatAPI
import ChatProtocol
import JSON
import SimpleXCrypto
import SQLCipher
import TestSupport
import Testing

@testable import ChatCore

/// Tests of calls between two contacts: messages, items in chats, and refusals.
@Suite(.socketTimeLimit) struct CallTests {
    static let videoCallType = #"{"media":"video","capabilities":{"encryption":true}}"#
    static let audioCallType = #"{"media":"audio","capabilities":{"encryption":false}}"#
    static let sessionJSON = #"{"rtcSession":"c2Vzc2lvbg","rtcIceCandidates":"W10"}"#

    static func offerCommand(_ type: String = videoCallType) -> String {
        #"/_call offer @1 {"callType":\#(type),"rtcSession":\#(sessionJSON)}"#
    }
    static let answerCommand = "/_call answer @1 \(sessionJSON)"
    static let extraCommand = #"/_call extra @1 {"rtcIceCandidates":"W10"}"#

    @Test
    func `Both chats show each state of a call from the invitation to the end`() async throws {
        try await withConnectedPeople { alice, bob in
            #expect(try await alice.run("/_call invite @1 \(Self.videoCallType)")["type"] == "cmdOk")
            #expect(try await alice.newestCallItem() == ["sndCall", "pending", "outgoing call: calling..."])
            let rung = try #require(try await bob.wait(for: "callInvitation")[0]["callInvitation"])
            #expect(
                rung["callType"]?["media"] == "video" && rung["user"]?["localDisplayName"] == "bob"
                    && rung["contact"]?["contactId"] == 1
            )
            let key = try #require(rung["sharedKey"]?.stringValue)
            #expect(try Base64URL.decode(key).count == 32)
            #expect(try await bob.newestCallItem() == ["rcvCall", "pending", "incoming call: calling..."])
            #expect(try await bob.run("/_call get")["callInvitations"]?[0]?["callUUID"] == rung["callUUID"])
            #expect(try await bob.run("/_get chats 1 pcc=off")["chats"]?[0]?["chatStats"]?["unreadCount"] == 1)

            #expect(try await bob.run(Self.offerCommand())["type"] == "cmdOk")
            #expect(try await bob.newestCallItem() == ["rcvCall", "accepted", "incoming call: accepted"])
            // Bob has answered the call, so the invitation counts as read.
            #expect(try await bob.run("/_get chats 1 pcc=off")["chats"]?[0]?["chatStats"]?["unreadCount"] == 0)
            #expect(try await bob.run("/_call get")["callInvitations"] == [])
            let offered = try await alice.wait(for: "callOffer")[0]
            #expect(offered["sharedKey"]?.stringValue == key && offered["askConfirmation"] == false)
            #expect(
                offered["offer"] == (try JSONValue(parsing: Self.sessionJSON))
                    && offered["callType"]?["media"] == "video"
            )
            #expect(try await alice.newestCallItem() == ["sndCall", "accepted", "outgoing call: accepted"])

            #expect(try await alice.run(Self.answerCommand)["type"] == "cmdOk")
            #expect(try await alice.newestCallItem() == ["sndCall", "negotiated", "outgoing call: connecting..."])
            #expect(try await bob.wait(for: "callAnswer")[0]["answer"] == (try JSONValue(parsing: Self.sessionJSON)))
            #expect(try await bob.newestCallItem() == ["rcvCall", "negotiated", "incoming call: connecting..."])
            #expect(try await alice.run(Self.extraCommand)["type"] == "cmdOk")
            #expect(try await bob.run(Self.extraCommand)["type"] == "cmdOk")
            for core in [alice, bob] {
                #expect(try await core.wait(for: "callExtraInfo")[0]["extraInfo"] == ["rtcIceCandidates": "W10"])
                #expect(try await core.run("/_call status @1 connecting")["type"] == "cmdOk")
                #expect(try await core.run("/_call status @1 connected")["type"] == "cmdOk")
                #expect(try await core.newestCallItem()[1] == "progress")
            }
            #expect(try await alice.run("/_call end @1")["type"] == "cmdOk")
            #expect(try await bob.wait(for: "callEnded")[0]["contact"]?["contactId"] == 1)
            for core in [alice, bob] { #expect(try await core.newestCallItem()[1] == "ended") }
            for core in [alice, bob] {
                let item = try #require(try await core.run("/_get chat @1 count=1")["chat"]?["chatItems"]?[0])
                let seconds = try #require(item["content"]?["duration"]?.integerValue)
                #expect((0...60).contains(seconds))
                #expect(
                    item["meta"]?["itemText"]?.stringValue?.hasSuffix(
                        "ended (\(seconds < 60 ? "00" : "01"):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60))"
                    ) == true
                )
                #expect(try await core.run("/_call end @1").errorType == "noCurrentCall")
                #expect(try await core.countCalls() == 0)
            }
        }
    }

    @Test
    func `A withdrawn call is shown as missed, and a refused call as rejected`() async throws {
        try await withConnectedPeople { alice, bob in
            try await alice.run("/call bob")
            try await bob.wait(for: "callInvitation")
            try await alice.run("/_call end @1")
            try await bob.wait(for: "callEnded")
            for core in [alice, bob] { #expect(try await core.newestCallItem()[1] == "missed") }
            #expect(try await bob.run("/_get chats 1 pcc=off")["chats"]?[0]?["chatStats"]?["unreadCount"] == 1)

            try await alice.run("/_call invite @1 \(Self.audioCallType)")
            let rung = try await bob.wait(for: "callInvitation", count: 2)[1]["callInvitation"]
            #expect(rung?["sharedKey"] == nil && rung?["callType"]?["media"] == "audio")
            #expect(try await bob.run("/_call reject @1")["type"] == "cmdOk")
            #expect(try await bob.newestCallItem() == ["rcvCall", "rejected", "incoming call: rejected"])
            #expect(try await bob.run("/_call reject @1").errorType == "noCurrentCall")

            // The first call was not ended. The next calls end it on both sides.
            try await alice.run("/_call invite @1 \(Self.videoCallType)")
            try await alice.run("/_call invite @1 \(Self.audioCallType)")
            let last = try await bob.wait(for: "callInvitation", count: 4)[3]["callInvitation"]
            for core in [alice, bob] {
                let states = try await core.run("/_get chat @1 count=3")["chat"]?["chatItems"]?.arrayValue?.map {
                    $0["content"]?["status"]
                }
                #expect(states == [core === alice ? "missed" : "rejected", "missed", "pending"])
            }
            #expect(
                try await bob.run("/_call get")["callInvitations"]?.arrayValue?.map { $0["callUUID"] } == [
                    last?["callUUID"]
                ]
            )
            // Both sides call at the same time. For each side, the last call is either its own or the other one's.
            try await bob.run("/_call invite @1 \(Self.videoCallType)")
            try await alice.wait(for: "callInvitation")
            #expect(try await alice.run(Self.offerCommand())["type"] == "cmdOk")
            try await bob.wait(for: "callOffer")
        }
    }

    @Test
    func `A call command that does not fit the state of the call is refused, and the error contains this state`()
        async throws
    {
        try await withConnectedPeople { alice, bob in
            let all = [
                Self.offerCommand(), Self.answerCommand, Self.extraCommand, "/_call end @1", "/_call reject @1",
                "/_call status @1 connected",
            ]
            for command in all { #expect(try await alice.run(command).errorType == "noCurrentCall", "\(command)") }
            func refused(_ core: Core, _ commands: [String], _ state: String) async throws {
                let before = try await core.events().count
                for command in commands {
                    let error = try await core.run(command)
                    #expect(
                        error["errorType"] == ["type": "callState", "currentCallState": .string(state)],
                        "\(command): \(error)"
                    )
                }
                #expect(try await core.events().count == before)
            }
            try await alice.run("/_call invite @1 \(Self.videoCallType)")
            try await alice.waitForStatus("sndRcvd", of: ["outgoing call: calling..."])
            try await bob.wait(for: "callInvitation")
            try await refused(
                alice,
                [Self.offerCommand(), Self.answerCommand, Self.extraCommand, "/_call reject @1"],
                "invitationSent"
            )
            try await refused(bob, [Self.answerCommand, Self.extraCommand], "invitationReceived")
            // Bob's device has no encryption, so alice is asked for a confirmation.
            try await bob.run(Self.offerCommand(Self.audioCallType))
            let offered = try await alice.wait(for: "callOffer")[0]
            #expect(offered["askConfirmation"] == true && offered["sharedKey"] == nil)
            try await refused(bob, [Self.offerCommand(), Self.answerCommand, "/_call reject @1"], "offerSent")
            try await refused(alice, [Self.offerCommand(), Self.extraCommand, "/_call reject @1"], "offerReceived")
            try await alice.run(Self.answerCommand)
            try await bob.wait(for: "callAnswer")
            for core in [alice, bob] {
                try await refused(core, [Self.offerCommand(), Self.answerCommand, "/_call reject @1"], "negotiated")
            }
            #expect(throws: (any Error).self) { try ChatCommand(parsing: "/_call status @1 odd") }
            for command in ["/_call invite @9 \(Self.videoCallType)", "/_call end @9"] {
                #expect(
                    ["contactNotFound", "userNotFoundByContactId"].contains(try await alice.run(command).errorType),
                    "\(command)"
                )
            }
            // A call larger than a message is not sent, and the state of the call does not change.
            let huge = String(repeating: "a", count: 3 << 20)
            #expect(try await alice.run(#"/_call extra @1 {"rtcIceCandidates":"\#(huge)"}"#)["type"] != "cmdOk")
            #expect(try await alice.run(Self.extraCommand)["type"] == "cmdOk")
            try await bob.wait(for: "callExtraInfo")
        }
    }

    @Test
    func `A call in any state continues after both sides have restarted`() async throws {
        let world = try await World()
        var (alice, bob) = try await world.makeConnectedCores()
        func reopen() async throws {
            for core in [alice, bob] { await core.controller.close() }
            (alice, bob) = (try await world.core("alice"), try await world.core("bob"))
        }
        try await alice.run("/_call invite @1 \(Self.videoCallType)")
        try await reopen()
        let rung = try await bob.wait(for: "callInvitation")[0]["callInvitation"]
        try await reopen()
        #expect(try await bob.run("/_call get")["callInvitations"]?[0]?["callUUID"] == rung?["callUUID"])
        #expect(try await bob.run("/_call get")["callInvitations"]?[0]?["sharedKey"] == rung?["sharedKey"])
        #expect(try await alice.run(Self.answerCommand)["errorType"]?["currentCallState"] == "invitationSent")
        try await bob.run(Self.offerCommand())
        try await reopen()
        #expect(try await alice.wait(for: "callOffer")[0]["sharedKey"] == rung?["sharedKey"])
        try await reopen()
        #expect(try await alice.run(Self.answerCommand)["type"] == "cmdOk")
        try await reopen()
        try await bob.wait(for: "callAnswer")
        try await bob.run("/_call status @1 connected")
        try await reopen()
        #expect(try await bob.run(Self.extraCommand)["type"] == "cmdOk")
        try await alice.wait(for: "callExtraInfo")
        #expect(try await bob.run("/_call end @1")["type"] == "cmdOk")
        try await reopen()
        try await alice.wait(for: "callEnded")
        for core in [alice, bob] { #expect(try await core.newestCallItem()[1] == "ended") }
        for core in [alice, bob] {
            #expect(try await core.countCalls() == 0)
            await core.controller.close()
        }
    }

    @Test
    func `Call events that are late, repeated, invalid or of another call cause only an error report`() async throws {
        try await withConnectedPeople { alice, bob in
            let type = Self.videoCallType
            let key = Base64URL.encode(try X25519.PrivateKey().publicKey.spki)
            // This key is a point of small order, so every shared secret with it is zero.
            let weak = Base64URL.encode(try X25519.PublicKey(rawRepresentation: [UInt8](repeating: 0, count: 32)).spki)
            func offer(_ id: String, key: String = key) -> String {
                #"{"callId":"\#(id)","offer":{"callType":\#(type),"callDhPubKey":"\#(key)","rtcSession":\#(Self.sessionJSON)}}"#
            }
            func end(_ id: String) -> String { #"{"callId":"\#(id)"}"# }
            /// Makes alice send an event, and expects the error for it at bob.
            func refused(_ tag: String, _ params: String, as error: String) async throws {
                let type = error.hasPrefix("x.") ? "messageError" : "chatError"
                let count = try await bob.events().count { $0.event["type"]?.stringValue == type }
                try await alice.sendRaw(tag, params)
                let told = try await bob.wait(for: type, count: count + 1)[count]
                let text =
                    told["errorMessage"]?.stringValue ?? told["chatError"]?["errorType"]?["message"]?.stringValue ?? ""
                #expect(text.hasPrefix(error), "\(params): \(told)")
            }
            func answer(_ id: String) -> String { #"{"callId":"\#(id)","answer":{"rtcSession":\#(Self.sessionJSON)}}"# }
            func extra(_ id: String) -> String {
                #"{"callId":"\#(id)","extra":{"rtcExtraInfo":{"rtcIceCandidates":"W10"}}}"#
            }
            let unreadable = "the message cannot be read"
            // Events of a call are refused before any call.
            try await refused("x.call.offer", offer("AQID"), as: "x.call.offer: no current call")
            try await refused("x.call.answer", answer("AQID"), as: "x.call.answer: no current call")
            try await refused("x.call.extra", extra("AQID"), as: "x.call.extra: no current call")
            try await refused("x.call.end", end("AQID"), as: "x.call.end: no current call")
            // Events of another call are refused while Bob's call waits for an answer.
            try await bob.run("/_call invite @1 \(type)")
            try await alice.wait(for: "callInvitation")
            let id = try #require(try await bob.storedCallID())
            try await refused("x.call.offer", offer("AQID"), as: "x.call.offer: wrong contact or callId")
            try await refused("x.call.end", end("AQID"), as: "x.call.end: wrong contact or callId")
            try await refused("x.call.answer", answer(id), as: "x.call.answer: wrong call state CSTCallInvitationSent")
            try await refused("x.call.extra", extra(id), as: "x.call.extra: wrong call state CSTCallInvitationSent")
            try await refused("x.call.offer", offer(id, key: weak), as: "error processing chat message x.call.offer")
            for params in [
                offer(id, key: "AAAA"), offer(String(repeating: "A", count: 344)), offer(""), "{}",
                #"{"callId":7,"offer":[]}"#,
                #"{"callId":"\#(id)","offer":{"callType":{"media":"hologram","capabilities":{"encryption":true}},"rtcSession":\#(Self.sessionJSON)}}"#,
                #"{"callId":"\#(id)","offer":{"callType":\#(type),"rtcSession":"x"}}"#,
            ] {
                try await refused("x.call.offer", params, as: unreadable)
            }
            #expect(
                try await bob.events().allSatisfy {
                    $0.event["type"] != "callOffer" && $0.event["type"] != "callAnswer"
                }
            )
            #expect(try await bob.run(Self.answerCommand)["errorType"]?["currentCallState"] == "invitationSent")
            // A valid offer is accepted once. The second offer causes an error.
            try await alice.sendRaw("x.call.offer", offer(id))
            try await bob.wait(for: "callOffer")
            try await refused("x.call.offer", offer(id), as: "x.call.offer: wrong call state CSTCallOfferReceived")
            try await alice.sendRaw("x.call.end", end(id))
            try await bob.wait(for: "callEnded")
            try await refused("x.call.end", end(id), as: "x.call.end: no current call")
            #expect(try await bob.events().count { $0.event["type"] == "callOffer" } == 1)
            #expect(try await bob.countCalls() == 0)
            // Invalid invitations and a repeated invitation cause errors.
            for params in [
                #"{"callId":"AQID","invitation":{}}"#, #"{"callId":"","invitation":{"callType":\#(type)}}"#,
                #"{"callId":"AQID","invitation":{"callType":{"media":"video","capabilities":{"encryption":"yes"}}}}"#,
            ] {
                try await refused("x.call.inv", params, as: unreadable)
            }
            let items = try await bob.run("/_get chat @1 count=100").itemIds.count
            try await refused(
                "x.call.inv",
                #"{"callId":"AQID","invitation":{"callType":\#(type),"callDhPubKey":"\#(weak)"}}"#,
                as: "error processing chat message x.call.inv"
            )
            let same = SharedMessageID.random()
            for _ in 0..<2 {
                try await alice.sendRaw(
                    "x.call.inv",
                    #"{"callId":"AQID","invitation":{"callType":\#(type),"callDhPubKey":"\#(key)"}}"#,
                    sharedID: same
                )
            }
            try await alice.run("/_send @1 text the end")
            try await waitForText("the end", bob)
            #expect(try await bob.run("/_get chat @1 count=100").itemIds.count == items + 2)
            #expect(try await bob.events().count { $0.event["type"] == "callInvitation" } == 1)
            #expect(try await bob.countCalls() == 1)
            // The refused events have not changed the call, so the call continues.
            #expect(try await bob.run(Self.offerCommand())["type"] == "cmdOk")
            #expect(
                try await alice.wait(for: "messageError")[0]["errorMessage"] == "x.call.offer: wrong contact or callId"
            )
        }
    }

    @Test
    func `If a contact forbids calls, the user cannot call, and a call that arrives is shown as prohibited`()
        async throws
    {
        try await withConnectedPeople { alice, bob in
            try await bob.run(#"/_set prefs @1 {"calls":{"allow":"no"}}"#)
            try await alice.wait(for: "contactUpdated")
            let refused = try await alice.run("/_call invite @1 \(Self.videoCallType)")
            #expect(
                refused["errorType"] == ["type": "commandError", "message": "feature not allowed Audio/video calls"]
            )
            try await alice.sendRaw(
                "x.call.inv",
                #"{"callId":"AQID","invitation":{"callType":\#(Self.audioCallType)}}"#
            )
            try await waitForText("Audio/video calls: received, prohibited", bob)
            #expect(try await bob.run("/_call get")["callInvitations"] == [])
            #expect(try await bob.run(Self.offerCommand()).errorType == "noCurrentCall")
            #expect(try await bob.events().allSatisfy { $0.event["type"] != "callInvitation" })
        }
    }

    @Test
    func `Deleting a contact ends the current call with this contact on both sides`() async throws {
        try await withConnectedPeople { alice, bob in
            // Bob's core adopts the time. The same command of Bob would send nothing after that.
            try await alice.run(#"/_set prefs @1 {"timedMessages":{"allow":"yes","ttl":3600}}"#)
            try await bob.wait(for: "contactUpdated")
            try await alice.run("/_call invite @1 \(Self.videoCallType)")
            try await bob.wait(for: "callInvitation")
            #expect(try await bob.run("/_get chat @1 count=1")["chat"]?["chatItems"]?[0]?["meta"]?["itemTimed"] == nil)
            try await bob.run("/_call reject @1")
            let timed = try await bob.run("/_get chat @1 count=1")["chat"]?["chatItems"]?[0]?["meta"]?["itemTimed"]
            #expect(timed?["ttl"] == 3600 && timed?["deleteAt"] != nil)
            // Alice still has the call, and deletes its item. The call can be ended nevertheless.
            let item = try #require(try await alice.run("/_get chat @1 count=1").itemIds.last)
            try await alice.run("/_delete item @1 \(item) internal")
            #expect(try await alice.run("/_call end @1")["type"] == "cmdOk")
            try await bob.run("/_call invite @1 \(Self.videoCallType)")
            try await alice.wait(for: "callInvitation")
            try await alice.run(Self.offerCommand())
            try await bob.wait(for: "callOffer")
            try await alice.run("/_delete @1 entity notify=on")
            try await bob.wait(for: "contactDeletedByContact")
            for core in [alice, bob] {
                #expect(try await core.wait(for: "callEnded").count == 1)
                #expect(try await core.countCalls() == 0)
                #expect(try await core.run("/_call end @1").errorType == "noCurrentCall")
            }
            #expect(
                try await bob.run("/_get chat @1 count=10").itemTexts.contains { $0.hasPrefix("outgoing call: ended") }
            )
        }
    }

    @Test
    func `Each profile has its own call invitations, and a hidden profile's invitations are not listed`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.createUser("anna")
        try await connectUsers(alice, 2, to: bob, 1)
        try await bob.run("/_call invite @1 \(Self.videoCallType)", as: 1)
        try await bob.run("/_call invite @2 \(Self.videoCallType)", as: 1)
        try await alice.wait(for: "callInvitation", count: 2)
        func users(_ answer: JSONValue) -> [JSONValue?]? {
            answer["callInvitations"]?.arrayValue?.map { $0["user"]?["userId"] }
        }
        #expect(users(try await alice.run("/_call get")) == [1, 2])
        #expect(users(try await alice.run("/_call get", as: 2)) == [2])
        #expect(try await alice.run("/_call reject @1", as: 2)["type"] == "cmdOk")
        #expect(users(try await alice.run("/_call get")) == [1])
        #expect(try await alice.run(Self.offerCommand(), as: 2).errorType == "noCurrentCall")
        try await alice.run(#"/_hide user 1 "secret""#, as: 1)
        try await alice.run("/_user 2")
        #expect(users(try await alice.run("/_call get")) == [])
        for core in [alice, bob] { await core.controller.close() }
    }
}

extension Core {
    /// Returns the kind, the status and the text of the newest item with contact 1.
    func newestCallItem() async throws -> [String] {
        let item = try await run("/_get chat @1 count=1")["chat"]?["chatItems"]?[0]
        return [item?["content"]?["type"], item?["content"]?["status"], item?["meta"]?["itemText"]].map {
            $0?.stringValue ?? ""
        }
    }

    /// Returns the number of stored calls.
    func countCalls() async throws -> Int64 {
        try await controller.store.read { db in try db.firstRow("SELECT count(*) AS n FROM calls")?.int64("n") ?? 0 }
    }

    /// Returns the id of the call with contact 1 in the form in which messages contain it.
    func storedCallID() async throws -> String? {
        try await controller.store.read { db in
            try db.firstRow("SELECT shared_call_id FROM calls WHERE contact_id = 1").map {
                CallID(bytes: try $0.blob("shared_call_id")).text
            }
        }
    }
}
