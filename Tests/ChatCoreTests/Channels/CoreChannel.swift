import ChatAPI
import Foundation
import JSON
import TestSupport
import Testing

@testable import ChatCore

/// A channel of real cores: alice is the owner, "rel" is the relay, and others join as subscribers.
struct CoreChannel {
    static let profileJSON =
        #"{"displayName":"news","fullName":"","groupPreferences":{"history":{"enable":"on"},"support":{"enable":"on"}}}"#

    let world: World
    var alice: Core
    let relay: Core

    /// - Parameters:
    ///   - isServed: whether the relay runs when the channel is created. The relay gets the request in both cases.
    ///   - queueQuota: maximum of waiting messages in each queue of the message relay.
    init(isServed: Bool = true, queueQuota: Int = 128) async throws {
        world = try await World(queueQuota: queueQuota)
        (alice, relay) = (try await world.core("alice"), try await world.core("rel"))
        try await alice.createUser("alice")
        try await relay.createUser("rel", isChatRelay: true)
        let address = try #require(await relay.run("/_address 1")["connLinkContact"]?["connShortLink"]?.stringValue)
        if !isServed { await relay.controller.stop() }
        try #require(try await alice.run("/relays name=rel \(address)")["type"] == "cmdOk")
        let made = try await alice.run("/_public group 1 1 \(Self.profileJSON)")
        try #require(made["type"] == "publicGroupCreated", "\(made)")
        if isServed { try await waitForRelay() }
    }

    /// Waits until the link lists the relay.
    func waitForRelay() async throws {
        for told in 1... {
            let event = try await alice.wait(for: "groupLinkDataUpdated", count: told)[told - 1]
            if event["groupRelays"]?[0]?["relayStatus"] == "active" { return }
        }
    }

    /// Ends alice's process without a stop, and opens her core again.
    mutating func killAlice() async throws {
        try FileManager.default.copyItem(
            at: world.directory.appending(path: "alice"),
            to: world.directory.appending(path: "again")
        )
        await alice.controller.close()
        alice = try await world.core("again", key: World.databaseKey(of: "alice"))
    }

    /// Makes a new core join by the link, and waits until relay and owner know it.
    func joinSubscriber(_ name: String, isIncognito: Bool = false) async throws -> Core {
        let core = try await world.core(name)
        try await core.createUser(name)
        let (served, known) = (
            try await countEvents("joinedGroupMember", relay),
            try await countEvents("joinedGroupMemberConnecting", alice)
        )
        let link = try #require(
            try await alice.run("/_get link #1")["groupLink"]?["connLinkContact"]?["connShortLink"]?.stringValue
        )
        let plan = try await core.run("/_connect plan 1 \(link)")
        let data = try #require(plan["connectionPlan"]?["groupLinkPlan"]?["groupSLinkData_"], "\(plan)")
        let full = try #require(plan["connLink"]?["connFullLink"]?.stringValue)
        try await core.run("/_prepare group 1 \(full) \(link) direct=off \(data.text)")
        let joined = try await core.run("/_connect group #1 incognito=\(isIncognito ? "on" : "off")")
        try #require(joined["type"] == "startedConnectionToGroup", "\(joined)")
        try await core.wait(for: "userJoinedGroup")
        try await relay.wait(for: "joinedGroupMember", count: served + 1)
        try await alice.wait(for: "joinedGroupMemberConnecting", count: known + 1)
        return core
    }

    private func countEvents(_ event: String, _ core: Core) async throws -> Int {
        try await core.events().count { $0.event["type"]?.stringValue == event }
    }

    func close(_ others: Core...) async { for core in [alice, relay] + others { await core.controller.close() } }
}

extension Core {
    /// Posts as the channel.
    @discardableResult
    func postAsChannel(_ text: String) async throws -> JSONValue {
        let sent = try await run(
            #"/_send #1(as_group=on) live=off ttl=default json [{"msgContent":{"type":"text","text":"\#(text)"},"mentions":{}}]"#
        )
        try #require(sent["type"] == "newChatItems", "\(sent)")
        return sent
    }

    func channelInfo() async throws -> JSONValue { try #require(try await run("/_info #1")["groupInfo"]) }

    func listChannelMembers() async throws -> [JSONValue] {
        try await run("/_members #1")["group"]?["members"]?.arrayValue ?? []
    }

    /// Returns the number of the named member in this core.
    func channelMemberNumber(_ name: String) async throws -> Int64 {
        let member = try await listChannelMembers().first { $0["localDisplayName"]?.stringValue == name }
        return try #require(member?["groupMemberId"]?.integerValue, "\(name)")
    }
}
