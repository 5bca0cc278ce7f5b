internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SimpleXCrypto
internal import SQLCipher

extension RunningCommand {
    /// `/_share address @`: returns message content that shows the user's address to a contact. Programs that do not
    /// know this kind of content show its text, which is the link. The owner's signature is valid only in the chat with
    /// this contact.
    func shareAddress(with contactId: Int64, user: UserRecord) async throws -> ChatResponse {
        let (contact, address) = try await store.read { db in
            (try ContactRecord.get(contactId, user: user, in: db), try AddressRecord.get(user: user, in: db))
        }
        guard let text = address.shortLink, let link = try? ShortLink(atServer: text) else {
            throw ChatFailure.commandError("address has no short link")
        }
        let card = MsgChatLink.contact(
            connLink: text,
            profile: user.profileToSend(),
            business: address.settings.businessAddress
        )
        return .chatMsgContent(
            user: user.api,
            msgContent: .chat(
                text: text,
                chatLink: card,
                ownerSig: try await makeOwnerSignature(of: link, address, for: contact)
            )
        )
    }

    /// Signs the link as the owner of the address; nil when the contact has no ready connection to which the signature
    /// can be bound.
    private func makeOwnerSignature(
        of link: ShortLink,
        _ address: AddressRecord,
        for contact: ContactRecord
    ) async throws -> LinkOwnerSig? {
        guard let owner = ConnectionID(text: address.agentConnId), let connection = contact.connection,
            connection.status == .ready,
            let id = connection.agentConnectionID
        else { return nil }
        let binding = ChatBinding.makeDirectBinding(
            try await services.withAgent { try await $0.fetchRatchetHash(of: id) }
        )
        guard
            let signature = try await services.withAgent({
                try await $0.signAsOwner(of: owner, sharing: link, binding: binding)
            })
        else { return nil }
        return LinkOwnerSig(chatBinding: BytesText.base64URL(binding), ownerSig: BytesText.base64URL(signature))
    }
}

/// Data that binds a signature to one chat.
enum ChatBinding {
    /// Makes the data that binds a signature to the chat with a contact.
    /// - Parameter ratchetHash: a hash that both sides of the connection know.
    static func makeDirectBinding(_ ratchetHash: [UInt8]) -> [UInt8] {
        [SignedMessage.Binding.direct.rawValue] + ratchetHash
    }

    static func makeChannelBinding(_ publicGroupID: [UInt8]) -> [UInt8] {
        [SignedMessage.Binding.channel.rawValue] + BinaryEncoder.encodeShortBytes(publicGroupID)
    }
}

extension ResolvedLink {
    /// Checks the signature of a shared link with the keys of the link's owners; nil without a signature.
    func verifyOwnerSignature(_ signature: LinkOwnerSig?) -> OwnerVerification? {
        guard let signature else { return nil }
        guard let shortLink, let signers else { return .failed(reason: "no owner keys") }
        guard let binding = try? Base64URL.decode(signature.chatBinding),
            let bytes = try? Base64URL.decode(signature.ownerSig)
        else {
            return .failed(reason: "the signature is not valid")
        }
        var ownerID: [UInt8]?
        if let text = signature.ownerId {
            guard let id = try? Base64URL.decode(text) else { return .failed(reason: "unknown owner ID") }
            ownerID = id
        }
        do throws(LinkSigners.Failure) {
            try signers.verifySignature(bytes, by: ownerID, of: shortLink, binding: binding)
            return .verified
        } catch {
            return .failed(reason: error == .unknownOwner ? "unknown owner ID" : "the signature is not valid")
        }
    }
}
