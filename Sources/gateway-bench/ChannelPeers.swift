import Agent
import Foundation
import JSON
import NIOCore
import SMP
import SimpleXCrypto
import Synchronization

/// The owner and the subscribers of a channel for the benchmark of a chat relay. They use the channel protocol over one
/// agent, and a chat relay serves them like real peers.
final class ChannelPeers: Sendable {
    enum Failure: Error { case noLink, notAnswered, timedOut(String) }

    private let agent: Agent
    private let user: AgentUserID
    private let rootKey: Ed25519.PrivateKey
    private let channelID: [UInt8]
    private let ownerKey: Ed25519.PrivateKey
    private let ownerID: [UInt8]
    private let state = Mutex(State())

    private struct State {
        var ownerConnection: ConnectionID?
        /// The link with which subscribers join the channel; nil until the chat relay has sent it.
        var relayLink: String?
        var connectedIDs: Set<ConnectionID> = []
        /// The number of subscribers who have received a post, by the text of the post.
        var arrivalCounts: [String: Int] = [:]
        var postCount = 0
    }

    static func makeID() -> [UInt8] { Array(Base64.encode(RandomBytes.make(count: 12)).utf8) }

    init(folder: String, relay: ProtocolServer, group: any EventLoopGroup) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        agent = try await Agent.open(
            configuration: AgentConfiguration(databasePath: folder + "/peers_agent.db", databaseKey: .none),
            group: group
        )
        user = try await agent.createUser(servers: [relay])
        rootKey = try Ed25519.PrivateKey()
        channelID = Digest.sha256(rootKey.publicKey.rawRepresentation)
        ownerKey = try Ed25519.PrivateKey()
        ownerID = Self.makeID()
        try await startAgent(receiving: true)
    }

    /// Starts the agent, which sends and receives the peers' messages.
    /// - Parameter receiving: whether messages are fetched. Otherwise they wait at the SMP relay.
    func startAgent(receiving: Bool) async throws {
        try await agent.start(subscribes: receiving) { [weak self] events in
            for event in events { try await self?.handleEvent(event) }
        }
    }

    func stopAgent() async { await agent.stop() }

    func closeAgent() async { await agent.close() }

    // MARK: Received messages

    private func handleEvent(_ event: AgentEvent) async throws {
        switch event {
        case .confirmation(let id, let confirmation, connInfo: let info):
            let isOwner = state.withLock { $0.ownerConnection == id }
            if isOwner {
                let link = (try? JSONValue(parsing: info))?["params"]?["relayLink"]?.stringValue
                state.withLock { $0.relayLink = link }
            }
            try await agent.allow(
                connection: id,
                confirmation: confirmation,
                connInfo: isOwner
                    ? Self.encodeMessage("x.ok", "{}")
                    : Self.encodeMessage("x.info", #"{"profile":\#(Self.profileJSON)}"#)
            )
        case .connected(let id): state.withLock { _ = $0.connectedIDs.insert(id) }
        case .message(let id, let meta, notify: _, body: let body):
            if let text = Self.findPost(in: body) { state.withLock { $0.arrivalCounts[text, default: 0] += 1 } }
            agent.acknowledgeMessages(connection: id, messageIDs: [meta.recipientInfo.id])
        default: break
        }
    }

    /// Returns the text of the last post in the body of a message; nil if there is none.
    private static func findPost(in body: [UInt8]) -> String? {
        let text = String(decoding: body, as: UTF8.self)
        guard let start = text.range(of: "post ", options: .backwards) else { return nil }
        return String(text[start.lowerBound...].prefix { $0 != "\"" })
    }

    private static let profileJSON = #"{"displayName":"subscriber","fullName":""}"#

    private static func encodeMessage(_ event: String, _ params: String) -> [UInt8] {
        Array(#"{"v":"1-19","msgId":"\#(Base64URL.encode(makeID()))","event":"\#(event)","params":\#(params)}"#.utf8)
    }

    private func signMessage(_ body: [UInt8], by key: Ed25519.PrivateKey, as id: [UInt8]) throws -> [UInt8] {
        let bound = [UInt8(ascii: "G"), UInt8(channelID.count)] + channelID + [UInt8(id.count)] + id
        let signature = try key.sign(bound + body)
        return Array("/G".utf8) + [1, UInt8(ascii: "M"), UInt8(signature.count)] + signature + body
    }

    func waitForCondition(_ what: String, seconds: Int64 = 600, until isDone: @Sendable () -> Bool) async throws {
        let deadline = NIODeadline.now() + .seconds(seconds)
        while !isDone() {
            guard NIODeadline.now() < deadline else { throw Failure.timedOut(what) }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    // MARK: The owner

    /// Makes the channel, and asks the chat relay at `address` to serve the channel.
    func makeChannel(at address: String) async throws {
        let id = Base64URL.encode(channelID)
        func makeProfileJSON(_ link: String) -> String {
            #"{"displayName":"news","fullName":"","publicGroup":{"groupType":"channel","groupLink":"\#(link)","publicGroupId":"\#(id)"},"groupPreferences":{"history":{"enable":"off"}}}"#
        }
        var data = ContactLinkData(
            userData: Array(#"{"groupProfile":\#(makeProfileJSON("https://example.org/c#AAAA"))}"#.utf8)
        )
        data.isDirect = false
        data.owners = [try LinkOwner(id: ownerID, key: ownerKey.publicKey, authorizedBy: rootKey)]
        let (_, _, made) = try await agent.createAddress(
            user: user,
            data: data,
            clientData: #"{"groupLinkId":"WaLrAvFILPIRQ7vKPamBpg=="}"#,
            type: .channel,
            identity: LinkIdentity(rootKey: rootKey, entityID: channelID)
        )
        guard let link = made else { throw Failure.noLink }
        let (request, _, _) = try await agent.fetchLinkData(user: user, ShortLink(parsing: address))
        let owner = try await agent.prepareJoin(user: user, request: request, pqSupport: false)
        state.withLock { $0.ownerConnection = owner }
        let invitation = #"""
            {"groupRelayInvitation":{"fromMember":{"memberId":"\#(Base64URL.encode(ownerID))","memberRole":"owner"},"fromMemberProfile":{"displayName":"alice","fullName":""},"groupLink":"\#(link.uri)","relayMemberId":"\#(Base64URL.encode(Self.makeID()))"}}
            """#
        _ = try await agent.join(
            connection: owner,
            request: request,
            connInfo: Self.encodeMessage("x.grp.relay.inv", invitation)
        )
        try await waitForCondition("the relay") { self.state.withLock { $0.connectedIDs.contains(owner) } }
    }

    /// Sends a post to the channel as its owner.
    /// - Returns: the text of the post.
    func sendPost() async throws -> String {
        let (owner, text) = state.withLock { state in
            state.postCount += 1
            return (state.ownerConnection, "post \(state.postCount)")
        }
        guard let owner else { throw Failure.noLink }
        let body = Self.encodeMessage("x.msg.new", #"{"asGroup":true,"content":{"type":"text","text":"\#(text)"}}"#)
        _ = try await agent.acceptMessages([
            OutgoingMessage(connection: owner, notify: true, body: body, externalID: text)
        ])
        return text
    }

    func arrivalCount(of text: String) -> Int { state.withLock { $0.arrivalCounts[text] ?? 0 } }

    // MARK: Subscribers

    /// Joins `count` subscribers to the channel, at most `atOnce` at the same time, and waits until all are connected.
    func joinPeers(_ count: Int, atOnce: Int = 32) async throws {
        guard let text = state.withLock({ $0.relayLink }) else { throw Failure.noLink }
        let (request, _, signers) = try await agent.fetchLinkData(user: user, ShortLink(parsing: text))
        guard let relay = signers.entityID else { throw Failure.noLink }
        let before = state.withLock { $0.connectedIDs.count }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for index in 0..<count {
                if index >= atOnce { try await tasks.next() }
                tasks.addTask { try await self.joinPeer(request, relay) }
            }
            try await tasks.waitForAll()
        }
        try await waitForCondition("subscribers") { self.state.withLock { $0.connectedIDs.count } >= before + count }
    }

    private func joinPeer(_ request: ConnectionRequest, _ relay: [UInt8]) async throws {
        let (id, key) = (Self.makeID(), try Ed25519.PrivateKey())
        let params =
            #"{"newMemberId":"\#(Base64URL.encode(id))","newMemberKey":"\#(Base64URL.encode(key.publicKey.spki))","profile":\#(Self.profileJSON),"viaRelay":"\#(Base64URL.encode(relay))"}"#
        let connection = try await agent.prepareJoin(user: user, request: request, pqSupport: false)
        _ = try await agent.join(
            connection: connection,
            request: request,
            connInfo: signMessage(Self.encodeMessage("x.member", params), by: key, as: id)
        )
    }
}
