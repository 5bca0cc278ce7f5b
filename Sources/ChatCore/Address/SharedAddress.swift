internal import ChatAPI

extension ChatController {
    /// `/_share address @`: the content that shows the user's address to a contact, to be sent as any other. Programs that do not know such
    /// content show its text, which is the link.
    ///
    /// It has no signature of the owner (which is optional): what is signed besides the link is not published.
    func shareAddress(with contactId: Int64, user: UserRecord) async throws -> ChatResponse {
        let address = try await store.read { db in
            _ = try ContactRecord.get(contactId, user: user, in: db)
            return try AddressRecord.get(user: user, in: db)
        }
        guard let link = address.shortLink else { throw ChatFailure.command("address has no short link") }
        let card = MsgChatLink.contact(connLink: link, profile: user.profileToSend(), business: address.settings.businessAddress)
        return .chatMsgContent(user: user.api, msgContent: .chat(text: link, chatLink: card, ownerSig: nil))
    }
}
