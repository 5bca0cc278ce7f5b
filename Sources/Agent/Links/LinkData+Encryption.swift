import SMP
import SimpleXCrypto

/// Reason why link data do not match their link. The cases are in the order of the checks.
enum LinkDataError: Error, Hashable, Sendable {
    /// The data cannot be decrypted with the key of the link.
    case decryption
    case malformed
    /// The hash of the data differs from the hash in the link.
    case wrongHash
    case wrongSignature
    case invalidOwners(String)
    case wrongUserDataSignature
    /// The request in the data contains a queue other than the queue of the link.
    case differentAddress
    /// The data are longer than the padded length.
    case tooLarge
}

/// Link data as stored on the relay: two parts, each signed, and then encrypted with the key of the link.
enum SealedLinkData {
    /// Padded lengths of the fixed data and of the user data, in bytes. With nonce and tag, the encrypted parts have
    /// 2,048 and 13,824 bytes.
    static let fixedPartLength = 2008, userPartLength = 13784
    private static let nonceLength = 24

    /// Encodes a part of the link data, and puts the signature before the encoded part.
    static func signPart(_ part: some SMPCodable, _ rootKey: Ed25519.PrivateKey) throws -> [UInt8] {
        let bytes = try part.smpEncoded()
        var writer = ByteWriter()
        writer.writeShortBytes(try rootKey.sign(bytes))
        writer.writeRaw(bytes)
        return try writer.finish()
    }

    static func computeLinkKey(_ fixed: FixedLinkData) throws -> [UInt8] { Digest.sha3_256(try fixed.smpEncoded()) }

    static func sealPart(
        _ signed: [UInt8],
        key: SymmetricKey,
        nonce: BoxNonce = .random(),
        length: Int
    ) throws(LinkDataError) -> [UInt8] {
        guard Padding.canPad(messageSize: signed.count, to: length),
            let box = try? SecretBox.seal(signed, key: key, nonce: nonce, paddedTo: length)
        else { throw .tooLarge }
        return nonce.rawRepresentation + box
    }

    /// Decrypts the fixed data and the user data of a link, and verifies that they belong to the link.
    static func openAndVerify(
        _ data: QueueLinkData,
        linkKey: [UInt8],
        key: SymmetricKey
    ) throws(LinkDataError) -> (FixedLinkData, VersionedUserData) {
        let (fixedSignature, fixedBytes) = try openPart(data.encFixedData, key)
        let (userSignature, userBytes) = try openPart(data.encUserData, key)
        guard let fixed = try? FixedLinkData(smpEncoded: fixedBytes),
            let user = try? VersionedUserData(smpEncoded: userBytes)
        else {
            throw .malformed
        }
        guard Digest.sha3_256(fixedBytes) == linkKey else { throw .wrongHash }
        guard fixed.rootKey.isValidSignature(fixedSignature, for: fixedBytes) else { throw .wrongSignature }
        var signers = [fixed.rootKey]
        if case .contact(let contact) = user.data {
            signers += try verifyOwners(contact.owners, rootKey: fixed.rootKey)
        }
        guard signers.contains(where: { $0.isValidSignature(userSignature, for: userBytes) }) else {
            throw .wrongUserDataSignature
        }
        return (fixed, user)
    }

    private static func openPart(
        _ sealed: [UInt8],
        _ key: SymmetricKey
    ) throws(LinkDataError) -> (signature: [UInt8], bytes: [UInt8]) {
        guard sealed.count > nonceLength,
            let nonce = try? BoxNonce(rawRepresentation: Array(sealed.prefix(nonceLength))),
            let signed = try? SecretBox.open(sealed.dropFirst(nonceLength), key: key, nonce: nonce)
        else { throw .decryption }
        var reader = ByteReader(signed)
        guard let signature = try? reader.readShortBytes() else { throw .malformed }
        return (signature, reader.readRest())
    }

    /// Verifies that the root key or an earlier owner authorizes each owner, and that each owner occurs once.
    static func verifyOwners(
        _ owners: [LinkOwner],
        rootKey: Ed25519.PublicKey
    ) throws(LinkDataError) -> [Ed25519.PublicKey] {
        var previous: [LinkOwner] = []
        for owner in owners where !owner.isEncodedInOldForm {
            let id = Base64URL.encode(owner.id, padding: false)
            guard owner.key != rootKey else { throw .invalidOwners("owner key for ID \(id) matches root key") }
            guard !previous.contains(where: { $0.id == owner.id || $0.key == owner.key }) else {
                throw .invalidOwners("duplicate owner key or ID \(id)")
            }
            let signed = owner.id + owner.key.spki
            guard
                ([rootKey] + previous.map(\.key)).contains(where: { $0.isValidSignature(owner.signature, for: signed) })
            else {
                throw .invalidOwners("invalid authorization of owner ID \(id)")
            }
            previous.append(owner)
        }
        return previous.map(\.key)
    }
}
