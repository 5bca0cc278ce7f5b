internal import ChatAPI
internal import SimpleXCrypto

extension BadgeCredential {
    /// The number of bytes of the master key.
    static let masterKeySize = 32
    /// The kind of a presentation header that binds the proof neither to a peer nor to a chat.
    static let unboundProofHeaderKind = UInt8(ascii: "T")
    /// The number of random bytes of a presentation header.
    private static let nonceSize = 16

    /// Whether the issuer has signed the badge.
    func isValid(with key: BBS.PublicKey) -> Bool {
        guard let master = masterKeyBytes, let signature = try? Base64URL.decode(signature) else { return false }
        return key.isValid(
            signature: signature,
            header: BadgeInfo.signatureHeader,
            messages: [master.bytes] + badgeInfo.signedMessages
        )
    }

    /// Makes a proof for one receiver; nil if the values of the credential have wrong forms. Receivers cannot find out
    /// whether two proofs come from one credential.
    func makeProof(issuer: [UInt8]) -> BadgeProof? {
        let header = [Self.unboundProofHeaderKind] + RandomBytes.make(count: Self.nonceSize)
        guard let master = masterKeyBytes, let signature = try? Base64URL.decode(signature),
            let proof = try? BBS.makeProof(
                of: signature,
                issuer: issuer,
                header: BadgeInfo.signatureHeader,
                presentationHeader: header,
                messages: [master.bytes] + badgeInfo.signedMessages,
                hidden: [0]
            )
        else { return nil }
        return BadgeProof(
            badgeKeyIdx: badgeKeyIdx,
            presHeader: Base64URL.encode(header),
            proof: Base64URL.encode(proof),
            badgeInfo: badgeInfo
        )
    }

    private var masterKeyBytes: SecretBytes? {
        (try? Base64URL.decode(masterKey)).map { SecretBytes($0) }.flatMap { $0.count == Self.masterKeySize ? $0 : nil }
    }
}
