import Foundation
import JSON
import SMPTestSupport
import Synchronization
import TestSupport
import Testing

@Suite("Changes of the system clock", .socketTimeLimit) struct ClockTests {
    @Test(arguments: [false, true])
    func `An event that a webhook refused is sent to it again, even if the system clock is set back by hours`(
        isKilled: Bool
    ) async throws {
        let isRefusing = Mutex(true)
        let receiver = try await HTTPReceiver.start { _ in .status(isRefusing.withLock { $0 } ? 500 : 200) }
        try await Folder.withNewFolder { folder in
            let clock = try await SetClock(in: folder.path + "/clock")
            let node = Node(
                folder: folder.path + "/one",
                ["--relay-port", "\(TestPort.takeUnused())", "--webhook-allow", "127.0.0.1"],
                environment: clock.environment
            )
            do {
                let url = JSONValue.string("http://127.0.0.1:\(receiver.port)/")
                let made = try await node.callForObject(
                    "POST",
                    "/v1/webhooks",
                    ["url": url, "types": ["contactConnected"]]
                )
                let id = try #require(made["webhook"]?["webhookId"]?.stringValue)
                for name in ["alice", "bob"] {
                    _ = try await node.callForObject(
                        "POST",
                        "/v1/users",
                        ["profile": ["displayName": .string(name), "fullName": ""]]
                    )
                }
                let link =
                    try await node.callForObject("POST", "/v1/users/1/connections/invitations", [:])[
                        "connLinkInvitation"
                    ]?[
                        "connFullLink"
                    ] ?? .null
                _ = try await node.callForObject("POST", "/v1/users/2/connections", ["connLink": link])
                try await waitUntil("the receiver has refused the webhook") {
                    try await node.callForObject("GET", "/v1/webhooks/\(id)")["firstFailedAt"] != nil
                }
                try clock.setOffset(-6 * 3600)
                isRefusing.withLock { $0 = false }
                if isKilled { await node.restart() }
                try await waitUntil("the events of both contacts are sent") {
                    let hook = try await node.callWhenOpen("GET", "/v1/webhooks/\(id)").json
                    return hook["waiting"] == 0 && hook["lastDeliveredAt"] != nil
                }
            } catch {
                await node.stop()
                throw error
            }
            await node.stop()
        }
    }
}
