/// The details of a chat item: its earlier versions, its deliveries, and the origin of a forwarded item.
package struct ChatItemInfo: Codable, Hashable, Sendable {
    package var itemVersions: [ChatItemVersion]
    package var memberDeliveryStatuses: [MemberDeliveryStatus]?
    package var forwardedFromChatItem: AChatItem?

    package init(
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
package struct ChatItemVersion: Codable, Hashable, Sendable {
    package var chatItemVersionId: Int64
    package var msgContent: MsgContent
    package var formattedText: [FormattedText]?
    package var itemVersionTs: UTCTime
    package var createdAt: UTCTime

    package init(
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
package struct MemberDeliveryStatus: Codable, Hashable, Sendable {
    package var groupMemberId: Int64
    package var memberDeliveryStatus: GroupSndStatus
    package var sentViaProxy: Bool?

    package init(groupMemberId: Int64, memberDeliveryStatus: GroupSndStatus, sentViaProxy: Bool? = nil) {
        self.groupMemberId = groupMemberId
        self.memberDeliveryStatus = memberDeliveryStatus
        self.sentViaProxy = sentViaProxy
    }
}
