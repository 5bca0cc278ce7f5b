/// The signature of an owner that confirms a link inside a chat.
public struct LinkOwnerSig: Codable, Hashable, Sendable {
    public var ownerId: String?
    public var chatBinding: String
    public var ownerSig: String

    public init(ownerId: String? = nil, chatBinding: String, ownerSig: String) {
        self.ownerId = ownerId
        self.chatBinding = chatBinding
        self.ownerSig = ownerSig
    }
}
