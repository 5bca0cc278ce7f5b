import ChatAPI
import JSON
import Testing

@testable import ChatCore

@Suite("Chat relays of a profile", .socketTimeLimit)
struct ChatRelayTests {
    @Test
    func `A list of chat relays with an invalid or repeated address is refused`() async throws {
        let world = try await World()
        let alice = try await world.core("alice")
        try await alice.createUser("alice")
        let (one, two) = (try await ScriptedRelay("one", in: world), try await ScriptedRelay("two", in: world))
        func relays() async throws -> [JSONValue] {
            try await alice.run("/_servers 1")["userServers"]?[0]?["chatRelays"]?.arrayValue ?? []
        }
        func set(_ relays: String...) async throws -> JSONValue {
            try await alice.run(
                #"/_servers 1 [{"smpServers":[],"xftpServers":[],"chatRelays":[\#(relays.joined(separator: ","))]}]"#
            )
        }
        let servers = try await alice.run("/_servers 1")["userServers"]?[0]?["smpServers"]?.text ?? ""
        func check(_ command: String, _ relays: String...) async throws -> JSONValue {
            try await alice.run(
                #"/\#(command) 1 [{"smpServers":\#(servers),"xftpServers":[],"chatRelays":[\#(relays.joined(separator: ","))]}]"#
            )
        }
        #expect(try await check("_servers", one.serverListEntry, two.serverListEntry)["type"] == "cmdOk")
        #expect(try await relays().map { $0["relayProfile"]?["displayName"] } == ["one", "two"])
        #expect(try await relays().map { $0["chatRelayId"] } == [1, 2])
        let twice =
            try await check("_validate_servers", one.serverListEntry, one.serverListEntry)["serverErrors"]?.arrayValue
            ?? []
        #expect(
            twice.count == 2
                && twice.allSatisfy {
                    $0["type"] == "duplicateChatRelayAddress" && $0["duplicateAddress"]?.stringValue == one.address
                }
        )
        #expect(try await check("_servers", one.serverListEntry, one.serverListEntry).errorType == "commandError")
        #expect(
            try await check("_validate_servers", one.serverListEntry)["serverWarnings"]?.arrayValue?.contains {
                $0["type"] == "noChatRelays"
            } == false
        )
        for bad in [
            "hello", world.relay.address.str, "https://example.org/", one.address.replacing("/r#", with: "/i#"),
        ] {
            #expect(
                try await check("_servers", one.serverListEntry.replacing(one.address, with: bad)).errorType
                    == "commandError",
                "\(bad)"
            )
        }
        // The refused commands have changed nothing, so both relays remain.
        #expect(try await relays().count == 2)
        #expect(try await alice.run("/relays name=uno \(one.address)")["type"] == "cmdOk")
        #expect(try await relays().map { $0["chatRelayId"] } == [1])
        #expect(try await relays().first?["relayProfile"]?["displayName"] == "uno")
        #expect(
            try await alice.run("/_public group 1 2 \(ChannelOwnerTests.profileJSON)").errorType
                == "userChatRelayNotFound"
        )
        #expect(try await alice.run("/relays name=uno \(one.address) name=due \(two.address)")["type"] == "cmdOk")
        #expect(try await relays().map { $0["chatRelayId"] } == [1, 2])
        let shown = try await alice.run("/relays")["userServers"]?[0]
        #expect(shown?["smpServers"] == [] && shown?["chatRelays"]?.arrayValue?.count == 2)
        // A profile cannot use the relays of another profile, so the list is empty and the command fails.
        try await alice.createUser("bob")
        #expect(try await alice.run("/_servers 2")["userServers"]?[0]?["chatRelays"] == [])
        #expect(
            try await alice.run("/_public group 2 1 \(ChannelOwnerTests.profileJSON)", as: 2).errorType
                == "userChatRelayNotFound"
        )
        for relay in [one, two] { await relay.close() }
        await alice.controller.close()
    }

    @Test
    func `The test of a chat relay succeeds only if the answer is signed with the key of the relay's address`()
        async throws
    {
        let world = try await World()
        let alice = try await world.core("alice") { $0.relayTestTimeout = .seconds(5) }
        try await alice.createUser("alice")
        let relay = try await ScriptedRelay("rel", in: world)
        func step(_ address: String) async throws -> String? {
            let answer = try await alice.run("/_relay test 1 \(address)")
            #expect(answer["type"] == "chatRelayTestResult", "\(answer)")
            return answer["relayTestFailure"]?["rtfStep"]?.stringValue
        }
        for (test, expected) in [
            (ScriptedRelay.Script.TestAnswer.signed, nil), (.forged, "verify"), (.unsigned, "verify"),
            (.otherMessage, "waitResponse"), (.noMessage, "waitResponse"),
            (.silence, "waitResponse"),
        ] {
            relay.script.testAnswer = test
            #expect(try await step(relay.address) == expected, "\(test)")
        }
        let answer = try await alice.run("/relay test \(relay.address)")
        #expect(answer["relayProfile"]?["displayName"] == "rel")
        let own = try #require(try await alice.run("/_address 1")["connLinkContact"]?["connShortLink"]?.stringValue)
        #expect(try await step(own) == "decodeLink")
        #expect(try await alice.run("/_relay test 1 hello").errorType == "commandError")
        // The tests of relays leave no rows in the database.
        let left = try await alice.controller.store.read { db in
            (try db.query("SELECT 1 FROM relay_tests").count, try db.query("SELECT 1 FROM connections").count)
        }
        #expect(left == (0, 0))
        await relay.close()
        await alice.controller.close()
    }
}
