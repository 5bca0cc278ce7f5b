import ChatAPI
import JSON
import SMPTestSupport
import TestSupport
import Testing

@testable import ChatCore

/// The network settings, compared with the recording `network-config`.
@Suite(.socketTimeLimit) struct NetworkTests {
    /// Returns the first recorded answer to a command.
    private func recordedAnswer(_ command: String) throws -> JSONValue {
        let frames = try Fixture.readTranscript("network-config")
        let corrId = try #require(frames.first { $0["cmd"]?.stringValue == command }?["corrId"])
        return try #require(frames.first { $0["dir"] == "resp" && $0["corrId"] == corrId }?["json"])
    }

    private func configJSON(_ change: (inout NetworkConfig) -> Void) throws -> String {
        var config = NetworkConfig.standard
        change(&config)
        return try JSONEncoder().encodeValue(config).text
    }

    @Test
    func `The default network settings equal the defaults of the original, and changes survive a restart`() async throws
    {
        let world = try await World()
        let alice = try await world.core("alice")
        #expect(try await alice.run("/network") == recordedAnswer("/network"))
        let changed = try configJSON {
            $0.smpProxyMode = .never
            $0.sessionMode = .server
            $0.socksProxy = "me:secret@:9150"
            $0.tcpKeepAlive = nil
            $0.smpPingInterval = 0
        }
        #expect(try await alice.run("/_network \(changed)") == ["type": "cmdOk"])
        let answer = try await alice.run("/network")
        #expect(answer["networkConfig"]?["socksProxy"] == "me:secret@127.0.0.1:9150")
        await alice.controller.close()
        let again = try await world.core("alice")
        #expect(try await again.run("/network") == answer)
        #expect(again.controller.services.agent.networkSettings.sessionMode == .server)
        #expect(again.controller.services.agent.networkSettings.proxyPolicy.mode == .neverProxied)
        #expect(again.controller.services.agent.networkSettings.clientConfiguration.transport.socks?.port == 9150)
        await again.controller.close()
    }

    @Test
    func `An invalid network configuration is refused, and the configuration stays unchanged`() async throws {
        let alice = try await World().core("alice")
        let before = try await alice.run("/network")
        for text in [
            try configJSON { $0.socksProxy = "nowhere.example:9050" },
            try configJSON { $0.tcpTimeout.interactiveTimeout = 0 },
            try configJSON { $0.smpPingCount = -1 },
        ] {
            #expect(try await alice.run("/_network \(text)").errorType == "commandError")
        }
        #expect(throws: CommandParseError.self) {
            try ChatCommand(parsing: "/_network \(try configJSON { $0.hostMode = HostMode(rawValue: "maybe") })")
        }
        #expect(try await alice.run("/network") == before)
        await alice.controller.close()
    }

    @Test
    func `Sessions with servers are renewed by '/reconnect' and by changed settings, but not by equal settings`()
        async throws
    {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        try await alice.run("/_network \(configJSON { _ in })")
        try await alice.run("/_network \(configJSON { $0.smpProxyMode = .never })")
        let connection = try await alice.run("/_contacts 1")["contacts"]?[0]?["activeConn"]?["agentConnId"]
        let lost = try await alice.waitForSubscription("pending")
        #expect(lost.count == 1)
        #expect(lost.first?["server"]?.stringValue == world.relay.address.str)
        #expect(lost.first?["connections"]?[0] == connection)
        let subscribed = try await alice.waitForSubscription("active").count
        #expect(try await alice.run("/reconnect") == ["type": "cmdOk"])
        try await alice.waitForSubscription("pending", count: 2)
        try await alice.waitForSubscription("active", count: subscribed + 1)
        #expect(try await alice.run("/reconnect 1 \(world.relay.address.str)") == ["type": "cmdOk"])
        try await alice.waitForSubscription("pending", count: 3)
        #expect(try await alice.run("/reconnect 9 \(world.relay.address.str)").errorType == "differentActiveUser")
        #expect(try await alice.run("/reconnect 1 nonsense").errorType == "commandError")
        try await bob.run(
            #"/_send @1 live=off ttl=default json [{"msgContent":{"type":"text","text":"still there?"},"mentions":{}}]"#
        )
        try await waitForText("still there?", alice)
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `All traffic goes through the configured SOCKS proxy, with a separate proxy user name for each user`()
        async throws
    {
        let world = try await World()
        let socks = try await SOCKSServer.start()
        let (alice, bob) = (try await world.core("alice"), try await world.core("bob"))
        try await alice.run("/_network \(configJSON { $0.socksProxy = ":\(socks.port)" })")
        try await alice.createUser("alice")
        try await alice.createUser("alicia")
        try await bob.createUser("bob")
        try await connectUsers(alice, 1, to: bob, 1)
        try await connectUsers(alice, 2, to: bob, 1)
        let names = socks.requests.map(\.username)
        #expect(Set(names).count == 2 && !names.contains(nil))
        #expect(socks.requests.allSatisfy { $0.host == "127.0.0.1" && String($0.port) == world.relay.address.port })
        await alice.controller.close()
        await bob.controller.close()
        await socks.stop()
    }

    @Test
    func `A sent item states whether its message was sent through a proxy, also after the receipt`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.run("/_network \(configJSON { $0.smpProxyMode = .never })")
        try await alice.run("/_send @1 text directly")
        try await alice.wait(for: "chatItemsStatusesUpdated", count: 2)
        try await alice.run("/_network \(configJSON { $0.smpProxyMode = .always })")
        try await alice.run("/_send @1 text by another way")
        let told = try await alice.wait(for: "chatItemsStatusesUpdated", count: 4)
        let metas = told.compactMap { $0["chatItems"]?[0]?["chatItem"]?["meta"] }
        #expect(metas.map { $0["itemStatus"]?["type"] } == ["sndSent", "sndRcvd", "sndSent", "sndRcvd"])
        #expect(metas.map { $0["sentViaProxy"] } == [false, false, true, true])
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A command with network information sets whether the agent is online, and refuses an unknown network type`()
        async throws
    {
        let alice = try await World().core("alice")
        #expect(try await alice.run(#"/_network info {"networkType":"none","online":false}"#) == ["type": "cmdOk"])
        #expect(!alice.controller.services.agent.isOnline)
        #expect(try await alice.run(#"/_network info {"networkType":"wifi","online":true}"#) == ["type": "cmdOk"])
        #expect(alice.controller.services.agent.isOnline)
        #expect(throws: CommandParseError.self) {
            try ChatCommand(parsing: #"/_network info {"networkType":"pigeon","online":true}"#)
        }
        await alice.controller.close()
    }

    @Test(arguments: [
        ("127.0.0.1:9050", "127.0.0.1:9050"), (":1080", "127.0.0.1:1080"), ("10.0.0.1", "10.0.0.1:9050"),
        ("", "127.0.0.1:9050"),
        ("@", "@127.0.0.1:9050"), ("user:pass@1.2.3.4:5", "user:pass@1.2.3.4:5"), ("user:@:5", "user:@127.0.0.1:5"),
        ("[::1]:9", "[::1]:9"),
        ("::1", "[::1]:9050"),
    ])
    func `The address of a SOCKS proxy is parsed, and written in its normal form`(text: String, written: String) {
        #expect(SOCKSAddress(text)?.text == written)
        #expect(SOCKSAddress(written)?.text == written)
    }

    @Test(arguments: ["host.example:1", "1.2.3.4:0", "1.2.3.4:65536", "1.2.3.4:x", "user@1.2.3.4", ":1:2", "[::1"])
    func `Texts that are not addresses of SOCKS proxies are refused`(text: String) {
        #expect(SOCKSAddress(text) == nil)
    }
}
