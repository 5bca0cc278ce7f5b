import ChatAPI
import ChatProtocol
import Foundation
import JSON
import SMP
import SimpleXCrypto
import Synchronization
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore

/// A channel whose owner and relays are agents that the test controls. A relay sends any bytes that the test passes to
/// it.
final class ChannelNetwork: Sendable {
    /// A relay of the channel.
    struct Relay: Sendable {
        let id: MemberID
        /// The key of the relay's link.
        let linkKey: Ed25519.PrivateKey
        let addressID: ConnectionID
        let link: ShortLink
    }

    /// Requests, connections and messages that have reached the relays.
    struct RelayRecords: Sendable {
        /// Requests to join, by the number of the relay.
        var joinRequests: [(relay: Int, signed: SignedMessage, params: JSONValue)] = []
        /// Connected subscribers, by the number of the relay.
        var subscribersByRelay: [Int: [ConnectionID]] = [:]
        fileprivate var acceptedRelays: [ConnectionID: Int] = [:]
        /// Messages of subscribers.
        var receivedMessages: [(relay: Int, body: [UInt8])] = []
        fileprivate var sentCount = 0
        fileprivate var watchers: [@Sendable () -> Void] = []
    }

    struct MissingItem: Error { let what: String }

    let world: World
    let agent: Agent
    let rootKey: Ed25519.PrivateKey
    let owner: ChannelStage.Peer
    let entityID: [UInt8]
    private let ownerUser: AgentUserID, relayUser: AgentUserID
    private let channelLink = Mutex<(id: ConnectionID, link: ShortLink)?>(nil)
    private let relayList = Mutex<[Relay]>([])
    let relayRecords = Mutex(RelayRecords())
    /// The answer of a relay to a request to join. By default a relay admits everybody.
    let makeAnswer: @Sendable (_ relay: Relay, _ newcomer: MemberID, _ entityID: [UInt8]) -> [UInt8]?

    /// - Parameter server: the server for the links of the relays; nil for the relay of the world.
    init(
        relays count: Int,
        in world: World,
        at server: ProtocolServer? = nil,
        answer: @escaping @Sendable (Relay, MemberID, [UInt8]) -> [UInt8]? = {
            ChannelNetwork.invitationBody(from: $0.id, to: $1, id: $2)
        }
    ) async throws {
        self.world = world
        self.makeAnswer = answer
        rootKey = try Ed25519.PrivateKey()
        entityID = Digest.sha256(rootKey.publicKey.rawRepresentation)
        owner = ChannelStage.Peer(id: .random(), key: try Ed25519.PrivateKey())
        let folder = world.directory.appending(path: "channel-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        agent = try await Agent.open(
            configuration: AgentConfiguration(
                databasePath: folder.path + "/agent.db",
                databaseKey: .raw([UInt8](repeating: 1, count: 32))
            ),
            group: World.eventLoopGroup
        )
        ownerUser = try await agent.createUser(servers: [world.relay.address])
        relayUser = try await agent.createUser(servers: [server ?? world.relay.address])
        try await agent.start { [weak self] events in for event in events { try await self?.handleAgentEvent(event) } }
        for _ in 0..<count { try await addRelay() }
        try await publishRelays(Array(0..<count))
    }

    func close() async { await agent.close() }

    var relays: [Relay] { relayList.withLock { $0 } }
    var link: ShortLink { get throws { try #require(channelLink.withLock { $0?.link }) } }

    // MARK: The owner

    /// Adds a relay with a link that the channel does not list yet.
    /// - Parameter id: the id in the link; nil for a new id.
    @discardableResult
    func addRelay(id: [UInt8]? = nil, profile: String = #"{"displayName":"relay","fullName":""}"#) async throws -> Int {
        let key = try Ed25519.PrivateKey(), id = MemberID(bytes: id ?? MemberID.random().bytes)
        let (address, _, link) = try await agent.createAddress(
            user: relayUser,
            userData: Array(#"{"relayProfile":\#(profile)}"#.utf8),
            type: .group,
            identity: LinkIdentity(rootKey: key, entityID: id.bytes)
        )
        let relay = Relay(id: id, linkKey: key, addressID: address, link: try #require(link))
        return relayList.withLock { relays in
            relays.append(relay)
            return relays.count - 1
        }
    }

    /// Writes the link data of the channel with the given relays.
    func publishRelays(_ numbers: [Int], name: String = "news", members: Int = 3, userData: String? = nil) async throws
    {
        let shown =
            userData
            ?? #"{"groupProfile":\#(ChannelStage.profileJSON(name, id: entityID)),"publicGroupData":{"publicMemberCount":\#(members)}}"#
        var data = ContactLinkData(userData: Array(shown.utf8))
        data.isDirect = false
        data.relays = numbers.map { relays[$0].link }
        data.owners = [try LinkOwner(id: owner.id.bytes, key: owner.key.publicKey, authorizedBy: rootKey)]
        let clientData = #"{"groupLinkId":"WaLrAvFILPIRQ7vKPamBpg=="}"#
        if let id = channelLink.withLock({ $0?.id }) {
            try await agent.setLinkData(id, data: data, clientData: clientData, type: .channel)
        } else {
            let (id, _, link) = try await agent.createAddress(
                user: ownerUser,
                data: data,
                clientData: clientData,
                type: .channel,
                identity: LinkIdentity(rootKey: rootKey, entityID: entityID)
            )
            let made = try #require(link)
            channelLink.withLock { $0 = (id, made) }
        }
    }

    // MARK: The relays

    private func handleAgentEvent(_ event: AgentEvent) async throws {
        switch event {
        case .request(let address, let invitation, let info):
            guard let number = relays.firstIndex(where: { $0.addressID == address }),
                let signed = try? SignedMessage(info),
                let params = try? JSONValue(parsing: signed.body)["params"],
                let text = params["newMemberId"]?.stringValue, let newcomer = MemberID(parsing: text)
            else { return }
            relayRecords.withLock { $0.joinRequests.append((number, signed, params)) }
            if let answer = makeAnswer(relays[number], newcomer, entityID) {
                let id = try await agent.prepareAcceptance(invitation, pqSupport: false)
                relayRecords.withLock { $0.acceptedRelays[id] = number }
                try await agent.acceptRequest(invitation, connection: id, connInfo: answer)
            }
        case .connected(let id):
            relayRecords.withLock { seen in
                if let number = seen.acceptedRelays[id] { seen.subscribersByRelay[number, default: []].append(id) }
            }
        case .message(let id, let meta, _, let body):
            relayRecords.withLock { seen in
                if let number = seen.acceptedRelays[id] { seen.receivedMessages.append((number, body)) }
            }
            agent.acknowledgeMessages(connection: id, messageIDs: [meta.recipientInfo.id])
        default: return
        }
        for watcher in relayRecords.withLock({ $0.watchers }) { watcher() }
    }

    /// Encodes `x.grp.link.inv`.
    static func invitationBody(
        from relay: MemberID,
        to newcomer: MemberID,
        id: [UInt8],
        name: String = "news"
    ) -> [UInt8] {
        let from = #"{"memberId":"\#(relay.text)","memberRole":"relay"}"#,
            invited = #"{"memberId":"\#(newcomer.text)","memberRole":"observer"}"#
        let invitation =
            #"{"fromMember":\#(from),"fromMemberName":"relay","invitedMember":\#(invited),"accepted":"accepted","groupProfile":\#(ChannelStage.profileJSON(name, id: id)),"groupSize":2}"#
        return Array(#"{"v":"1-19","event":"x.grp.link.inv","params":{"groupLinkInvitation":\#(invitation)}}"#.utf8)
    }

    /// Sends a body from a relay to all its subscribers.
    func sendFromRelay(_ body: [UInt8], from number: Int = 0) async throws {
        let (subscribers, first) = relayRecords.withLock { seen in
            let subscribers = seen.subscribersByRelay[number] ?? []
            defer { seen.sentCount += subscribers.count }
            return (subscribers, seen.sentCount)
        }
        try #require(!subscribers.isEmpty)
        _ = try await agent.sendMessages(
            subscribers.enumerated().map {
                OutgoingMessage(connection: $1, notify: false, body: body, externalID: "\(first + $0)")
            }
        ).map { try $0.get() }
    }

    func sendFromRelay(_ elements: [[UInt8]], from number: Int = 0) async throws {
        try await sendFromRelay(BinaryBatch.encodeElements(elements), from: number)
    }

    func postElement(_ text: String, id: SharedMessageID = .random()) -> [UInt8] {
        let message =
            #"{"v":"1-19","msgId":"\#(id.text)","event":"x.msg.new","params":{"asGroup":true,"content":{"type":"text","text":"\#(text)"}}}"#
        return ForwardedMessage.encodeElement(by: nil, named: "", at: .now, Array(message.utf8))
    }

    /// Signs an event as the owner, and encodes it as a relay passes it on.
    func signedElement(_ event: String, _ params: String, id: SharedMessageID = .random()) throws -> [UInt8] {
        let body = Array(#"{"v":"1-19","msgId":"\#(id.text)","event":"\#(event)","params":\#(params)}"#.utf8)
        let element = try SignedMessage(
            body,
            by: owner.key,
            bound: GroupBinding(publicGroupID: entityID, member: owner.id)
        ).element
        return ForwardedMessage.encodeElement(by: owner.id, named: "owner", at: .now, element)
    }

    // MARK: Subscribers

    /// Opens the chat of the channel from the link, without joining.
    func prepareChat(_ core: Core) async throws {
        let plan = try await core.run("/_connect plan 1 \(link.uri)")
        let data = try #require(plan["connectionPlan"]?["groupLinkPlan"]?["groupSLinkData_"], "\(plan)")
        let full = try #require(plan["connLink"]?["connFullLink"]?.stringValue)
        let prepared = try await core.run("/_prepare group 1 \(full) \(link.uri) direct=off \(data.text)")
        try #require(prepared["type"] == "newPreparedChat", "\(prepared)")
    }

    /// Joins the channel, and waits until all relays in the link are connected.
    func joinChannel(_ core: Core, relays count: Int) async throws {
        try await prepareChat(core)
        let joined = try await core.run("/_connect group #1 incognito=off")
        try #require(joined["type"] == "startedConnectionToGroup", "\(joined)")
        try await core.wait(for: "userJoinedGroup", count: count)
        try await waitForRecords("\(count) subscribers") {
            $0.subscribersByRelay.values.reduce(0) { $0 + $1.count } >= count
        }
    }

    func waitForRecords(_ what: String, _ condition: @Sendable (RelayRecords) -> Bool) async throws {
        let isSeen: Void? = try await waitForValue { news in
            relayRecords.withLock { $0.watchers.append(news) }
        } _: {
            relayRecords.withLock { condition($0) ? () : nil }
        }
        if isSeen == nil { throw MissingItem(what: what) }
    }
}

extension Core {
    /// Waits until the chat has an item with this text.
    func waitForItem(_ text: String, in chat: String = "#1") async throws {
        let found: Void? = try await waitForValue(onEvent) {
            try await run("/_get chat \(chat) count=100").itemTexts.contains(text) ? () : nil
        }
        if found == nil { throw ChannelNetwork.MissingItem(what: text) }
    }
}
