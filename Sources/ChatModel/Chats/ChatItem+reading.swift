package import ChatAPI

extension ChatItem {
    package var id: Int64 { meta.itemId }

    /// Whether the item was received, and the user has not read it.
    package var isRcvNew: Bool { meta.itemStatus == .rcvNew }

    /// The content of a message; nil for items that are not messages.
    package var msgContent: MsgContent? {
        switch content {
        case .sndMsgContent(let content), .rcvMsgContent(let content): content
        default: nil
        }
    }

    /// Whether the item is a report that is still open.
    package var isActiveReport: Bool {
        if case .report = msgContent { meta.itemDeleted == nil } else { false }
    }

    /// The kind of content by which a search finds the message; nil for items that are not messages.
    package var contentTag: MsgContentTag? {
        switch msgContent {
        case nil: nil
        case .text: meta.hasLink == true ? .link : .text
        case .link: .link
        case .image: .image
        case .video: .video
        case .voice: .voice
        case .file: .file
        case .report: .report
        case .chat: .chat
        case .unrecognized(let value): MsgContentTag(rawValue: value["type"]?.stringValue ?? "")
        }
    }

    /// Returns the item as it looks after a moderator has removed a member together with all messages of the member.
    /// Returns nil if another person has written the item, if the item is not a message, or if it is marked as deleted
    /// already.
    func makeModeratedItem(in group: GroupInfo, of member: GroupMember, by moderator: GroupMember) -> ChatItem? {
        let content: CIContent
        switch chatDir {
        case .groupSnd where member.groupMemberId == group.membership.groupMemberId: content = .sndModerated
        case .groupRcv(let author) where author.groupMemberId == member.groupMemberId: content = .rcvModerated
        default: return nil
        }
        guard msgContent != nil, meta.itemDeleted == nil else { return nil }
        var item = self
        // The event does not contain the time of the moderation, so the item has no such time.
        item.meta.itemDeleted = .moderated(deletedTs: nil, byGroupMember: moderator)
        if group.fullGroupPreferences.fullDelete.enable == .on { item.content = content }
        return item
    }
}
