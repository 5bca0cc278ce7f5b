internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SMP
internal import SimpleXCrypto

extension RunningCommand {
    /// `/_share chat content`: returns message content that shows a channel in another chat. Programs that do not know
    /// this kind of content show its text, which is the link. The signature of the owner is valid only in the target
    /// chat.
    func shareChannel(
        _ shared: ChatRef,
        with target: ChatRef,
        asGroup: Bool,
        user: UserRecord
    ) async throws -> ChatResponse {
        let key = try ChatKey(whole: shared)
        let found = try await store.read { db in try key.getConversation(user, db).group }
        guard let group = found else { throw ChatFailure.commandError("only public groups can be shared") }
        guard let publicGroup = group.profile.publicGroup else {
            throw ChatFailure.commandError("the group is not public")
        }
        let binding = try await findOwnerBinding(for: target, asGroup: asGroup, user)
        // Only the owner who made the channel has the root key. Only this owner signs, since the link does not name
        // owners who were added later.
        let hasRootKey = try await store.read { db in try group.findRootPrivateKey(in: db) != nil }
        var signature: LinkOwnerSig?
        if let binding, hasRootKey, group.membership.role == .owner, let signer = group.signer,
            let link = try? ShortLink(atServer: publicGroup.groupLink)
        {
            signature = LinkOwnerSig(
                ownerId: BytesText.base64URL(group.membership.sharedID.bytes),
                chatBinding: BytesText.base64URL(binding),
                ownerSig: BytesText.base64URL(try signer.key.sign(binding + link.smpEncoded()))
            )
        }
        let link = publicGroup.groupLink
        return .chatMsgContent(
            user: user.api,
            msgContent: .chat(
                text: link,
                chatLink: .group(connLink: link, groupProfile: group.profile),
                ownerSig: signature
            )
        )
    }

    /// Returns the bytes that bind a signature to a chat; nil for an ordinary group, and for a contact who is not
    /// connected.
    private func findOwnerBinding(for target: ChatRef, asGroup: Bool, _ user: UserRecord) async throws -> [UInt8]? {
        switch target.chatType {
        case .direct:
            let contact = try await store.read { db in try ContactRecord.get(target.chatId, user: user, in: db) }
            guard let connection = contact.connection, connection.status == .ready,
                let id = connection.agentConnectionID
            else { return nil }
            return ChatBinding.makeDirectBinding(try await services.withAgent { try await $0.fetchRatchetHash(of: id) })
        case .group:
            let group = try await store.read { db in try GroupRecord.get(target.chatId, user: user, in: db) }
            return group.ownerSignatureBinding(of: asGroup ? nil : group.membership)
        default: throw ChatFailure.commandError("not supported")
        }
    }
}

extension GroupRecord {
    /// Returns the bytes that bind an owner's signature of shared content to this channel; nil in an ordinary group.
    /// - Parameter author: the owner who shares the content; nil for content in the name of the channel.
    func ownerSignatureBinding(of author: MemberRecord?) -> [UInt8]? {
        guard let id = channel?.publicGroupID else { return nil }
        return author.map { GroupBinding(publicGroupID: id, member: $0.sharedID).bytes }
            ?? ChatBinding.makeChannelBinding(id)
    }
}
