import ChatAPI
import ChatProtocol
import Foundation
import JSON
import SMP
import SimpleXCrypto
import Synchronization
import Testing

@testable import Agent
@testable import ChatCore

/// An owner of a channel who requests a relay to serve it, over an agent without a core.
final class ScriptedOwner: Sendable {
    let agent: Agent
    let rootKey: Ed25519.PrivateKey
    let ownerKey: Ed25519.PrivateKey
    let id = MemberID.random()
    let entityID: [UInt8]
    let link: ShortLink
    private let connection: ConnectionID
    private let events: AsyncStream<AgentEvent>
    private let eventContinuation: AsyncStream<AgentEvent>.Continuation

    /// A relay's answer.
    struct RelayAnswer: Sendable {
        let connection: ConnectionID
        let confirmation: ConfirmationID
        let message: ChatMessage
    }

    /// - Parameters:
    ///   - stated: the id in the profile of the channel; nil for the channel's id.
    ///   - later: additional members of a newer version in the link, as JSON text.
    ///   - server: the server of the owner's queues; nil for the relay of the world. A sender does not connect to this
    ///     server before the first message.
    init(
        in world: World,
        stated: [UInt8]? = nil,
        later: String = "",
        at server: ProtocolServer? = nil
    ) async throws {
        let folder = world.directory.appending(path: "owner-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let (news, told) = AsyncStream.makeStream(of: AgentEvent.self)
        (self.events, self.eventContinuation) = (news, told)
        var configuration = AgentConfiguration(databasePath: folder + "/owner.db", databaseKey: .none)
        if server != nil { configuration.queueMode = .contact }
        agent = try await Agent.open(configuration: configuration, group: World.eventLoopGroup)
        let agent = agent
        _ = try await agent.createUser(servers: [server ?? world.relay.address])
        try await agent.start { events in
            for event in events {
                if case .message(let id, let meta, _, _) = event {
                    agent.acknowledgeMessages(connection: id, messageIDs: [meta.recipientInfo.id])
                }
                told.yield(event)
            }
        }
        rootKey = try Ed25519.PrivateKey()
        ownerKey = try Ed25519.PrivateKey()
        entityID = Digest.sha256(rootKey.publicKey.rawRepresentation)
        let data = try Self.makeLinkData(id, ownerKey, rootKey, stated ?? entityID, relays: [], later: later)
        let made = try await agent.createAddress(
            user: 1,
            data: data,
            clientData: #"{"groupLinkId":"WaLrAvFILPIRQ7vKPamBpg=="}"#,
            type: .channel,
            identity: LinkIdentity(rootKey: rootKey, entityID: entityID)
        )
        connection = made.0
        link = try #require(made.2)
    }

    private static func makeLinkData(
        _ id: MemberID,
        _ key: Ed25519.PrivateKey,
        _ root: Ed25519.PrivateKey,
        _ entityID: [UInt8],
        relays: [ShortLink],
        later: String = ""
    ) throws -> ContactLinkData {
        var data = ContactLinkData(
            userData: Array(#"{"groupProfile":\#(ServedStage.profileJSON(id: entityID))\#(later)}"#.utf8)
        )
        data.isDirect = false
        data.owners = [try LinkOwner(id: id.bytes, key: key.publicKey, authorizedBy: root)]
        data.relays = relays
        return data
    }

    /// Publishes the link data with the given relays.
    func publishRelays(_ relays: [ShortLink]) async throws {
        try await agent.setLinkData(
            connection,
            data: Self.makeLinkData(id, ownerKey, rootKey, entityID, relays: relays),
            clientData: #"{"groupLinkId":"WaLrAvFILPIRQ7vKPamBpg=="}"#,
            type: .channel
        )
    }

    /// Sends an event as a request to an address, without waiting for an answer.
    func sendRequest(_ event: RelayEvent, at address: ShortLink) async throws {
        let (request, _, _) = try await agent.fetchLinkData(user: 1, address)
        let id = try await agent.prepareJoin(user: 1, request: request, pqSupport: false)
        _ = try await agent.join(
            connection: id,
            request: request,
            connInfo: ChatMessage(event: .relay(event)).encoded()
        )
    }

    func inviteRelay(_ address: ShortLink, as relay: MemberID, from owner: MemberID? = nil) async throws {
        let invitation = RelayInvitation(
            from: MemberIdRole(id: owner ?? id, role: .owner),
            fromProfile: ["displayName": "alice", "fullName": ""],
            relay: relay,
            groupLink: link.uri
        )
        try await sendRequest(.invitation(invitation), at: address)
    }

    /// Waits for the next answer of a relay.
    /// - Throws: if no answer comes within a minute.
    func waitForAnswer() async throws -> RelayAnswer {
        let (connection, confirmation, info) = try await waitForEvent { event in
            if case .confirmation(let connection, let confirmation, let info) = event {
                (connection, confirmation, info)
            } else {
                nil
            }
        }
        guard case .success(.message(let message))? = MessageBody.parseFirst(of: info) else {
            throw CancellationError()
        }
        return RelayAnswer(connection: connection, confirmation: confirmation, message: message)
    }

    /// Accepts the relay's answer, and waits until it is connected.
    func acceptAnswer(_ answer: RelayAnswer) async throws {
        try await agent.allow(
            connection: answer.connection,
            confirmation: answer.confirmation,
            connInfo: ChatMessage(event: .ok).encoded()
        )
        try await waitForEvent { if case .connected(answer.connection) = $0 { () } else { nil } }
    }

    /// Waits for an event.
    /// - Throws: if the event does not come within a minute.
    private func waitForEvent<T>(_ pick: (AgentEvent) -> T?) async throws -> T {
        let limit = Task { [eventContinuation] in
            try await Task.sleep(for: .seconds(60))
            eventContinuation.finish()
        }
        defer { limit.cancel() }
        for await event in events { if let found = pick(event) { return found } }
        throw CancellationError()
    }

    func sendBody(_ body: [UInt8], over connection: ConnectionID) async throws {
        _ = try await agent.acceptMessages([
            OutgoingMessage(connection: connection, notify: true, body: body, externalID: UUID().uuidString)
        ])
    }
}
