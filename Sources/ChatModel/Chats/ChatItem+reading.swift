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

    /// A message of a member of a group shows that member as the list of members does.
    var groupMember: GroupMember? {
        if case .groupRcv(let member) = chatDir { member } else { nil }
    }
}
