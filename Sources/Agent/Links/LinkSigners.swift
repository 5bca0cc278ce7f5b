import SMP
package import SimpleXCrypto

/// Keys that prove the ownership of a link, and the id of the linked entity. A signature with the key of the creator or
/// of an additional owner proves that an owner shares the link.
/// The signature covers bytes that identify the chat in which the link is shared (the binding), and then the link in
/// its binary form.
package struct LinkSigners: Sendable {
    package enum Failure: Error, Hashable, Sendable { case unknownOwner, signature }

    /// Key of the creator of the link.
    package let rootKey: Ed25519.PublicKey
    /// The owners whom the creator, or an earlier owner, has authorized.
    package let owners: [LinkOwner]
    /// The id of the channel, or of the relay in a channel, to which the link leads; nil for most links.
    package let entityID: [UInt8]?

    /// Copies the keys and the id from the data of a link.
    /// - Parameter data: link data whose owners were verified.
    init(_ fixed: FixedLinkData, _ data: LinkUserData) {
        rootKey = fixed.rootKey
        entityID = fixed.entityID
        owners = if case .contact(let contact) = data { contact.owners.filter { !$0.isEncodedInOldForm } } else { [] }
    }

    /// Finds the key of an owner; nil for an unknown owner.
    /// - Parameter ownerID: nil for the creator of the link.
    package func findKey(of ownerID: [UInt8]?) -> Ed25519.PublicKey? {
        guard let ownerID else { return rootKey }
        return owners.first { $0.id == ownerID }?.key
    }

    /// Verifies a signature of an owner.
    /// - Parameter ownerID: nil for the creator of the link.
    package func verifySignature(
        _ signature: [UInt8],
        by ownerID: [UInt8]?,
        of link: ShortLink,
        binding: [UInt8]
    ) throws(Failure) {
        guard let key = findKey(of: ownerID) else { throw .unknownOwner }
        guard let signed = try? link.smpEncoded(), key.isValidSignature(signature, for: binding + signed) else {
            throw .signature
        }
    }
}
