import JSON
import SimpleXCrypto
import TestSupport

@testable import ChatProtocol

/// Network messages of a recorded conversation, from the logs in the databases of simplex-chat's clients.
struct RecordedChannel {
    static let recordingNames = [
        "channel-basic", "channel-moderation", "channel-relays", "channel-web", "files-v7", "group-v7",
    ]

    /// Batches of messages that relays have sent.
    private(set) var relayBatches: [[UInt8]] = []
    /// The bodies of all recorded messages.
    private(set) var bodies: [[UInt8]] = []
    /// The messages that were sent while connections were set up. Only requests to join are signed in them.
    private(set) var connectionInfos: [[UInt8]] = []
    private(set) var groupIDs: Set<[UInt8]> = []
    /// Keys of members, as announced by the members themselves and by other members.
    private(set) var memberKeys: [MemberID: Set<MemberKey>] = [:]

    init(_ name: String) throws {
        for line in try Fixture.readTranscript(name) where line["dir"] == "resp" {
            for row in line["json"]?["rows"]?.arrayValue ?? [] {
                let parts = (row.stringValue ?? "").split(separator: "|", maxSplits: 3)
                guard parts.count == 4, let entry = try? JSONValue(parsing: Array(parts[3].utf8)),
                    let members = entry.objectValue
                else { continue }
                for (key, value) in members where key.hasSuffix("Hex") && key != "signaturesHex" {
                    guard let bytes = [UInt8](hex: value.stringValue ?? ""), !bytes.isEmpty else { continue }
                    switch parts[2] {
                    case "job": relayBatches.append(bytes)
                    // The body of a chat message begins with `M`, the tag of the agent.
                    case "sndBody": if bytes.first == UInt8(ascii: "M") { bodies.append(Array(bytes.dropFirst())) }
                    case "agentMsg": break
                    default: connectionInfos.append(bytes)
                    }
                }
            }
        }
        for message in messages + Self.messages(in: connectionInfos) { collectKeys(message.message) }
    }

    /// All recorded messages with their signatures, including forwarded messages.
    var messages: [(message: ChatMessage, signed: SignedMessage?)] { Self.messages(in: relayBatches + bodies) }

    /// The signed requests to join a channel.
    var joinRequests: [SignedMessage] { Self.messages(in: connectionInfos).compactMap(\.signed) }

    private static func messages(in bodies: [[UInt8]]) -> [(message: ChatMessage, signed: SignedMessage?)] {
        bodies.flatMap { MessageElements.parseAll(of: $0) }.flatMap {
            element -> [(message: ChatMessage, signed: SignedMessage?)] in
            guard case .success(.message(let message)) = element.content else { return [] }
            guard case .group(.forward(let forwarded)) = message.event else {
                return [(message, element.signedMessage)]
            }
            return (try? ChatMessage(json: forwarded.message)).map { [($0, forwarded.signedMessage)] } ?? []
        }
    }

    /// The chunks of the rosters.
    var rosterChunks: [InlineFileChunk] {
        bodies.flatMap { MessageElements.parseAll(of: $0) }.compactMap {
            if case .success(.chunk(let chunk)) = $0.content { chunk } else { nil }
        }
    }

    private mutating func collectKeys(_ message: ChatMessage) {
        switch message.event {
        case .group(.memberNew(let info, _)), .group(.memberIntro(let info, _)):
            if let key = info.key?.stringValue.flatMap({ MemberKey(parsing: $0) }) {
                memberKeys[info.id, default: []].insert(key)
            }
        case .group(.memberRole(let id, _, let roster)):
            if let key = roster.key { memberKeys[id, default: []].insert(key) }
        case .relay(.join(let request)): memberKeys[request.id, default: []].insert(request.key)
        case .group(.linkInvitation(let invitation)):
            if let id = invitation.groupProfile["publicGroup"]?["publicGroupId"]?.stringValue.flatMap({
                try? Base64URL.decode($0)
            }) {
                groupIDs.insert(id)
            }
        default: break
        }
    }

    /// Whether a member whose key is known has signed the message.
    func isVerified(_ signed: SignedMessage) -> Bool {
        groupIDs.contains { group in
            memberKeys.contains { member, keys in
                keys.contains { signed.isValid($0.key, bound: GroupBinding(publicGroupID: group, member: member)) }
            }
        }
    }
}
