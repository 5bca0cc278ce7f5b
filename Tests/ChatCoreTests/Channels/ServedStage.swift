import ChatAPI
import ChatProtocol
import JSON
import SQLCipher
import SimpleXCrypto
import Synchronization
import Testing

@testable import Agent
@testable import ChatCore

/// A core whose user is a relay of a channel with an owner and subscribers. The owner and the subscribers exist only as
/// keys. The stage passes their messages to the core in the place of the agent, and reads messages to them from the
/// outbox, which is not emptied.
final class ServedStage: Sendable {
    struct Peer: Sendable {
        let id = MemberID.random()
        let key: Ed25519.PrivateKey
        let connection = ConnectionID()

        init() throws { key = try Ed25519.PrivateKey() }
    }

    /// A message to the owner or to a subscriber.
    struct PassedMessage: Sendable {
        let connection: String
        let body: [UInt8]

        var elements: [MessageElement] { MessageElements.parseAll(of: body) }
        var forwardedMessages: [ForwardedMessage] {
            elements.compactMap {
                if case .success(.message(let message)) = $0.content,
                    case .group(.forward(let forwarded)) = message.event
                {
                    forwarded
                } else {
                    nil
                }
            }
        }
        /// The events that the relay itself has sent.
        var relayEvents: [ChatMessageEvent] {
            elements.compactMap { element in
                guard case .success(.message(let message)) = element.content else { return nil }
                if case .group(.forward) = message.event { return nil }
                return message.event
            }
        }
        var forwardedTexts: [String] {
            forwardedMessages.compactMap { $0.message["params"]?["content"]?["text"]?.stringValue }
        }
    }

    let world: World
    private let currentCore: Mutex<Core>
    let owner: Peer
    let subscribers: [Peer]
    let relayMemberID = MemberID.random()
    let relayKey: Ed25519.PrivateKey
    let entityID: [UInt8]
    private let messageNumber = Mutex<Int64>(0)

    var core: Core { currentCore.withLock { $0 } }

    init(subscribers count: Int = 3, configure: @Sendable (inout ChatConfiguration) -> Void = { _ in }) async throws {
        world = try await World()
        let core = try await world.core("rel", started: false, configure: configure)
        currentCore = Mutex(core)
        let made = try await core.run(
            #"/_create user {"profile":{"displayName":"rel","fullName":""},"pastTimestamp":false,"userChatRelay":true}"#
        )
        try #require(made["type"] == "activeUser", "\(made)")
        let root = try Ed25519.PrivateKey()
        entityID = Digest.sha256(root.publicKey.rawRepresentation)
        owner = try Peer()
        subscribers = try (0..<count).map { _ in try Peer() }
        relayKey = try Ed25519.PrivateKey()
        let (owner, subscribers, me, myKey, entityID) = (owner, subscribers, relayMemberID, relayKey, entityID)
        try await core.controller.store.write { tx in
            let user = try #require(try UserRecord.find(1, in: tx.db))
            let profile = try JSONDecoder().decode(
                GroupProfile.self,
                from: JSONValue(parsing: Array(Self.profileJSON(id: entityID).utf8))
            )
            let (made, host) = try GroupRecord.create(
                profile,
                host: NewMember(
                    id: owner.id,
                    role: .owner,
                    category: .host,
                    status: .connected,
                    profileId: 0,
                    localDisplayName: "",
                    versions: .supported
                ),
                Profile(displayName: "alice", fullName: ""),
                as: MemberIdRole(id: me, role: .relay),
                .connected,
                incognito: nil,
                user,
                tx
            )
            try tx.db.execute(
                "UPDATE groups SET public_group_id = ?, root_key = ?, member_key = ?",
                [entityID, root.publicKey.rawRepresentation, myKey.rawRepresentation]
            )
            try tx.db.execute(
                "INSERT INTO served_channels (user_id, group_id, channel_link, created_at) VALUES (1, 1, 'https://example.org/c#AAAA', 1)"
            )
            try made.setRelayStatus(.accepted, tx)
            func connect(_ peer: Peer, _ member: MemberRecord) throws {
                var member = member
                try member.storeSignatureKey(peer.key.publicKey, tx)
                _ = try ConnectionRecord.create(
                    agent: peer.connection,
                    user: user,
                    status: .ready,
                    initiated: false,
                    fullLink: nil,
                    owner: .member(member.memberId),
                    pqSupport: false,
                    peerVersions: .supported,
                    at: tx.now,
                    in: tx.db
                )
            }
            try connect(owner, host)
            for (index, subscriber) in subscribers.enumerated() {
                let member = try MemberRecord.create(
                    NewMember(
                        id: subscriber.id,
                        role: .observer,
                        category: .invitee,
                        status: .connected,
                        profileId: 0,
                        localDisplayName: "",
                        versions: .supported
                    ),
                    profile: Profile(displayName: "subscriber\(index)", fullName: ""),
                    in: 1,
                    user,
                    tx
                )
                try connect(subscriber, member)
            }
        }
    }

    /// Profile of a channel with a history.
    static func profileJSON(id: [UInt8]) -> String {
        ChannelStage.profileJSON("news", id: id).dropLast() + #","groupPreferences":{"history":{"enable":"on"}}}"#
    }

    /// Ends the process and starts it again.
    func restart() async throws {
        await core.controller.close()
        let again = try await world.core("rel", started: false)
        currentCore.withLock { $0 = again }
    }

    // MARK: Messages to the core

    func messageJSON(_ event: String, _ params: String, id: SharedMessageID = .random()) -> [UInt8] {
        Array(#"{"v":"1-19","msgId":"\#(id.text)","event":"\#(event)","params":\#(params)}"#.utf8)
    }

    func postBody(
        _ text: String,
        id: SharedMessageID = .random(),
        asGroup: Bool = true,
        scope: MemberID? = nil
    ) -> [UInt8] {
        let scope = scope.map { #""scope":{"type":"member","memberId":"\#($0.text)"},"# } ?? ""
        return messageJSON(
            "x.msg.new",
            #"{\#(asGroup ? #""asGroup":true,"# : "")\#(scope)"content":{"type":"text","text":"\#(text)"}}"#,
            id: id
        )
    }

    func signedElement(
        _ body: [UInt8],
        by peer: Peer,
        as id: MemberID? = nil,
        in group: [UInt8]? = nil
    ) throws -> [UInt8] {
        try SignedMessage(
            body,
            by: peer.key,
            bound: GroupBinding(publicGroupID: group ?? entityID, member: id ?? peer.id)
        ).element
    }

    func infoBody(_ name: String) -> [UInt8] {
        messageJSON("x.grp.info", "{\"groupProfile\":\(ChannelStage.profileJSON(name, id: entityID))}")
    }

    /// Sends a body as a member.
    func sendBody(_ body: [UInt8], from peer: Peer) async throws {
        let next = messageNumber.withLock { number in
            number += 1
            return number
        }
        let meta = MessageMeta(
            integrity: .ok,
            recipientInfo: .init(id: next, timestampSeconds: 0),
            brokerInfo: .init(id: [1], timestampSeconds: Timestamp.now.seconds),
            sndMsgID: next
        )
        try await core.controller.agentEventHandler.handleMessages(
            peer.connection,
            [ReceivedBody(meta: meta, body: body)]
        )
    }

    func sendRoster(_ version: Int64, _ entries: [Roster.Entry], damaged: Bool = false) async throws {
        let bytes = Roster(entries).encoded
        let id = SharedMessageID.random()
        try await sendBody(
            signedElement(
                messageJSON(
                    "x.grp.roster",
                    JSONValue.object(RosterHeader(version: version, of: bytes).params).text,
                    id: id
                ),
                by: owner
            ),
            from: owner
        )
        var sent = bytes
        if damaged { sent[sent.count - 1] ^= 1 }
        try await sendBody(InlineFileChunk(messageID: id, chunkNumber: 1, bytes: sent).element, from: owner)
    }

    // MARK: Messages that the core passes on

    /// Passes on messages to one page of members in each sequence.
    /// - Returns: whether there was a message to pass on.
    @discardableResult
    func sendNextPages() async throws -> Bool {
        try await core.controller.store.write { tx in
            let sequences = try RelayJobs.readPendingSequences(tx.db)
            for sequence in sequences { try RelayJobs.sendNextPage(sequence, tx) }
            return !sequences.isEmpty
        }
    }

    func sendAllPages() async throws { while try await sendNextPages() {} }

    func readPassedMessages() async throws -> [PassedMessage] {
        try await core.controller.store.read { db in
            try db.query(
                """
                SELECT c.agent_conn_id, b.body FROM deliveries d JOIN connections c ON c.connection_id = d.connection_id
                JOIN message_bodies b ON b.body_id = d.body_id ORDER BY d.delivery_id
                """
            ).map { PassedMessage(connection: try $0.string("agent_conn_id"), body: try $0.blob("body")) }
        }
    }

    func readPassedMessages(to peer: Peer) async throws -> [PassedMessage] {
        try await readPassedMessages().filter { $0.connection == peer.connection.text }
    }

    /// Removes the recorded messages from the outbox.
    func clearOutbox() async throws {
        try await core.controller.store.write { tx in try tx.db.execute("DELETE FROM deliveries") }
    }

    func countRows(_ table: String) async throws -> Int64 {
        try await core.controller.store.read { db in
            try db.firstRow("SELECT count(*) AS n FROM \(table)")?.int64("n") ?? 0
        }
    }

    func findMember(_ id: MemberID) async throws -> MemberRecord? {
        try await core.controller.store.read { db in try MemberRecord.find(id, group: 1, user: 1, db) }
    }

    func findGroup() async throws -> GroupRecord? {
        try await core.controller.store.read { db in try GroupRecord.find(1, user: 1, in: db) }
    }

    func setRole(_ role: GroupMemberRole, of peer: Peer) async throws {
        try await core.controller.store.write { tx in
            var member = try #require(try MemberRecord.find(peer.id, group: 1, user: 1, tx.db))
            try member.setRole(role, tx)
        }
    }
}
