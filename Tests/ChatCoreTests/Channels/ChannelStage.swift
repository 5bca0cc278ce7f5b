import ChatAPI
import ChatProtocol
import Foundation
import JSON
import SQLCipher
import SimpleXCrypto
import Synchronization
import Testing

@testable import Agent
@testable import ChatCore

/// A core whose user is a subscriber of a channel. Owners and relays exist only as keys. The stage passes messages of
/// relays to the core in the place of the agent.
final class ChannelStage: Sendable {
    struct Peer: Sendable {
        let id: MemberID
        let key: Ed25519.PrivateKey
        let connection = ConnectionID()
    }

    let core: Core
    let owner: Peer
    let relays: [Peer]
    /// The member id of the user.
    let me: MemberID
    let myKey: Ed25519.PublicKey
    let entityID: [UInt8]
    private let number = Mutex<Int64>(0)

    init(relays count: Int = 2) async throws {
        let world = try await World()
        core = try await world.core("bob")
        try await core.createUser("bob")
        let root = try Ed25519.PrivateKey()
        entityID = Digest.sha256(root.publicKey.rawRepresentation)
        owner = Peer(id: .random(), key: try Ed25519.PrivateKey())
        relays = try (0..<count).map { _ in Peer(id: .random(), key: try Ed25519.PrivateKey()) }
        let (_, request, short) = try await core.controller.services.agent.createAddress(
            user: 1,
            userData: Array("{}".utf8),
            clientData: #"{"groupLinkId":"WaLrAvFILPIRQ7vKPamBpg=="}"#,
            type: .channel
        )
        let profile = Self.profile("news", id: entityID)
        try await core.run(
            "/_prepare group 1 \(request.uri) \(try #require(short).uri) direct=off {\"groupProfile\":\(profile)}"
        )
        let (owner, relays) = (owner, relays)
        let key = try Ed25519.PrivateKey()
        myKey = key.publicKey
        me = try await core.controller.store.write { tx in
            let user = try #require(try UserRecord.find(1, in: tx.db))
            var group = try GroupRecord.get(1, user: user, in: tx.db)
            try tx.db.execute(
                "UPDATE groups SET root_key = ?, member_key = ?",
                [root.publicKey.rawRepresentation, key.rawRepresentation]
            )
            // The trigger records bodies here. The agent does not know the connections, so it refuses all messages and
            // removes them immediately.
            try tx.db.execute("CREATE TABLE written (body BLOB NOT NULL)", [])
            try tx.db.execute(
                "CREATE TRIGGER note_written AFTER INSERT ON message_bodies BEGIN INSERT INTO written VALUES (new.body); END",
                []
            )
            try group.membership.setKey(key.publicKey, tx)
            try group.membership.setStatus(.connected, tx)
            group = try GroupRecord.get(1, user: user, in: tx.db)
            var first = try MemberRecord.create(
                NewMember(
                    id: owner.id,
                    role: .owner,
                    category: .pre,
                    status: .unknown,
                    profileId: 0,
                    localDisplayName: "",
                    versions: .supported
                ),
                profile: Profile(displayName: "owner", fullName: ""),
                in: 1,
                user,
                tx
            )
            try first.setKey(owner.key.publicKey, tx)
            for (index, relay) in relays.enumerated() {
                var member = try ChannelRelays.findOrCreate(at: "https://relay\(index)", in: group, user, tx)
                try tx.db.execute(
                    "UPDATE group_members SET member_id = ? WHERE group_member_id = ?",
                    [relay.id.bytes, member.memberId]
                )
                try member.setKey(relay.key.publicKey, tx)
                try member.setStatus(.connected, tx)
                _ = try ConnectionRecord.create(
                    agent: relay.connection,
                    user: user,
                    status: .ready,
                    initiated: true,
                    fullLink: nil,
                    owner: .member(member.memberId),
                    pqSupport: false,
                    peerVersions: .supported,
                    at: tx.now,
                    in: tx.db
                )
            }
            return group.membership.sharedID
        }
    }

    static func profile(_ name: String, id: [UInt8]) -> String {
        #"{"displayName":"\#(name)","fullName":"","publicGroup":{"groupType":"channel","groupLink":"https://example.org/c#AAAA","publicGroupId":"\#(Base64URL.encode(id))"}}"#
    }

    // MARK: Messages to the core

    func json(_ event: String, _ params: String, id: SharedMessageID = .random()) -> [UInt8] {
        Array(#"{"v":"1-19","msgId":"\#(id.text)","event":"\#(event)","params":\#(params)}"#.utf8)
    }

    func post(_ text: String, id: SharedMessageID = .random(), asGroup: Bool = true) -> [UInt8] {
        json(
            "x.msg.new",
            #"{\#(asGroup ? #""asGroup":true,"# : "")"content":{"type":"text","text":"\#(text)"}}"#,
            id: id
        )
    }

    func signed(_ body: [UInt8], by peer: Peer, as id: MemberID? = nil, in group: [UInt8]? = nil) throws -> [UInt8] {
        try SignedMessage(
            body,
            by: peer.key,
            bound: GroupBinding(publicGroupID: group ?? entityID, member: id ?? peer.id)
        ).element
    }

    func forwarded(_ message: [UInt8], by author: MemberID?) -> [UInt8] {
        ForwardedMessage.encodeElement(by: author, named: "someone", at: .now, message)
    }

    /// Sends elements from a relay as one message.
    func send(_ elements: [UInt8]..., from relay: Int = 0) async throws { try await send(all: elements, from: relay) }

    func send(all elements: [[UInt8]], from relay: Int = 0) async throws {
        let next = number.withLock { number in
            number += 1
            return number
        }
        let meta = MessageMeta(
            integrity: .ok,
            recipientInfo: .init(id: next, timestamp: 0),
            brokerInfo: .init(id: [1], timestamp: Timestamp.now.seconds),
            sndMsgID: next
        )
        try await core.controller.eventHandler.handleMessages(
            relays[relay].connection,
            [ReceivedBody(meta: meta, body: BinaryBatch.encode(elements))]
        )
    }

    /// Sends a roster header and its chunks.
    func sendRoster(
        _ version: Int64,
        _ entries: [Roster.Entry],
        damaged: Bool = false,
        from relay: Int = 0
    ) async throws {
        let bytes = Roster(entries).encoded
        let header = JSONValue.object(RosterHeader(version: version, of: bytes).params).text
        let id = SharedMessageID.random()
        try await send(forwarded(signed(json("x.grp.roster", header, id: id), by: owner), by: owner.id), from: relay)
        var sent = bytes
        if damaged { sent[sent.count - 1] ^= 1 }
        // The roster is sent in two parts, like a long roster.
        let half = sent.count / 2
        try await send(InlineFileChunk(messageID: id, number: 1, bytes: Array(sent.prefix(half))).element, from: relay)
        try await send(
            InlineFileChunk(messageID: id, number: 2, bytes: Array(sent.dropFirst(half))).element,
            from: relay
        )
    }

    // MARK: State of the core

    func texts() async throws -> [String] { try await core.run("/_get chat #1 count=100").itemTexts }

    func group() async throws -> JSONValue { try await core.run("/_info #1")["groupInfo"] ?? .null }

    func member(_ id: MemberID) async throws -> JSONValue? {
        try await core.run("/_members #1")["group"]?["members"]?.arrayValue?.first {
            $0["memberId"]?.stringValue == id.text
        }
    }

    func refusals() async throws -> Int { try await texts().count { $0 == "message rejected: bad signature" } }
}
