public import ChatAPI

extension ChatItem {
    public var id: Int64 { meta.itemId }

    /// Received, and not read by the user.
    public var isRcvNew: Bool { meta.itemStatus == .rcvNew }

    /// What the message is, for items that are messages.
    public var msgContent: MsgContent? {
        switch content {
        case .sndMsgContent(let content), .rcvMsgContent(let content): content
        default: nil
        }
    }

    /// A report that nobody has dealt with.
    public var isActiveReport: Bool {
        if case .report = msgContent { meta.itemDeleted == nil } else { false }
    }

    /// By which kind of content the message is found; nil for what is no message.
    public var contentTag: MsgContentTag? {
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

    /// The item as it is when a member was removed with all that the member has written; nil when it is not of that member.
    func moderated(in group: GroupInfo, of member: GroupMember, by moderator: GroupMember) -> ChatItem? {
        let content: CIContent
        switch chatDir {
        case .groupSnd where member.groupMemberId == group.membership.groupMemberId: content = .sndModerated
        case .groupRcv(let author) where author.groupMemberId == member.groupMemberId: content = .rcvModerated
        default: return nil
        }
        guard msgContent != nil, meta.itemDeleted == nil else { return nil }
        var item = self
        // When it was done is not told.
        item.meta.itemDeleted = .moderated(deletedTs: nil, byGroupMember: moderator)
        if group.fullGroupPreferences.fullDelete.enable == .on { item.content = content }
        return item
    }

    /// A message of a member of a group shows that member as the list of members does.
    var groupMember: GroupMember? {
        if case .groupRcv(let member) = chatDir { member } else { nil }
    }
}
