internal import JSON
internal import SimpleXCrypto

/// A message with the signatures of who has written it: `/`, what they are bound to, their number, each one after the kind of its key, and the
/// message. The message is kept as the bytes that were signed, and passed on so.
///
/// simplex-chat `docs/protocol/channels-protocol.md`, "Message signing".
struct SignedMessage: Sendable, Hashable {
    /// What the signatures are bound to.
    enum Binding: UInt8, Sendable {
        case group = 0x47
        case channel = 0x43
        case direct = 0x44
    }

    var binding: Binding
    /// By the key of the member, one at least.
    var signatures: [[UInt8]]
    /// JSON.
    var body: [UInt8]

    /// The key of a signature is the member's; there is no other kind.
    private static let memberKey = UInt8(ascii: "M")
    /// The sizes of signatures by Ed25519, and by Ed448, which no member uses.
    private static let sizes: Set<Int> = [Ed25519.signatureSize, 114]

    /// Signs a message as a member of a group with relays.
    init(_ body: [UInt8], by key: Ed25519.PrivateKey, bound: GroupBinding) throws(CryptoError) {
        binding = .group
        signatures = [try key.sign(bound.bytes + body)]
        self.body = body
    }

    /// - Parameter element: with the `/`.
    init(_ element: some Collection<UInt8>) throws(ChatProtocolError) {
        var reader = BinaryReader(element)
        guard try reader.byte() == UInt8(ascii: "/"), let binding = Binding(rawValue: try reader.byte()) else { throw .invalidBinary }
        let count = try reader.byte()
        guard count > 0 else { throw .invalidBinary }
        var signatures: [[UInt8]] = []
        for _ in 0..<count {
            guard try reader.byte() == Self.memberKey else { throw .invalidBinary }
            let signature = try reader.shortBytes()
            guard Self.sizes.contains(signature.count) else { throw .invalidBinary }
            signatures.append(signature)
        }
        self.binding = binding
        self.signatures = signatures
        body = reader.tail()
    }

    /// The message as an element of a body.
    var element: [UInt8] {
        [UInt8(ascii: "/"), binding.rawValue, UInt8(clamping: signatures.count)]
            + signatures.prefix(255).flatMap { [Self.memberKey] + BinaryForm.shortBytes($0) } + body
    }

    /// Whether all signatures are those of the member in the group.
    func isValid(_ key: Ed25519.PublicKey, bound: GroupBinding) -> Bool {
        guard binding == .group, !signatures.isEmpty else { return false }
        let signed = bound.bytes + body
        return signatures.allSatisfy { key.isValidSignature($0, for: signed) }
    }
}

/// What ties the signature of a member to one group with relays, and to the member.
struct GroupBinding: Sendable, Hashable {
    /// The hash of the root key of the group.
    let publicGroupID: [UInt8]
    let member: MemberID

    var bytes: [UInt8] { [SignedMessage.Binding.group.rawValue] + BinaryForm.shortBytes(publicGroupID) + BinaryForm.shortBytes(member.bytes) }
}

extension ChatMessageEvent {
    /// Whether it changes a group with relays, or who somebody is in it: nobody takes it without a valid signature of who has written it.
    var requiresSignature: Bool {
        switch self {
        case .info, .relay(.new), .relay(.roster): true
        case .group(let event):
            switch event {
            case .delete, .info, .preferences, .memberDelete, .memberRole, .memberRestrict, .leave: true
            default: false
            }
        default: false
        }
    }
}

/// The public key of a member of a group with relays, base64url of its DER form in JSON.
struct MemberKey: Sendable, Hashable {
    let key: Ed25519.PublicKey

    init(_ key: Ed25519.PublicKey) { self.key = key }

    init?(parsing text: String) {
        guard let bytes = try? Base64URL.decode(text), let key = try? Ed25519.PublicKey(spki: bytes) else { return nil }
        self.key = key
    }

    var text: String { Base64URL.encode(key.spki) }
}

extension ParamReader {
    func memberKey(_ key: String) throws(ChatProtocolError) -> MemberKey {
        guard let value = MemberKey(parsing: try string(key)) else { throw .invalidMessage(reason: "\(path).\(key): not an Ed25519 key") }
        return value
    }

    func optionalMemberKey(_ key: String) throws(ChatProtocolError) -> MemberKey? {
        guard optional(key) != nil else { return Optional.none }
        return try memberKey(key)
    }

    func integer(_ key: String) throws(ChatProtocolError) -> Int64 {
        guard let number = try optionalInteger(key) else { throw .invalidMessage(reason: "\(path).\(key): missing") }
        return number
    }

    /// Bytes as base64url.
    func bytes(_ key: String) throws(ChatProtocolError) -> [UInt8] {
        guard let bytes = try? Base64URL.decode(try string(key)) else { throw .invalidMessage(reason: "\(path).\(key): not base64url") }
        return bytes
    }
}
