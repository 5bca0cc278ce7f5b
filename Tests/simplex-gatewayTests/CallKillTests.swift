import Foundation
import JSON
import TestSupport
import Testing

/// Tests that both sides agree on the state of a call, also if a process is killed in any state.
@Suite(.socketTimeLimit, .faultTests) struct CallKillTests {
    private static let callType: JSONValue = ["media": "video", "capabilities": ["encryption": true]]
    private static let callSession: JSONValue = ["rtcSession": "c2Vzc2lvbg", "rtcIceCandidates": "W10"]

    /// One step of a call: a request of one side, and the event at the other side.
    private struct CallStep {
        let isCaller: Bool
        let method: String
        let path: String
        let body: JSONValue?
        let event: String
    }

    private static let callSteps = [
        CallStep(isCaller: true, method: "POST", path: "", body: ["callType": callType], event: "callInvitation"),
        CallStep(
            isCaller: false,
            method: "POST",
            path: "/offer",
            body: ["callOffer": ["callType": callType, "rtcSession": callSession]],
            event: "callOffer"
        ),
        CallStep(isCaller: true, method: "POST", path: "/answer", body: ["answer": callSession], event: "callAnswer"),
        CallStep(
            isCaller: false,
            method: "POST",
            path: "/extra",
            body: ["extraInfo": ["rtcIceCandidates": "W10"]],
            event: "callExtraInfo"
        ),
        CallStep(isCaller: true, method: "DELETE", path: "", body: nil, event: "callEnded"),
    ]

    @Test
    func `A call between users continues, with one event for each step, if both gateways are killed at each step`()
        async throws
    {
        let chance = SharedRandom()
        try await Folder.withNewFolder { folder in
            let caller = Node(folder: folder.path + "/caller", ["--relay-port", "\(TestPort.takeUnused())"])
            let relay = try #require(try await caller.waitUntilRunning().relay)
            let callee = Node(folder: folder.path + "/callee", ["--no-relay", "--smp-server", relay])
            do {
                let contacts = try await caller.connectUsers(to: callee)
                for round in 0..<2 {
                    for (number, step) in Self.callSteps.enumerated() {
                        let (sender, receiver) = step.isCaller ? (caller, callee) : (callee, caller)
                        let place = "/v1/users/1/contacts/\(contacts[step.isCaller ? 0 : 1])/call"
                        let key = step.method == "POST" ? "\(round) \(number)" : nil
                        if round == 0 {
                            _ = try await sender.call(step.method, place + step.path, step.body, idempotencyKey: key)
                            await sender.restart()
                        } else {
                            async let answer = sender.call(
                                step.method,
                                place + step.path,
                                step.body,
                                idempotencyKey: key
                            )
                            try await chance.sleepRandomly(in: 0..<20_000)
                            await sender.restart()
                            let status = try await answer.status
                            // If the first request ended the call before the kill, the repeated request finds no call
                            // and gets 409.
                            #expect(
                                status == 200 || step.method == "DELETE" && status == 409,
                                "\(step.path): \(status)"
                            )
                        }
                        await receiver.restart()
                        try await expectEvent(receiver, step.event, times: round + 1)
                        try await expectInvitations(callee, number == 0 ? 1 : 0)
                    }
                    for (node, contact) in zip([caller, callee], contacts) {
                        let items = try await node.callForObject("GET", "/v1/users/1/chats/direct/\(contact)?limit=1")[
                            "chat"
                        ]?["chatItems"]
                        #expect(items?[0]?["content"]?["status"] == "ended", "\(items ?? .null)")
                        let status = try await node.call("DELETE", "/v1/users/1/contacts/\(contact)/call").status
                        #expect(status == 409)
                    }
                }
            } catch {
                await caller.stop()
                await callee.stop()
                throw error
            }
            await caller.stop()
            await callee.stop()
        }
    }

    /// Checks how many times the journal has the event.
    private func expectEvent(_ node: Node, _ event: String, times: Int) async throws {
        var count = 0
        try await node.readJournal { entry in
            if entry["event"]?["type"]?.stringValue == event { count += 1 }
            return count == times
        }
        let page = try await node.callForObject("GET", "/v1/events?limit=1000&types=\(event)")
        #expect(page["events"]?.arrayValue?.count == times, "\(event)")
    }

    private func expectInvitations(_ node: Node, _ count: Int) async throws {
        let waiting = try await node.callForObject("GET", "/v1/call-invitations")["callInvitations"]?.arrayValue
        #expect(waiting?.count == count)
    }
}
