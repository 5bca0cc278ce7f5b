/// The details of a chat item: its versions, deliveries and origin.
public struct ChatItemInfo: Codable, Hashable, Sendable {
    public var itemVersions: [ChatItemVersion]
    public var memberDeliveryStatuses: [MemberDeliveryStatus]?
    public var forwardedFromChatItem: AChatItem?

    public init(
        itemVersions: [ChatItemVersion],
        memberDeliveryStatuses: [MemberDeliveryStatus]? = nil,
        forwardedFromChatItem: AChatItem? = nil
    ) {
        self.itemVersions = itemVersions
        self.memberDeliveryStatuses = memberDeliveryStatuses
        self.forwardedFromChatItem = forwardedFromChatItem
    }
}

/// One version of the content of an edited chat item.
public struct ChatItemVersion: Codable, Hashable, Sendable {
    public var chatItemVersionId: Int64
    public var msgContent: MsgContent
    public var formattedText: [FormattedText]?
    public var itemVersionTs: UTCTime
    public var createdAt: UTCTime

    public init(
        chatItemVersionId: Int64,
        msgContent: MsgContent,
        formattedText: [FormattedText]? = nil,
        itemVersionTs: UTCTime,
        createdAt: UTCTime
    ) {
        self.chatItemVersionId = chatItemVersionId
        self.msgContent = msgContent
        self.formattedText = formattedText
        self.itemVersionTs = itemVersionTs
        self.createdAt = createdAt
    }
}

/// Progress of the delivery of a chat item to one member.
public struct MemberDeliveryStatus: Codable, Hashable, Sendable {
    public var groupMemberId: Int64
    public var memberDeliveryStatus: GroupSndStatus
    public var sentViaProxy: Bool?

    public init(groupMemberId: Int64, memberDeliveryStatus: GroupSndStatus, sentViaProxy: Bool? = nil) {
        self.groupMemberId = groupMemberId
        self.memberDeliveryStatus = memberDeliveryStatus
        self.sentViaProxy = sentViaProxy
    }
}
