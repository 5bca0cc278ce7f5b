import Foundation
import Gateway
import JSON
import TestSupport
import Testing

/// Calls over HTTP: routes, the states of profiles, and several clients of one profile.
@Suite(.socketTimeLimit) struct CallsTests {
    static let videoCall: JSONValue = ["media": "video", "capabilities": ["encryption": true]]
    static let callSession: JSONValue = ["rtcSession": "c2Vzc2lvbg", "rtcIceCandidates": "W10"]

    @Test
    func `Each step of a call is shown in answers, events and states as the contract describes`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let port = TestPort.takeUnused()
        var people: (Int64, Int64, String, String) = (0, 0, "", "")
        try await RealGateway.run(in: folder, relayPort: port) { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (bobOfAlice, aliceOfBob) = try await client.connectUsers(alice, bob)
            var cursor = try await client.call("GET", "/v1/events?cursor=now&timeout=0").json["cursor"]?.stringValue
            let (ours, theirs) = (
                "/v1/users/\(alice)/contacts/\(bobOfAlice)/call", "/v1/users/\(bob)/contacts/\(aliceOfBob)/call"
            )
            people = (alice, bob, ours, theirs)
            var (own, other) = (
                try await ModelFollower(client, "/v1/users/\(alice)/model"),
                try await ModelFollower(client, "/v1/users/\(bob)/model")
            )
            let (ownChat, otherChat) = ("@\(bobOfAlice)", "@\(aliceOfBob)")

            for _ in 0..<2 {
                // A repeated request does not send the call again.
                #expect(
                    try await client.post(ours, ["callType": Self.videoCall], headers: [("Idempotency-Key", "ring")])
                        .status
                        == 200
                )
            }
            try await own.advance { $0["activeCall"]?["callState"] == "invitationSent" }
            #expect(
                own.document["activeCall"]?["direction"] == "outgoing"
                    && own.document["activeCall"]?["callType"] == Self.videoCall
            )
            let rung = try await client.waitForEvent(after: &cursor, "callInvitation", user: bob)["callInvitation"]
            try await other.advance { $0["callInvitations"]?[otherChat]?["callUUID"] == rung?["callUUID"] }
            #expect(
                try await client.call("GET", "/v1/call-invitations").json["callInvitations"]?.arrayValue?.count == 1
            )
            #expect(other.document["activeCall"] == nil)

            // Two clients of bob show the call and both answer it, and only one of them gets the call.
            let offer: JSONValue = ["callOffer": ["callType": Self.videoCall, "rtcSession": Self.callSession]]
            let second = try await gateway.connectClient()
            async let first = client.post(theirs + "/offer", offer)
            async let late = second.post(theirs + "/offer", offer)
            let answers = [try await first, try await late]
            #expect(answers.map(\.status).sorted() == [200, 409])
            let loser = try #require(answers.first { $0.status == 409 })
            #expect(
                try loser.json["chatError"]?["errorType"] == ["type": "callState", "currentCallState": "offerSent"]
            )
            try await other.advance {
                $0["activeCall"]?["callState"] == "offerSent" && $0["callInvitations"]?[otherChat] == nil
            }
            #expect(other.document["activeCall"]?["sharedKey"] == rung?["sharedKey"])
            let read = try await client.call("GET", "/v1/users/\(bob)/chats").json["chats"]?.arrayValue ?? []
            #expect(read.allSatisfy { $0["chatStats"]?["unreadCount"] == 0 })
            try await other.advance {
                ($0["chats"]?.arrayValue ?? []).allSatisfy { $0["chatStats"]?["unreadCount"] == 0 }
            }
            _ = try await client.waitForEvent(after: &cursor, "callOffer", user: alice)
            try await own.advance { $0["activeCall"]?["callState"] == "offerReceived" }
            #expect(own.document["activeCalls"]?[ownChat]?["peerSession"] == Self.callSession)
            #expect(own.document["activeCall"]?["sharedKey"] == rung?["sharedKey"])
            for follower in [own, other] {
                var follower = follower
                try await follower.expectServerDocument()
            }
        }
        // A client that reads the state after a restart gets the call in its earlier state.
        try await RealGateway.run(in: folder, relayPort: port) { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob, ours, theirs) = people
            var cursor = try await client.call("GET", "/v1/events?cursor=now&timeout=0").json["cursor"]?.stringValue
            var (own, other) = (
                try await ModelFollower(client, "/v1/users/\(alice)/model"),
                try await ModelFollower(client, "/v1/users/\(bob)/model")
            )
            #expect(
                own.document["activeCall"]?["callState"] == "offerReceived"
                    && own.document["activeCall"]?["peerSession"] == Self.callSession
            )
            #expect(
                other.document["activeCall"]?["callState"] == "offerSent"
                    && other.document["activeCall"]?["direction"] == "incoming"
            )
            #expect(try await client.post(ours + "/answer", ["answer": Self.callSession]).status == 200)
            _ = try await client.waitForEvent(after: &cursor, "callAnswer", user: bob)
            for place in [ours, theirs] {
                #expect(
                    try await client.post(place + "/extra", ["extraInfo": ["rtcIceCandidates": "W10"]]).status == 200
                )
                #expect(try await client.put(place + "/status", ["callStatus": "connected"]).status == 200)
            }
            try await own.advance { $0["activeCall"]?["callStatus"] == "progress" }
            try await other.advance {
                $0["activeCall"]?["callState"] == "negotiated" && $0["activeCall"]?["callStatus"] == "progress"
            }
            #expect(try await client.call("DELETE", ours).status == 200)
            _ = try await client.waitForEvent(after: &cursor, "callEnded", user: bob)
            try await own.advance { $0["activeCall"] == nil && $0["activeCalls"] == [:] }
            try await other.advance { $0["activeCall"] == nil && $0["callInvitations"] == [:] }
            #expect(try await client.call("DELETE", ours).status == 409)
            try await own.expectServerDocument()
            try await other.expectServerDocument()
        }
    }

    @Test
    func `Invalid and too large requests for a call are refused`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (bobOfAlice, _) = try await client.connectUsers(alice, bob)
            let call = "/v1/users/\(alice)/contacts/\(bobOfAlice)/call"
            let wrong: [(String, JSONValue)] = [
                ("", ["callType": ["media": "hologram", "capabilities": ["encryption": true]]]),
                ("", ["callType": "video"]), ("", [:]),
                ("/offer", ["callOffer": ["callType": Self.videoCall]]),
                ("/answer", ["answer": ["rtcSession": 7, "rtcIceCandidates": ""]]),
                ("/extra", ["extraInfo": [:]]),
            ]
            for (path, body) in wrong {
                #expect(try await client.post(call + path, body).status == 422, "\(path) \(body)")
            }
            #expect(try await client.put(call + "/status", ["callStatus": "odd"]).status == 422)
            #expect(try await client.post(call, ["callType": Self.videoCall, "more": 1]).status == 400)
            #expect(try await client.post(call + "/reject", [:]).status == 409)
            #expect(
                try await client.post("/v1/users/\(alice)/contacts/99/call", ["callType": Self.videoCall]).status == 404
            )
            #expect(try await client.post(call, ["callType": Self.videoCall]).status == 200)
            for size in [20_000, 900_000] {
                let huge = JSONValue.string(String(repeating: "a", count: size))
                let answer = try await client.post(
                    call + "/answer",
                    ["answer": ["rtcSession": huge, "rtcIceCandidates": "W10"]]
                )
                #expect((400..<500).contains(answer.status), "\(size): \(answer.status)")
            }
            #expect(try await client.call("DELETE", call).status == 200)
            try await waitUntil("bob hears of the end") {
                try await client.call("GET", "/v1/call-invitations").json["callInvitations"] == []
            }
        }
    }

    @Test
    func `A key for one profile sees only the call invitations of this profile`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob, carol) = (
                try await client.createUser("alice"), try await client.createUser("bob"),
                try await client.createUser("carol")
            )
            var cursor = try await client.call("GET", "/v1/events?cursor=now&timeout=0").json["cursor"]?.stringValue
            for other in [bob, carol] {
                let (contact, _) = try await client.connectUsers(alice, other)
                #expect(
                    try await client.post("/v1/users/\(alice)/contacts/\(contact)/call", ["callType": Self.videoCall])
                        .status == 200
                )
            }
            for other in [bob, carol] {
                var begin = cursor
                _ = try await client.waitForEvent(after: &begin, "callInvitation", user: other)
            }
            cursor = nil
            #expect(
                try await client.call("GET", "/v1/call-invitations").json["callInvitations"]?.arrayValue?.count == 2
            )
            let key = try KeyFile(folder: gateway.folder).addKey(name: "bob", scopes: .read, userId: bob).key.text
            let bound = try await HTTPClient.connect(port: gateway.port, key: key)
            try await bound.waitForStatus(200, at: "/v1/call-invitations")
            let seen = try await bound.call("GET", "/v1/call-invitations").json["callInvitations"]?.arrayValue
            #expect(seen?.map { $0["user"]?["userId"] } == [.integer(bob)])
            let model = try await client.call("GET", "/v1/users/\(carol)/model").json["model"]
            #expect(model?["callInvitations"]?.objectValue?.count == 1)
            #expect(
                try await client.call("GET", "/v1/users/\(alice)/model").json["model"]?["activeCalls"]?.objectValue?
                    .count == 2
            )
            let reader = try KeyFile(folder: gateway.folder).addKey(name: "reader", scopes: .read).key.text
            let other = try await HTTPClient.connect(port: gateway.port, key: reader)
            try await other.waitForStatus(200, at: "/v1/call-invitations")
            #expect(try await other.post("/v1/users/\(bob)/contacts/1/call/reject", [:]).status == 403)
        }
    }

    @Test
    func `The servers for calls and the relay policy of calls can be set and read in the app settings`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let servers: JSONValue = [
                "stun:stun.example.org:443", "turn:name:secret@turn.example.org:443?transport=tcp",
            ]
            let settings: JSONValue = ["webrtcPolicyRelay": false, "webrtcICEServers": servers]
            let saved = try await client.put("/v1/settings/app", settings)
            #expect(saved.status == 200, "\(saved.text)")
            let read = try await client.call("GET", "/v1/settings/app").json["appSettings"]
            #expect(read?["webrtcICEServers"] == servers && read?["webrtcPolicyRelay"] == false)
        }
    }
}
