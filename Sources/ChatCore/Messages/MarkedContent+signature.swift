internal import ChatAPI
internal import SimpleXCrypto

extension MarkedContent {
    /// Returns the content, without the owner's signature if the signature is bound to another chat.
    func keepingSignature(boundTo binding: [UInt8]?) -> MarkedContent {
        guard case .chat(let text, let link, let signature?) = content else { return self }
        if let binding, (try? Base64URL.decode(signature.chatBinding)) == binding { return self }
        return MarkedContent(.chat(text: text, chatLink: link, ownerSig: nil), markup)
    }
}
