import Foundation
import JSON
import TestSupport
import Testing

/// Tests of a gateway that uses a phone. The gateway and the phone, which is another gateway, are killed. The devices
/// must remain paired, and no session may remain half open.
@Suite(.socketTimeLimit, .faultTests) struct RemoteHostKillTests {
    /// The progress of a session at the kill.
    private enum KillMoment: CaseIterable {
        case offered, codeShown, connected
    }

    @Test
    func `After a kill of the desktop's or phone's gateway, both end their remote session, and can start a new one`()
        async throws
    {
        try await withNodes { desk, phone in
            // Before the pairing is complete, nothing of the session is kept.
            let lost = try await offerSession(desk, nil)
            try await requestCode(of: phone, lost)
            await desk.restart()
            try await waitForEvents(phone, "remoteCtrlStopped", 1)
            #expect(try await desk.callForObject("GET", "/v1/remote-hosts")["remoteHosts"] == [])
            #expect(try await desk.callForObject("GET", "/v1/remote-hosts/new/session") == [:])
            try await runSession(desk, phone, nil)

            for killsDesk in [true, false] {
                for moment in KillMoment.allCases {
                    if moment == .connected {
                        if try await readState(desk) == nil { try await runSession(desk, phone, 1) }
                    } else {
                        if try await readState(desk) != nil {
                            _ = try await desk.callForObject("DELETE", "/v1/remote-hosts/1/session")
                        }
                        try await waitUntilNoSession(desk, phone)
                        let link = try await offerSession(desk, 1)
                        if moment == .codeShown { try await requestCode(of: phone, link) }
                    }
                    let killed = killsDesk ? desk : phone
                    await killed.restart()
                    if !killsDesk, moment == .offered {
                        _ = try await desk.callForObject("DELETE", "/v1/remote-hosts/1/session")
                    }
                    try await waitUntilNoSession(desk, phone)
                    // Both sides have the pairing exactly once.
                    #expect(
                        try await desk.callForObject("GET", "/v1/remote-hosts")["remoteHosts"]?.arrayValue?.count == 1
                    )
                    #expect(
                        try await phone.callForObject("GET", "/v1/remote-control/controllers")["remoteCtrls"]?
                            .arrayValue?
                            .count == 1
                    )
                    let status = try await desk.call("GET", "/v1/remote-hosts/1/users").status
                    #expect(status == 404)
                    try await runSession(desk, phone, 1)
                }
            }
        }
    }

    /// Waits until neither side has a session.
    private func waitUntilNoSession(_ desk: Node, _ phone: Node) async throws {
        try await waitUntil("desktop and phone have no session") {
            let own = try await phone.callForObject("GET", "/v1/remote-control/session")["sessionState"]
            let other = try await readState(desk)
            return own == nil && other == nil
        }
    }

    private func readState(_ desk: Node) async throws -> JSONValue? {
        try await desk.callForObject("GET", "/v1/remote-hosts/1/session")["sessionState"]
    }

    /// Offers a session, and returns its link.
    private func offerSession(_ desk: Node, _ id: Int64?) async throws -> JSONValue {
        var body: JSONObject = ["address": ["address": "127.0.0.1", "interface": "lo"]]
        if let id { body["remoteHostId"] = .integer(id) }
        return try #require(try await desk.callForObject("POST", "/v1/remote-hosts", .object(body))["invitation"])
    }

    /// Makes the phone use the link and show the code.
    @discardableResult
    private func requestCode(of phone: Node, _ link: JSONValue) async throws -> JSONValue {
        _ = try await phone.callForObject("POST", "/v1/remote-control/connect", ["xrcpInvitation": link])
        var code: JSONValue?
        try await waitUntil("the phone shows the code") {
            let state = try await phone.callForObject("GET", "/v1/remote-control/session")["sessionState"]
            if state?["type"] == "pendingConfirmation" { code = state?["sessionCode"] }
            return code != nil
        }
        return try #require(code)
    }

    /// Runs a whole session, until the desktop reads data of the phone.
    private func runSession(_ desk: Node, _ phone: Node, _ id: Int64?) async throws {
        let code = try await requestCode(of: phone, try await offerSession(desk, id))
        _ = try await phone.callForObject("POST", "/v1/remote-control/session/verify", ["sessionCode": code])
        // A new phone gets its number when the desktop has stored the phone. Until then the answer is 404.
        try await waitUntil("the phone is connected") { (try? await readState(desk))?["type"] == "connected" }
        let users = try await desk.callForObject("GET", "/v1/remote-hosts/1/users")["users"]?.arrayValue
        #expect(users?.first?["user"]?["localDisplayName"] == "someone")
    }

    private func waitForEvents(_ node: Node, _ event: String, _ times: Int) async throws {
        var count = 0
        try await node.readJournal { entry in
            if entry["event"]?["type"]?.stringValue == event { count += 1 }
            return count == times
        }
    }

    private func withNodes(_ body: (Node, Node) async throws -> Void) async throws {
        try await Folder.withNewFolder { folder in
            let desk = Node(folder: folder.path + "/desk", ["--relay-port", "\(TestPort.takeUnused())"])
            let phone = Node(folder: folder.path + "/phone", ["--relay-port", "\(TestPort.takeUnused())"])
            do {
                _ = try await desk.waitUntilRunning()
                _ = try await phone.callForObject(
                    "POST",
                    "/v1/users",
                    ["profile": ["displayName": "someone", "fullName": ""]]
                )
                try await body(desk, phone)
            } catch {
                await desk.stop()
                await phone.stop()
                throw error
            }
            await desk.stop()
            await phone.stop()
        }
    }
}
