import ChatAPI
import ChatProtocol
import Foundation
import JSON
import NIOPosix
import SMP
import SQLCipher
import SimpleXCrypto
import Synchronization
import TestSupport

@testable import Agent
@testable import ChatCore

/// A relay of channels on the network without a core. It answers owners as its script states, and records their
/// messages.
final class ScriptedRelay: Sendable {
    struct Script: Sendable {
        enum TestAnswer: Sendable { case signed, forged, unsigned, otherMessage, noMessage, silence }
        enum InvitationAnswer: Sendable { case acceptance, rejection, otherID, linkWithoutData, noLink, silence }
        enum RosterAnswer: Sendable { case acknowledgement, otherVersion, error, silence }

        var testAnswer = TestAnswer.signed
        var invitationAnswer = InvitationAnswer.acceptance
        var rosterAnswer = RosterAnswer.acknowledgement
        var versions = ChatVersionRange.supported
    }

    /// State of one channel at the relay.
    struct Channel: Sendable {
        let invitation: RelayInvitation
        let connection: ConnectionID
        let key: Ed25519.PrivateKey
        var link: ShortLink?
        /// Received elements in order.
        var receivedElements: [MessageElement] = []

        var messages: [ChatMessage] {
            receivedElements.compactMap {
                if case .success(.message(let message)) = $0.content { message } else { nil }
            }
        }

        /// Rosters of which all chunks have arrived.
        var rosters: [(version: Int64, roster: Roster)] {
            messages.compactMap { message in
                guard case .relay(.roster(let header)) = message.event else { return nil }
                let bytes = receivedElements.reduce(into: [UInt8]()) { bytes, element in
                    if case .success(.chunk(let chunk)) = element.content, chunk.messageID == message.sharedID {
                        bytes += chunk.bytes
                    }
                }
                guard header.matches(bytes), let roster = try? Roster(bytes) else { return nil }
                return (header.version, roster)
            }
        }
    }

    private struct State {
        var script = Script()
        var address: ShortLink?
        var channels: [ConnectionID: Channel] = [:]
        var watchers: [@Sendable () -> Void] = []
        var sentCount = 0
    }

    let name: String
    private let agent: Agent
    private let user: AgentUserID
    private let rootKey: Ed25519.PrivateKey
    private let state = Mutex(State())

    init(_ name: String, in world: World, _ script: Script = Script()) async throws {
        self.name = name
        let folder = world.directory.appending(path: "relay-\(name)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        agent = try await Agent.open(
            configuration: AgentConfiguration(
                databasePath: folder.appending(path: "agent.db").path,
                databaseKey: .none
            ),
            group: World.eventLoopGroup
        )
        user = try await agent.createUser(servers: [world.relay.address])
        rootKey = try Ed25519.PrivateKey()
        state.withLock { $0.script = script }
        try await agent.start { [weak self] events in
            for event in events { try await self?.handleAgentEvent(event) }
        }
        let (_, _, link) = try await agent.createAddress(
            user: user,
            userData: Self.profileData(name),
            type: .relay,
            identity: LinkIdentity(rootKey: rootKey, entityID: Digest.sha256(rootKey.publicKey.rawRepresentation))
        )
        state.withLock { $0.address = link }
    }

    func close() async { await agent.close() }

    var address: String { state.withLock { $0.address?.uri ?? "" } }
    var script: Script {
        get { state.withLock { $0.script } }
        set { state.withLock { $0.script = newValue } }
    }

    /// The channel of the latest invitation.
    var channel: Channel? {
        state.withLock {
            $0.channels.values.max {
                ($0.receivedElements.count, $0.link?.uri ?? "") < ($1.receivedElements.count, $1.link?.uri ?? "")
            }
        }
    }

    /// The JSON entry of this relay for the server list of the channel's owner.
    var serverListEntry: String {
        #"{"address":"\#(address)","relayProfile":{"displayName":"\#(name)","fullName":""},"domains":["127.0.0.1"],"preset":false,"enabled":true,"deleted":false}"#
    }

    private static func profileData(_ name: String) -> [UInt8] {
        Array(#"{"relayProfile":{"displayName":"\#(name)","fullName":""}}"#.utf8)
    }

    /// Waits until the state of a channel meets a condition.
    @discardableResult
    func waitForChannel(_ found: @Sendable (Channel) -> Bool) async throws -> Channel {
        let channel = try await waitForValue { news in
            state.withLock { $0.watchers.append(news) }
        } _: {
            state.withLock { $0.channels.values.first(where: found) }
        }
        if let channel { return channel }
        throw MissingChannel(received: state.withLock { $0.channels.values.map { $0.messages.map(\.event.tag) } })
    }

    struct MissingChannel: Error { let received: [[String]] }

    private func changeState(_ change: (inout State) -> Void) {
        let watchers = state.withLock { state in
            change(&state)
            return state.watchers
        }
        for watcher in watchers { watcher() }
    }

    // MARK: Sending

    func sendBody(_ body: [UInt8], over connection: ConnectionID) async throws {
        let number = state.withLock { state in
            state.sentCount += 1
            return state.sentCount
        }
        _ = try await agent.sendMessages([
            OutgoingMessage(connection: connection, notify: false, body: body, externalID: "\(name)-\(number)")
        ])
    }

    /// Announces a new subscriber.
    func announceSubscriber(
        _ id: MemberID,
        _ key: Ed25519.PublicKey,
        named name: String,
        as role: String = "observer",
        in channel: Channel
    ) async throws {
        let info =
            #"{"memberId":"\#(id.text)","memberKey":"\#(MemberKey(key).text)","memberRole":"\#(role)","profile":{"displayName":"\#(name)","fullName":""},"v":"1-19"}"#
        try await sendBody(
            BinaryBatch.encodeElements([
                Array(#"{"v":"1-19","event":"x.grp.mem.new","params":{"memberInfo":\#(info)}}"#.utf8)
            ]
            ),
            over: channel.connection
        )
    }

    func acknowledgeRoster(_ version: Int64, error: String? = nil, in channel: Channel) async throws {
        try await sendBody(
            ChatMessage(sharedID: .random(), event: .relay(.rosterReceived(version: version, error: error))).encoded(),
            over: channel.connection
        )
    }

    // MARK: Answering

    private func handleAgentEvent(_ event: AgentEvent) async throws {
        switch event {
        case .request(_, let invitation, connInfo: let info):
            guard case .success(.message(let message)) = MessageBody.parseFirst(of: info) else { return }
            switch message.event {
            case .relay(.test(let challenge, _)): try await answerTest(challenge, invitation)
            case .relay(.invitation(let invited)): try await answerInvitation(invited, invitation)
            default: return
            }
        case .message(let id, let meta, notify: _, body: let body):
            agent.acknowledgeMessages(connection: id, messageIDs: [meta.recipientInfo.id])
            let elements = MessageElements.parseAll(of: body)
            changeState { $0.channels[id]?.receivedElements += elements }
            for element in elements {
                guard case .success(.message(let message)) = element.content,
                    case .relay(.roster(let header)) = message.event
                else { continue }
                try await answerRoster(header.version, id)
            }
        default: return
        }
    }

    private func acceptInvitation(
        _ invitation: InvitationID,
        _ connection: ConnectionID,
        _ event: ChatMessageEvent
    ) async throws {
        try await agent.acceptRequest(
            invitation,
            connection: connection,
            connInfo: ChatMessage(versions: script.versions, event: event).encoded(
                limit: ChatMessageLimits.connectionInfoBytes
            )
        )
    }

    private func answerTest(_ challenge: [UInt8], _ invitation: InvitationID) async throws {
        let connection = try await agent.prepareAcceptance(invitation, pqSupport: false)
        switch script.testAnswer {
        case .signed:
            try await acceptInvitation(
                invitation,
                connection,
                .relay(.test(challenge: challenge, signature: rootKey.sign(challenge)))
            )
        // The relay signs the repeated challenge instead of the given one.
        case .forged:
            try await acceptInvitation(
                invitation,
                connection,
                .relay(.test(challenge: [1, 2, 3], signature: rootKey.sign([1, 2, 3])))
            )
        case .unsigned:
            try await acceptInvitation(invitation, connection, .relay(.test(challenge: challenge, signature: nil)))
        case .otherMessage: try await acceptInvitation(invitation, connection, .ok)
        case .noMessage: try await agent.acceptRequest(invitation, connection: connection, connInfo: [0, 1, 2])
        case .silence: return
        }
    }

    private func answerInvitation(_ invited: RelayInvitation, _ invitation: InvitationID) async throws {
        let connection = try await agent.prepareAcceptance(invitation, pqSupport: false)
        let key = try Ed25519.PrivateKey()
        changeState { $0.channels[connection] = Channel(invitation: invited, connection: connection, key: key) }
        let kind = script.invitationAnswer
        switch kind {
        case .silence: return
        case .rejection:
            return try await acceptInvitation(invitation, connection, .relay(.rejection(reason: "rejoin_rejected")))
        case .noLink:
            return try await acceptInvitation(
                invitation,
                connection,
                .relay(.acceptance(link: "https://example.org/", capabilities: nil))
            )
        case .acceptance, .otherID, .linkWithoutData: break
        }
        let id = kind == .otherID ? MemberID.random() : invited.relayID
        let (_, _, made) = try await agent.createAddress(
            user: user,
            userData: kind == .linkWithoutData ? Array("{}".utf8) : Self.profileData(name),
            type: .group,
            identity: LinkIdentity(rootKey: key, entityID: id.bytes)
        )
        guard let made else { return }
        changeState { $0.channels[connection]?.link = made }
        try await acceptInvitation(
            invitation,
            connection,
            .relay(.acceptance(link: made.uri, capabilities: JSONObject([("webDomain", .string("web.example.org"))])))
        )
    }

    private func answerRoster(_ version: Int64, _ id: ConnectionID) async throws {
        guard let channel = state.withLock({ $0.channels[id] }) else { return }
        switch script.rosterAnswer {
        case .acknowledgement: try await acknowledgeRoster(version, in: channel)
        case .otherVersion: try await acknowledgeRoster(version + 1, in: channel)
        case .error: try await acknowledgeRoster(version, error: "no room", in: channel)
        case .silence: return
        }
    }
}
