/// The signature by which the owner of a link confirms the link for one chat. `chatBinding` binds the signature to the
/// chat.
package struct LinkOwnerSig: Codable, Hashable, Sendable {
    package var ownerId: String?
    package var chatBinding: String
    package var ownerSig: String

    package init(ownerId: String? = nil, chatBinding: String, ownerSig: String) {
        self.ownerId = ownerId
        self.chatBinding = chatBinding
        self.ownerSig = ownerSig
    }
}
