internal import JSON
package import SimpleXCrypto

/// A message with the signatures of its author. Its form is `/`, the kind of chat (``Binding``), the number of
/// signatures, each signature after the kind of its key, and the message. The message is stored and forwarded in
/// exactly the bytes that were signed.
///
/// simplex-chat `docs/protocol/channels-protocol.md`, "Message signing".
package struct SignedMessage: Sendable, Hashable {
    /// The kind of chat to which the signatures of a message are bound.
    package enum Binding: UInt8, Sendable {
        case group = 0x47
        case channel = 0x43
        case direct = 0x44
    }

    package var binding: Binding
    /// The signatures, each made with the author's key as a member of the group. There is at least one signature.
    package var signatures: [[UInt8]]
    /// The signed message as JSON.
    package var body: [UInt8]

    /// The mark for the only kind of key with which messages are signed: the key of the member.
    private static let memberKeyMark = UInt8(ascii: "M")
    /// The possible sizes of a signature in bytes: Ed25519, and Ed448, which no member uses.
    private static let signatureSizes: Set<Int> = [Ed25519.signatureSize, 114]

    /// Signs a message as a member of a group with relays.
    /// - Parameter bound: the group and the member to which the signature is bound.
    package init(_ body: [UInt8], by key: Ed25519.PrivateKey, bound: GroupBinding) throws(CryptoError) {
        binding = .group
        signatures = [try key.sign(bound.bytes + body)]
        self.body = body
    }

    /// Reads a signed message from an element of a message body.
    /// - Parameter element: the element, including its first byte `/`.
    package init(_ element: some Collection<UInt8>) throws(ChatProtocolError) {
        var reader = BinaryReader(element)
        guard try reader.readByte() == UInt8(ascii: "/"), let binding = Binding(rawValue: try reader.readByte()) else {
            throw .invalidBinary
        }
        let count = try reader.readByte()
        guard count > 0 else { throw .invalidBinary }
        var signatures: [[UInt8]] = []
        for _ in 0..<count {
            guard try reader.readByte() == Self.memberKeyMark else { throw .invalidBinary }
            let signature = try reader.readShortBytes()
            guard Self.signatureSizes.contains(signature.count) else { throw .invalidBinary }
            signatures.append(signature)
        }
        self.binding = binding
        self.signatures = signatures
        body = reader.readRest()
    }

    /// The encoded message with its signatures, as an element of a message body.
    package var element: [UInt8] {
        [UInt8(ascii: "/"), binding.rawValue, UInt8(clamping: signatures.count)]
            + signatures.prefix(255).flatMap { [Self.memberKeyMark] + BinaryEncoder.encodeShortBytes($0) } + body
    }

    /// Returns whether all signatures are valid for the public key `key`, and for the group and the member of `bound`.
    package func isValid(_ key: Ed25519.PublicKey, bound: GroupBinding) -> Bool {
        guard binding == .group, !signatures.isEmpty else { return false }
        let signed = bound.bytes + body
        return signatures.allSatisfy { key.isValidSignature($0, for: signed) }
    }
}

/// The bytes that are put before a message to compute its signature. They bind the signature to one member of one group
/// with relays.
package struct GroupBinding: Sendable, Hashable {
    /// The hash of the root key of the group.
    package let publicGroupID: [UInt8]
    package let memberID: MemberID

    package init(publicGroupID: [UInt8], member: MemberID) {
        self.publicGroupID = publicGroupID
        self.memberID = member
    }

    package var bytes: [UInt8] {
        [SignedMessage.Binding.group.rawValue] + BinaryEncoder.encodeShortBytes(publicGroupID)
            + BinaryEncoder.encodeShortBytes(memberID.bytes)
    }
}

extension ChatMessageEvent {
    /// Whether recipients refuse the event without a signature of its author, because it changes a group with relays or
    /// one of its members.
    package var requiresSignature: Bool {
        switch self {
        case .info: true
        case .group(let event):
            switch event {
            case .delete, .info, .preferences, .memberDelete, .memberRole, .memberRestrict, .leave: true
            case .invitation, .accept, .linkInvitation, .linkRejection, .linkMember, .memberNew, .linkAcceptance,
                .memberIntro, .memberInvitation, .memberForward, .memberInfo, .memberConnected, .directInvitation,
                .forward:
                false
            }
        case .relay(let event):
            switch event {
            case .new, .roster: true
            case .join, .invitation, .acceptance, .rejection, .test, .capabilities, .rosterReceived, .rosterRequest:
                false
            }
        case .messageNew, .messageUpdate, .messageDelete, .messageReact, .fileDescription, .fileCancel, .contact,
            .directDelete, .infoProbe, .infoProbeCheck, .infoProbeOk, .ok, .call, .other:
            false
        }
    }
}

/// The public key of a member of a group with relays. In JSON, its DER form is base64url text.
package struct MemberKey: Sendable, Hashable {
    package let key: Ed25519.PublicKey

    package init(_ key: Ed25519.PublicKey) { self.key = key }

    package init?(parsing text: String) {
        guard let bytes = try? Base64URL.decode(text), let key = try? Ed25519.PublicKey(spki: bytes) else { return nil }
        self.key = key
    }

    package var text: String { Base64URL.encode(key.spki) }
}

extension ParamReader {
    func readMemberKey(_ key: String) throws(ChatProtocolError) -> MemberKey {
        guard let value = MemberKey(parsing: try readString(key)) else {
            throw .invalidMessage(reason: "\(path).\(key): not an Ed25519 key")
        }
        return value
    }

    func readOptionalMemberKey(_ key: String) throws(ChatProtocolError) -> MemberKey? {
        guard readOptionalValue(key) != nil else { return Optional.none }
        return try readMemberKey(key)
    }

    func readInteger(_ key: String) throws(ChatProtocolError) -> Int64 {
        guard let number = try readOptionalInteger(key) else {
            throw .invalidMessage(reason: "\(path).\(key): missing")
        }
        return number
    }

    /// Reads the bytes of a JSON member whose value is base64url text.
    func readBytes(_ key: String) throws(ChatProtocolError) -> [UInt8] {
        guard let bytes = try? Base64URL.decode(try readString(key)) else {
            throw .invalidMessage(reason: "\(path).\(key): not base64url")
        }
        return bytes
    }
}
