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
    let userMemberID: MemberID
    let userKey: Ed25519.PublicKey
    let entityID: [UInt8]
    private let messageNumber = Mutex<Int64>(0)

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
        let profile = Self.profileJSON("news", id: entityID)
        try await core.run(
            "/_prepare group 1 \(request.uri) \(try #require(short).uri) direct=off {\"groupProfile\":\(profile)}"
        )
        let (owner, relays) = (owner, relays)
        let key = try Ed25519.PrivateKey()
        userKey = key.publicKey
        userMemberID = try await core.controller.store.write { tx in
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
            try group.membership.storeSignatureKey(key.publicKey, tx)
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
            try first.storeSignatureKey(owner.key.publicKey, tx)
            for (index, relay) in relays.enumerated() {
                var member = try ChannelRelays.findOrCreate(at: "https://relay\(index)", in: group, user, tx)
                try tx.db.execute(
                    "UPDATE group_members SET member_id = ? WHERE group_member_id = ?",
                    [relay.id.bytes, member.memberId]
                )
                try member.storeSignatureKey(relay.key.publicKey, tx)
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

    static func profileJSON(_ name: String, id: [UInt8]) -> String {
        #"{"displayName":"\#(name)","fullName":"","publicGroup":{"groupType":"channel","groupLink":"https://example.org/c#AAAA","publicGroupId":"\#(Base64URL.encode(id))"}}"#
    }

    // MARK: Messages to the core

    func messageJSON(_ event: String, _ params: String, id: SharedMessageID = .random()) -> [UInt8] {
        Array(#"{"v":"1-19","msgId":"\#(id.text)","event":"\#(event)","params":\#(params)}"#.utf8)
    }

    func postBody(_ text: String, id: SharedMessageID = .random(), asGroup: Bool = true) -> [UInt8] {
        messageJSON(
            "x.msg.new",
            #"{\#(asGroup ? #""asGroup":true,"# : "")"content":{"type":"text","text":"\#(text)"}}"#,
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

    func forwardedElement(_ message: [UInt8], by author: MemberID?) -> [UInt8] {
        ForwardedMessage.encodeElement(by: author, named: "someone", at: .now, message)
    }

    /// Sends elements from a relay as one message.
    func sendElements(_ elements: [UInt8]..., from relay: Int = 0) async throws {
        try await sendElements(all: elements, from: relay)
    }

    func sendElements(all elements: [[UInt8]], from relay: Int = 0) async throws {
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
            relays[relay].connection,
            [ReceivedBody(meta: meta, body: BinaryBatch.encodeElements(elements))]
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
        try await sendElements(
            forwardedElement(signedElement(messageJSON("x.grp.roster", header, id: id), by: owner), by: owner.id),
            from: relay
        )
        var sent = bytes
        if damaged { sent[sent.count - 1] ^= 1 }
        // The roster is sent in two parts, like a long roster.
        let half = sent.count / 2
        try await sendElements(
            InlineFileChunk(messageID: id, chunkNumber: 1, bytes: Array(sent.prefix(half))).element,
            from: relay
        )
        try await sendElements(
            InlineFileChunk(messageID: id, chunkNumber: 2, bytes: Array(sent.dropFirst(half))).element,
            from: relay
        )
    }

    // MARK: State of the core

    func chatTexts() async throws -> [String] { try await core.run("/_get chat #1 count=100").itemTexts }

    func groupInfo() async throws -> JSONValue { try await core.run("/_info #1")["groupInfo"] ?? .null }

    func findMember(_ id: MemberID) async throws -> JSONValue? {
        try await core.run("/_members #1")["group"]?["members"]?.arrayValue?.first {
            $0["memberId"]?.stringValue == id.text
        }
    }

    func countRejections() async throws -> Int {
        try await chatTexts().count { $0 == "message rejected: bad signature" }
    }
}
