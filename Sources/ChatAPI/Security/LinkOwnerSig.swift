/// The signature by which an owner confirms a link inside a chat.
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
