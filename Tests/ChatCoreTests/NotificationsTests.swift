import ChatAPI
import JSON
import NTFTestSupport
import SimpleXCrypto
import TestSupport
import Testing

@testable import ChatCore

/// The commands about pushes, as a program on a device sends them.
@Suite(.socketTimeLimit) struct NotificationsTests {
    private static let pushToken = "apns_test abababababababababababababababababababababababababababababababab"
    private static let parsingError: JSONValue = [
        "type": "error", "errorType": ["type": "commandError", "message": "Failed reading: empty"],
    ]

    /// Alice has a device, and bob is her contact.
    private struct NotificationStage {
        let server: NotificationServer
        let alice: Core
        let bob: Core

        init() async throws {
            let world = try await World()
            let server = try await NotificationServer()
            self.server = server
            alice = try await world.core("alice") { $0.notificationServers = [server.server] }
            bob = try await world.core("bob")
            try await alice.createUser("alice")
            try await bob.createUser("bob")
            try await connectUsers(alice, 1, to: bob, 1)
        }

        /// Returns the nonce and the box of a push, in the form of a command.
        static func commandArguments(_ push: NotificationServer.Push) -> String {
            "\(Base64URL.encode(push.nonce)) \(Base64URL.encode(push.sealedContent))"
        }

        func activateToken() async throws {
            #expect(
                try await alice.run("/_ntf register \(pushToken) INSTANT") == [
                    "type": "ntfTokenStatus", "status": "REGISTERED",
                ]
            )
            let push = try #require(server.pushes.last)
            #expect(try await alice.run("/_ntf verify \(pushToken) \(Self.commandArguments(push))")["type"] == "cmdOk")
        }

        func waitForPush(_ count: Int) async throws -> NotificationServer.Push {
            func messages() -> [NotificationServer.Push] { server.pushes.filter { $0.kind == .message } }
            try await waitUntil("\(count) pushes") { messages().count >= count }
            return messages()[count - 1]
        }

        func stopAll() async {
            await alice.controller.close()
            await bob.controller.close()
            await server.stop()
        }
    }

    @Test
    func `After a device token is registered, a push notification identifies the contact's connection and the message`()
        async throws
    {
        let setting = try await NotificationStage()
        let (alice, server) = (setting.alice, setting.server)
        try await setting.activateToken()
        let saved = try await alice.run("/_ntf get")
        #expect(saved["type"] == "ntfToken" && saved["status"] == "ACTIVE" && saved["ntfMode"] == "INSTANT")
        #expect(saved["ntfServer"]?.stringValue == server.server.str)
        #expect(
            saved["token"] == ["pushProvider": "apns_test", "token": .string(String(Self.pushToken.dropFirst(10)))]
        )
        #expect(try await alice.run("/_ntf check \(Self.pushToken)") == ["type": "ntfTokenStatus", "status": "ACTIVE"])
        try await waitUntil("subscription") { server.subscriptionCount == 1 }
        try await setting.bob.run("/_send @1 text hello")
        let push = try await setting.waitForPush(1)
        let answer = try await alice.run("/_ntf conns \(NotificationStage.commandArguments(push))")
        let conn = try #require(answer["ntfConns"]?.arrayValue?.first)
        #expect(
            answer["type"] == "ntfConns" && conn["user"]?["userId"] == 1
                && conn["connEntity"]?["type"] == "rcvDirectMsgConnection"
        )
        #expect(conn["connEntity"]?["contact"]?["localDisplayName"] == "bob")
        #expect(conn["agentConnId"] == conn["connEntity"]?["contact"]?["activeConn"]?["agentConnId"])
        let (id, queue) = (
            try #require(conn["agentConnId"]?.stringValue), try #require(conn["agentDbQueueId"]?.integerValue)
        )
        let time = try #require(conn["expectedMsg_"]?["msgTs"]?.stringValue)
        let refused = try await alice.run("/_ntf conn messages \(id):\(queue):\(time)")
        #expect(
            refused["receivedMsgs"] == [
                [
                    "type": "error",
                    "ntfMsgError": [
                        "type": "CMD", "cmdErr": ["type": "PROHIBITED"],
                        "errContext":
                            "getConnectionMessage: the queue is subscribed, so its messages arrive by themselves",
                    ],
                ]
            ]
        )
        let summary = try await alice.run("/get servers summary 1")
        let stats = summary["serversSummary"]?["currentUserNtf"]?["currentlyUsedNtfServers"]?[0]
        #expect(
            stats?["ntfServer"]?.stringValue == server.server.str && stats?["known"] == true
                && stats?["stats"]?["_ntfCreated"] == 1
        )
        #expect(try await alice.run("/_ntf delete \(Self.pushToken)")["type"] == "cmdOk")
        try await waitUntil("deletion") { server.tokenCount == 0 }
        let left = try await alice.run("/_ntf get")
        #expect(left.errorType == "PROHIBITED" || left["type"] == "errorAgent", "\(left)")
        await setting.stopAll()
    }

    @Test
    func `A core started for a push notification receives the waiting message, and reports it as item and event`()
        async throws
    {
        let setting = try await NotificationStage()
        let alice = setting.alice
        try await setting.activateToken()
        try await waitUntil("subscription") { setting.server.subscriptionCount == 1 }
        try await alice.run("/_stop")
        try await setting.bob.run("/_send @1 text in the background")
        let push = try await setting.waitForPush(1)
        #expect(try await alice.run("/_start main=off")["type"] == "chatStarted")
        let conn = try #require(
            try await alice.run("/_ntf conns \(NotificationStage.commandArguments(push))")["ntfConns"]?[0]
        )
        let (id, queue) = (
            try #require(conn["agentConnId"]?.stringValue), try #require(conn["agentDbQueueId"]?.integerValue)
        )
        let expected = try #require(conn["expectedMsg_"])
        let command = "/_ntf conn messages \(id):\(queue):\(try #require(expected["msgTs"]?.stringValue))"
        #expect(try await alice.run(command)["receivedMsgs"] == [["type": "info", "ntfMsgInfo": expected]])
        try await waitForText("in the background", alice)
        let event = try #require(try await alice.wait(for: "ntfMessage").first)
        #expect(
            event["ntfMessage"]?["msgId"] == expected["msgId"]
                && event["connEntity"]?["contact"]?["localDisplayName"] == "bob"
        )
        #expect(try await alice.run(command)["receivedMsgs"] == [["type": "info"]])
        await setting.stopAll()
    }

    @Test
    func `Muting a chat removes the notifier of its queue from the relay, and unmuting the chat adds a notifier`()
        async throws
    {
        let setting = try await NotificationStage()
        let alice = setting.alice
        try await setting.activateToken()
        func deleted() -> Int {
            alice.controller.services.agent.serverStates().1.reduce(0) { $0 + ($1.statistics?.ntfKeyDeleted ?? 0) }
        }
        func created() -> Int {
            alice.controller.services.agent.serverStates().1.reduce(0) { $0 + ($1.statistics?.ntfKey ?? 0) }
        }
        try await waitUntil("notifier") { created() == 1 }
        try await alice.run(#"/_settings @1 {"enableNtfs":"none","favorite":false}"#)
        try await waitUntil("no notifier") { deleted() == 1 }
        try await alice.run(#"/_settings @1 {"enableNtfs":"all","favorite":false}"#)
        try await waitUntil("notifier again") { created() == 2 }
        await setting.stopAll()
    }

    @Test
    func `Notification commands with an invalid token, nonce or encrypted push, or an unknown token, are refused`()
        async throws
    {
        let setting = try await NotificationStage()
        let alice = setting.alice
        let nonce = Base64URL.encode([UInt8](repeating: 0, count: 24))
        for command in [
            "/_ntf register \(Self.pushToken) NOW", "/_ntf register apns_test aba INSTANT",
            "/_ntf register apns_test xyxy INSTANT",
            "/_ntf register apns_other abab INSTANT",
            "/_ntf register apns_test \(String(repeating: "ab", count: 128)) INSTANT",
            "/_ntf register apns_prod test_ntf_token INSTANT", "/_ntf conn messages AAAA:BBBB:2024-01-01T00:00:00Z",
            "/_ntf conn messages AAAA",
        ] { #expect(throws: CommandParseError.self, "\(command)") { try ChatCommand(parsing: command) } }
        for command in [
            "/_ntf verify \(Self.pushToken) short abcd", "/_ntf verify \(Self.pushToken) \(nonce) =",
            "/_ntf conns \(nonce) !",
            "/_ntf conns AAAA abcd",
            "/_ntf conn messages !:1:2024-01-01T00:00:00Z", "/_ntf conn messages AAAA:1:yesterday",
        ] { #expect(try await alice.run(command) == Self.parsingError, "\(command)") }
        let tooMany = (0..<1_001).map { _ in "YWJj:1:2024-01-01T00:00:00Z" }.joined(separator: ",")
        #expect(try await alice.run("/_ntf conn messages \(tooMany)").errorType == "commandError")
        let unknown = try await alice.run("/_ntf conn messages YWJj:1:2024-01-01T00:00:00Z")
        #expect(unknown["receivedMsgs"]?[0]?["type"] == "error")
        // Bob has no notification server.
        let answer = try await setting.bob.run("/_ntf register \(Self.pushToken) INSTANT")
        #expect(answer["agentError"]?["errContext"] == "createToken")
        await setting.stopAll()
    }
}
