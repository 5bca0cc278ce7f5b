import Agent
import Foundation
import JSON
import NIOCore
import SMP
import SimpleXCrypto
import Synchronization

/// A chat relay in the benchmark of a channel's owner. It announces to the owner that members have joined, as many as
/// the benchmark requests.
final class AnnouncingRelay: Sendable {
    private struct State {
        var address = ""
        var ownerConnection: ConnectionID?
        var hasRoster = false
    }

    private let agent: Agent
    private let user: AgentUserID
    private let state = Mutex(State())

    private static let profileJSON = #"{"relayProfile":{"displayName":"rel","fullName":""}}"#

    init(folder: String, relay: ProtocolServer, group: any EventLoopGroup) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        agent = try await Agent.open(
            configuration: AgentConfiguration(databasePath: folder + "/relay_agent.db", databaseKey: .none),
            group: group
        )
        user = try await agent.createUser(servers: [relay])
        try await agent.start { [weak self] events in for event in events { try await self?.handleEvent(event) } }
        let root = try Ed25519.PrivateKey()
        let (_, _, link) = try await agent.createAddress(
            user: user,
            userData: Array(Self.profileJSON.utf8),
            type: .relay,
            identity: LinkIdentity(rootKey: root, entityID: Digest.sha256(root.publicKey.rawRepresentation))
        )
        guard let link else { throw ChannelPeers.Failure.noLink }
        state.withLock { $0.address = link.uri }
    }

    var address: String { state.withLock { $0.address } }

    func close() async { await agent.close() }

    private func handleEvent(_ event: AgentEvent) async throws {
        switch event {
        case .request(_, let invitation, connInfo: let info):
            guard let relayInvitation = (try? JSONValue(parsing: info))?["params"]?["groupRelayInvitation"],
                let text = relayInvitation["relayMemberId"]?.stringValue,
                let id = try? Base64URL.decode(text)
            else { return }
            let (_, _, link) = try await agent.createAddress(
                user: user,
                userData: Array(Self.profileJSON.utf8),
                type: .group,
                identity: LinkIdentity(rootKey: Ed25519.PrivateKey(), entityID: id)
            )
            guard let link else { return }
            let connection = try await agent.prepareAcceptance(invitation, pqSupport: false)
            state.withLock { $0.ownerConnection = connection }
            try await agent.acceptRequest(
                invitation,
                connection: connection,
                connInfo: Self.encodeMessage("x.grp.relay.acpt", #"{"relayLink":"\#(link.uri)"}"#)
            )
        case .message(let id, let meta, notify: _, body: let body):
            agent.acknowledgeMessages(connection: id, messageIDs: [meta.recipientInfo.id])
            guard String(decoding: body, as: UTF8.self).contains(#""x.grp.roster""#) else { return }
            try await sendMessage(Self.encodeMessage("x.grp.roster.ack", #"{"version":0}"#), named: "roster")
            state.withLock { $0.hasRoster = true }
        default: break
        }
    }

    private static func encodeMessage(_ event: String, _ params: String) -> [UInt8] {
        Array(
            #"{"v":"1-19","msgId":"\#(Base64URL.encode(ChannelPeers.makeID()))","event":"\#(event)","params":\#(params)}"#
                .utf8
        )
    }

    private func sendMessage(_ body: [UInt8], named name: String) async throws {
        guard let owner = state.withLock({ $0.ownerConnection }) else { throw ChannelPeers.Failure.notAnswered }
        _ = try await agent.acceptMessages([
            OutgoingMessage(connection: owner, notify: false, body: body, externalID: name)
        ])
    }

    /// Announces to the channel's owner that `count` members have joined, in as few messages as possible.
    func announceMembers(_ count: Int) async throws {
        let deadline = NIODeadline.now() + .seconds(60)
        while !state.withLock({ $0.hasRoster }) {
            guard NIODeadline.now() < deadline else { throw ChannelPeers.Failure.timedOut("the owner") }
            try await Task.sleep(for: .milliseconds(5))
        }
        var left = count
        while left > 0 {
            let elements = try (0..<min(left, 50)).map { index in
                let info =
                    #"{"memberId":"\#(Base64URL.encode(ChannelPeers.makeID()))","memberKey":"\#(Base64URL.encode(try Ed25519.PrivateKey().publicKey.spki))","memberRole":"observer","profile":{"displayName":"subscriber\#(left - index)","fullName":""},"v":"1-19"}"#
                return Array(#"{"v":"1-19","event":"x.grp.mem.new","params":{"memberInfo":\#(info)}}"#.utf8)
            }
            var body = [UInt8(ascii: "="), UInt8(elements.count)]
            for element in elements { body += [UInt8(element.count >> 8), UInt8(element.count & 255)] + element }
            try await sendMessage(body, named: "members \(left)")
            left -= elements.count
        }
    }
}

/// Measures the gateway of a channel's owner: the time until a post is answered, without members and with many members.
func measureChannelOwner(
    executable: String,
    folder: String,
    members: Int,
    posts: Int,
    group: any EventLoopGroup
) async throws -> [Figure] {
    let relay = try MeasuredProcess(
        executable,
        ["relay", "--data", folder + "/owner-relay", "--port", "\(try FreePort.takeNext())", "--quota", "100000"],
        log: folder + "/owner-relay.log"
    )
    defer { relay.terminateProcess() }
    guard let line = relay.waitForLine(containing: "Relay:"), let address = line.split(separator: " ").last,
        let server = try? ProtocolServer(parsing: String(address))
    else { throw HTTPConnection.Failure.closed }
    let gateway = try await BenchedGateway(
        folder: folder + "/owner",
        port: try FreePort.takeNext(),
        relay: String(address),
        executable: executable,
        group: group
    )
    let peer = try await AnnouncingRelay(folder: folder + "/owner-peer", relay: server, group: group)
    do {
        let few = try await measurePostAnswers(gateway, peer, members: 0, posts: posts)
        let many = try await measurePostAnswers(gateway, peer, members: members, posts: posts)
        await peer.close()
        await gateway.stop()
        return [
            Figure(
                name: "answer to the owner's post in a channel without subscribers, median of \(posts)",
                value: percentile(few, 0.5),
                unit: "ms"
            ),
            Figure(
                name: "answer to the owner's post in a channel with \(members) subscribers, median of \(posts)",
                value: percentile(many, 0.5),
                unit: "ms",
                target: .atMost(10)
            ),
            Figure(name: "99 of 100 of them within", value: percentile(many, 0.99), unit: "ms"),
        ]
    } catch {
        await peer.close()
        await gateway.stop()
        throw error
    }
}

/// Measures the times in milliseconds until the owner's posts are answered.
/// - Parameter members: the number of members who join before the posts.
private func measurePostAnswers(
    _ gateway: BenchedGateway,
    _ relay: AnnouncingRelay,
    members: Int,
    posts: Int
) async throws -> [Double] {
    if members == 0 {
        try await gateway.createUser("alice")
        let servers = try await gateway.sendRequest("GET", "/v1/users/1/servers")["userServers"]?.arrayValue ?? []
        let listed = JSONValue.array(
            servers.enumerated().map { index, server in
                guard index == servers.count - 1, case .object(var object) = server else { return server }
                object["chatRelays"] = [
                    [
                        "address": .string(relay.address), "relayProfile": ["displayName": "rel", "fullName": ""],
                        "domains": [], "preset": false, "enabled": true, "deleted": false,
                    ]
                ]
                return .object(object)
            }
        )
        _ = try await gateway.sendRequest("PUT", "/v1/users/1/servers", #"{"userServers":\#(listed.text)}"#)
        _ = try await gateway.sendRequest(
            "POST",
            "/v1/users/1/channels",
            #"{"relayIds":[1],"groupProfile":{"displayName":"news","fullName":""}}"#
        )
    }
    try await relay.announceMembers(members)
    let deadline = NIODeadline.now() + .seconds(600)
    try await gateway.reconnect()
    while true {
        let group = try await gateway.sendRequest("GET", "/v1/users/1/groups/1")["groupInfo"]
        // The number of members in the group includes the owner.
        if group?["groupSummary"]?["publicMemberCount"]?.integerValue == Int64(members + 1) { break }
        guard NIODeadline.now() < deadline else { throw ChannelPeers.Failure.timedOut("the members") }
        try await Task.sleep(for: .milliseconds(50))
    }
    var times: [Double] = []
    for number in 0..<posts {
        let start = NIODeadline.now()
        _ = try await gateway.sendRequest(
            "POST",
            "/v1/users/1/chats/group/1/messages",
            BenchedGateway.makeTextMessage("post \(number)")
        )
        times.append(millisecondsPassed(since: start))
        try await Task.sleep(for: .milliseconds(20))
    }
    return times
}
