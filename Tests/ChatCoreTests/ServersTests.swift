import ChatAPI
import JSON
import SMP
import TestSupport
import Testing
import XFTPTestSupport

@testable import Agent
@testable import ChatCore

/// Operators, conditions and servers, compared with the recording `servers`.
@Suite(.socketTimeLimit) struct ServersTests {
    /// Returns the server of a profile in a world with one relay, as JSON.
    private func ownServerJSON(_ world: World, _ change: String = #""enabled":true,"deleted":false"#) -> String {
        #"{"serverId":1,"server":"\#(world.relay.address.str)","preset":false,\#(change)}"#
    }

    @Test
    func `A new profile has the servers from the configuration, and its list of server operators is empty`()
        async throws
    {
        let world = try await World()
        let alice = try await world.core("alice")
        try await alice.createUser("alice")
        let answer = try await alice.run("/_servers 1")
        #expect(
            answer["userServers"] == [
                ["smpServers": [try JSONValue(parsing: ownServerJSON(world))], "xftpServers": [], "chatRelays": []]
            ]
        )
        let operators = try await alice.run("/_operators")["conditions"]
        #expect(operators?["serverOperators"] == [])
        #expect(operators?["currentConditions"]?["conditionsId"] == 2)
        #expect(operators?["currentConditions"]?["conditionsCommit"] == "05f99634c470f8bddac20046947a0606938b22ad")
        #expect(operators?["conditionsAction"] == nil)
        #expect(try await alice.run("/_servers 9").errorType == "differentActiveUser")
        await alice.controller.close()
    }

    @Test
    func `Lists of servers are validated as in the original, and only valid lists are stored`() async throws {
        let world = try await World()
        let alice = try await world.core("alice")
        try await alice.createUser("alice")
        let address = world.relay.address.str
        let again = #"{"server":"\#(address)","preset":false,"tested":true,"enabled":true,"deleted":false}"#
        func errors(_ servers: String) async throws -> JSONValue? {
            try await alice.run(#"/_validate_servers 1 [{"smpServers":[\#(servers)],"xftpServers":[]}]"#)[
                "serverErrors"
            ]
        }
        #expect(try await errors(ownServerJSON(world)) == [])
        let none: JSONValue = [["type": "noServers", "protocol": "smp"]]
        #expect(try await errors(ownServerJSON(world, #""enabled":false,"deleted":false"#)) == none)
        #expect(try await errors(ownServerJSON(world, #""enabled":true,"deleted":true"#)) == none)
        let duplicate: JSONValue = [
            "type": "duplicateServer", "protocol": "smp", "duplicateServer": .string(address),
            "duplicateHost": "127.0.0.1",
        ]
        #expect(try await errors(ownServerJSON(world) + "," + again) == [duplicate, duplicate])
        let refused = try await alice.run(
            #"/_servers 1 [{"smpServers":[\#(ownServerJSON(world, #""enabled":false,"deleted":false"#))],"xftpServers":[]}]"#
        )
        #expect(
            refused["errorType"]?["message"]?.stringValue
                == "user servers validation error(s): [USENoServers {protocol = AProtocolType SPSMP, user = Nothing}]"
        )
        #expect(try await alice.run("/_servers 1")["userServers"]?[0]?["smpServers"]?[0]?["enabled"] == true)
        let nonsense =
            #"[{"smpServers":[{"server":"nonsense","preset":false,"enabled":true,"deleted":false}],"xftpServers":[]}]"#
        #expect(try await alice.run("/_servers 1 \(nonsense)").errorType == "commandError")
        await alice.controller.close()
    }

    @Test
    func `New queues are created on enabled servers, and the settings of servers survive a restart`() async throws {
        let (world, other) = (try await World(), try await World())
        let alice = try await world.core("alice")
        try await alice.createUser("alice")
        let second = other.relay.address.str
        let lists =
            #"[{"smpServers":[\#(ownServerJSON(world, #""enabled":false,"deleted":false"#)),{"server":"\#(second)","preset":false,"enabled":true,"deleted":false}],"xftpServers":[]}]"#
        // Both relays have the same host, which is refused until the first one is removed.
        #expect(try await alice.run("/_servers 1 \(lists)").errorType == "commandError")
        let moved = lists.replacing(#""enabled":false,"deleted":false"#, with: #""enabled":false,"deleted":true"#)
        #expect(try await alice.run("/_servers 1 \(moved)") == ["type": "cmdOk"])
        let servers = try await alice.run("/_servers 1")["userServers"]?[0]?["smpServers"]
        #expect(servers?.arrayValue?.map { $0["server"] } == [.string(second)])
        let link = try await alice.run("/_connect 1 incognito=off")["connLinkInvitation"]?["connFullLink"]?.stringValue
        let request = try ConnectionRequest(parsing: #require(link))
        #expect(request.queues.first?.server.keyHash == other.relay.address.keyHash)
        await alice.controller.close()
        let again = try await world.core("alice")
        #expect(try await again.run("/_servers 1")["userServers"]?[0]?["smpServers"] == servers)
        await again.controller.close()
    }

    @Test
    func `If the user has set no servers, servers of a changed configuration replace the earlier servers`() async throws
    {
        let (world, other) = (try await World(), try await World())
        let alice = try await world.core("alice")
        try await alice.createUser("alice")
        await alice.controller.close()
        let moved = try await world.core("alice", servers: [other.relay.address])
        let servers = try await moved.run("/_servers 1")["userServers"]?[0]?["smpServers"]
        #expect(servers?.arrayValue?.map { $0["server"] } == [.string(other.relay.address.str)])
        await moved.controller.close()
    }

    @Test(arguments: ServerPresets.allCases)
    func `A start with unchanged servers in the configuration commits nothing to the databases`(
        _ presets: ServerPresets
    ) async throws {
        let world = try await World()
        let first = try await world.core("alice", presets: presets)
        try await first.createUser("alice")
        await first.controller.close()
        // The first start after the creation of the profile may still store values, so it is not counted.
        try await world.core("alice", presets: presets).controller.close()
        let again = try await world.core("alice", presets: presets)
        #expect(again.controller.commitCounts == DatabaseCommitCounts())
        await again.controller.close()
    }

    @Test(arguments: ServerPresets.allCases)
    func `A new profile has the preset servers that its user chooses, also after a restart`(
        _ presets: ServerPresets
    ) async throws {
        let world = try await World()
        let first = try await world.core("alice", presets: presets)
        try await first.createUser("alice")
        let new = NewUser(
            profile: Profile(displayName: "bob", fullName: ""),
            pastTimestamp: false,
            userChatRelay: false,
            clientService: false,
            servers: presets == .relay ? .network : .relay
        )
        let answer = await first.controller.send(.users(.createActiveUser(newUser: new)), with: .all)
        guard case .result(.activeUser) = answer else {
            Issue.record("\(answer)")
            return
        }
        let wanted = presets == .relay ? [4, 3, 0] : [0, 0, 1]
        #expect(try await enabledRelayCounts(2, in: first) == wanted)
        await first.controller.close()
        let again = try await world.core("alice", presets: presets)
        #expect(try await enabledRelayCounts(2, in: again) == wanted)
        let relays = try await again.run("/_servers 2")["userServers"]?[0]?["chatRelays"]?.arrayValue ?? []
        #expect(relays.count { $0["enabled"] == true } == (presets == .relay ? 2 : 0))
        await again.controller.close()
    }

    /// Returns the number of enabled relays of a profile, by operator.
    private func enabledRelayCounts(_ user: Int, in core: Core) async throws -> [Int] {
        let lists = try await core.run("/_servers \(user)")["userServers"]?.arrayValue ?? []
        return lists.map { $0["smpServers"]?.arrayValue?.count { $0["enabled"] == true } ?? 0 }
    }

    @Test
    func `Servers are used according to the roles of their operators, and the user can accept the conditions`()
        async throws
    {
        let alice = try await World().core("alice", servers: [], presets: .network)
        try await alice.createUser("alice")
        var conditions = try #require(try await alice.run("/_operators")["conditions"])
        #expect(conditions["serverOperators"]?.arrayValue?.map { $0["tradeName"] } == ["SimpleX Chat", "Flux"])
        #expect(conditions["conditionsAction"]?["type"] == "review")
        #expect(conditions["conditionsAction"]?["showNotice"] == true)
        let lists = try #require(try await alice.run("/_servers 1")["userServers"]?.arrayValue)
        let enabled = lists.map { $0["smpServers"]?.arrayValue?.count { $0["enabled"] == true } }
        #expect(enabled == [4, 3, 0])
        let relays = lists[0]["chatRelays"]?.arrayValue ?? []
        #expect(relays.count == 3 && relays.allSatisfy { $0["preset"] == true })
        #expect(relays.count { $0["enabled"] == true } == 2)
        #expect(conditions["serverOperators"]?[1]?["smpRoles"] == ["storage": false, "proxy": true, "names": true])
        let found = try await alice.controller.store.read { db in try UserRecord.find(1, in: db) }
        let user = try #require(found).agentUserId
        let agent = alice.controller.services.agent
        for _ in 0..<20 {
            let server = try await agent.chooseServer(of: user)
            #expect(server.str.contains(".simplex.im"))
        }
        #expect(try await alice.run("/_accept_conditions 99 1").errorType == "usageConditionsNotFound")
        #expect(try await alice.run("/_accept_conditions 2 7").errorType == "operatorNotFound")
        conditions = try #require(try await alice.run("/_accept_conditions 2 1,2")["conditions"])
        #expect(conditions["conditionsAction"]?["type"] == "accepted")
        #expect(conditions["serverOperators"]?[0]?["conditionsAcceptance"]?["type"] == "accepted")
        #expect(try await alice.run("/_conditions")["acceptedConditions"]?["conditionsId"] == 2)
        // Disables the operator SimpleX Chat, and uses the other operator also for queues.
        var operators = (conditions["serverOperators"]?.arrayValue ?? []).compactMap(\.objectValue)
        try #require(operators.count == 2)
        operators[0]["enabled"] = false
        operators[1]["smpRoles"] = ["storage": true, "proxy": true]
        _ = try await alice.run("/_operators \(JSONValue.array(operators.map(JSONValue.object)).text)")
        #expect(try await agent.chooseServer(of: user).str.contains(".simplexonflux.com"))
        await alice.controller.close()
    }

    @Test(arguments: [ServerPresets.network, .relay])
    func `A new profile gets contact cards only if the profile has the preset servers of the network`(
        presets: ServerPresets
    ) async throws {
        let alice = try await World().core("alice", presets: presets) { $0.addsContactCards = true }
        try await alice.createUser("alice")
        let chats = try await alice.run("/_get chats 1 pcc=on")["chats"]?.arrayValue ?? []
        let cards = chats.compactMap { $0["chatInfo"]?["contact"] }
        let names = Set(cards.compactMap { $0["profile"]?["displayName"]?.stringValue })
        #expect(names == (presets == .network ? ["SimpleX Chat status", "SimpleX Chat support"] : []), "\(chats)")
        for card in cards {
            #expect(card["activeConn"] == nil, "\(card)")
            let link = try #require(card["profile"]?["contactLink"]?.stringValue)
            let plan = try await alice.run("/_connect plan 1 \(link)")["connectionPlan"]?["contactAddressPlan"]
            #expect(plan?["type"] == "contactViaAddress" && plan?["contact"]?["contactId"] == card["contactId"])
        }
        await alice.controller.close()
    }

    @Test
    func `Newer conditions of use must be accepted again, and count as accepted after the deadline if they were shown`()
        async throws
    {
        let alice = try await World().core("alice", servers: [], presets: .network)
        try await alice.createUser("alice")
        try await alice.run("/_accept_conditions 2 1")
        let operators = ServerPresets.network.operators
        /// Starts the store after some days. The notice was shown after the given days; nil if it was not shown.
        func startAgain(_ days: Int64, shownAfter shown: Int64?) async throws -> JSONValue {
            try await alice.controller.store.write { tx in
                let created = tx.now.adding(seconds: -days * 86_400)
                try tx.db.execute(
                    "UPDATE usage_conditions SET created_at = ?, notified_at = ? WHERE usage_conditions_id = 3",
                    [created.nanoseconds, shown.map { created.adding(seconds: $0 * 86_400).nanoseconds }]
                )
                try ServerOperators.storePresets(operators, tx)
            }
            return try #require(try await alice.run("/_operators")["conditions"])
        }
        try await alice.controller.store.write { tx in
            try tx.db.execute("UPDATE usage_conditions SET conditions_commit = 'earlier'", [])
            try tx.db.execute("UPDATE operator_usage_conditions SET conditions_commit = 'earlier'", [])
        }
        let new = try await startAgain(0, shownAfter: nil)
        #expect(new["currentConditions"]?["conditionsId"] == 3, "\(new)")
        #expect(new["conditionsAction"]?["type"] == "review" && new["conditionsAction"]?["showNotice"] == true)
        let first = new["serverOperators"]?[0]?["conditionsAcceptance"]
        #expect(first?["type"] == "required" && first?["deadline"] != nil, "\(new)")
        #expect(try await alice.run("/_conditions")["acceptedConditions"]?["conditionsCommit"] == "earlier")
        // Without a notice, and after a notice that was shown too late, there is no deadline.
        for shown in [15, nil] as [Int64?] {
            let late = try await startAgain(60, shownAfter: shown)
            let acceptance = late["serverOperators"]?[0]?["conditionsAcceptance"]
            #expect(acceptance?["type"] == "required" && acceptance?["deadline"] == nil, "\(late)")
        }
        let waiting = try await startAgain(32, shownAfter: 2)
        #expect(waiting["serverOperators"]?[0]?["conditionsAcceptance"]?["type"] == "required", "\(waiting)")
        #expect(waiting["conditionsAction"]?["showNotice"] == false)
        let passed = try await startAgain(34, shownAfter: 2)
        let acceptance = passed["serverOperators"]?[0]?["conditionsAcceptance"]
        #expect(acceptance?["type"] == "accepted" && acceptance?["autoAccepted"] == true, "\(passed)")
        // The conditions of the other operator were never accepted.
        #expect(passed["serverOperators"]?[1]?["conditionsAcceptance"]?["type"] == "required", "\(passed)")
        await alice.controller.close()
    }

    @Test
    func `A command marks conditions of use as shown, and causes no error for unknown conditions`() async throws {
        let alice = try await World().core("alice")
        #expect(try await alice.run("/_conditions_notified 99") == ["type": "cmdOk"])
        #expect(try await alice.run("/_conditions")["usageConditions"]?["notifiedAt"] == nil)
        #expect(try await alice.run("/_conditions_notified 2") == ["type": "cmdOk"])
        #expect(try await alice.run("/_conditions")["usageConditions"]?["notifiedAt"]?.stringValue != nil)
        await alice.controller.close()
    }

    @Test
    func `A test of a server connects to the server, and its answer contains the step that failed`() async throws {
        let world = try await World()
        let alice = try await world.core("alice")
        try await alice.createUser("alice")
        let good = world.relay.address
        let answer = try await alice.run("/_server test 1 \(good.str)")
        #expect(
            answer["testServer"]?.stringValue == good.str && answer["type"] == "serverTestResult"
                && answer["testFailure"] == nil,
            "\(answer)"
        )
        var foreign = good
        foreign.keyHash = OtherHash.invertedHash(good.keyHash)
        let failure = try await alice.run("/_server test 1 \(foreign.str)")["testFailure"]
        #expect(
            failure == [
                "testStep": "connect",
                "testError": [
                    "type": "BROKER", "brokerAddress": .string(foreign.str),
                    "brokerErr": ["type": "NETWORK", "networkError": ["type": "unknownCAError"]],
                ],
            ]
        )
        var nobody = good
        nobody.port = "1"
        #expect(
            try await alice.run("/_server test 1 \(nobody.str)")["testFailure"]?["testError"]?["brokerErr"]?[
                "networkError"
            ]?["type"] == "connectError"
        )
        #expect(try await alice.run("/_server test 1 nonsense").errorType == "commandError")
        await alice.controller.close()
    }

    @Test
    func `The test of a file server uploads and downloads a file, and the answer names the step that failed`()
        async throws
    {
        let world = try await World()
        let alice = try await world.core("alice")
        try await alice.createUser("alice")
        var configuration = FileServer.Configuration()
        configuration.password = "secret"
        let server = try await FileServer(configuration)
        var good = server.server
        good.password = "secret"
        let answer = try await alice.run("/_server test 1 \(good.str)")
        #expect(
            answer["testServer"]?.stringValue == good.str && answer["type"] == "serverTestResult"
                && answer["testFailure"] == nil,
            "\(answer)"
        )
        #expect(server.requests == ["hello", "hello", "FNEW", "FPUT", "FGET", "FDEL"] && server.chunkCount == 0)
        // The error contains the address without the password.
        let address = JSONValue.string(server.server.str)
        for password in [nil, "wrong"] {
            good.password = password
            #expect(
                try await alice.run("/_server test 1 \(good.str)")["testFailure"] == [
                    "testStep": "createFile",
                    "testError": ["type": "XFTP", "serverAddress": address, "xftpErr": ["type": "AUTH"]],
                ]
            )
        }
        var foreign = server.server
        foreign.keyHash = OtherHash.invertedHash(foreign.keyHash)
        #expect(
            try await alice.run("/_server test 1 \(foreign.str)")["testFailure"] == [
                "testStep": "connect",
                "testError": [
                    "type": "BROKER", "brokerAddress": .string(foreign.str),
                    "brokerErr": ["type": "NETWORK", "networkError": ["type": "unknownCAError"]],
                ],
            ]
        )
        var relay = server.server
        relay.scheme = .smp
        let refused = try await alice.run("/_server test 1 \(relay.str)")["testFailure"]
        #expect(
            refused?["testStep"] == "connect"
                && refused?["testError"]?["brokerErr"]?["networkError"]?["type"] == "tLSError"
        )
        // The address of a message relay is refused as a file server.
        var other = world.relay.address
        other.scheme = .xftp
        #expect(try await alice.run("/_server test 1 \(other.str)")["testFailure"]?["testError"]?["type"] == "BROKER")
        var notifications = server.server
        notifications.scheme = .ntf
        #expect(try await alice.run("/_server test 1 \(notifications.str)")["testFailure"]?["testStep"] == "connect")
        await server.stop()
        var nobody = server.server
        nobody.port = "1"
        let absent = try await alice.run("/_server test 1 \(nobody.str)")["testFailure"]
        #expect(
            absent?["testStep"] == "connect"
                && absent?["testError"]?["brokerErr"]?["networkError"]?["type"] == "connectError"
        )
        await alice.controller.close()
    }

    private enum OtherHash {
        static func invertedHash(_ bytes: [UInt8]) -> [UInt8] { bytes.map { $0 ^ 1 } }
    }
}
