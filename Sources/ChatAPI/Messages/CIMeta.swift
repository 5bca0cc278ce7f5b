/// The metadata of a chat item. `itemTs` is the time at which the item was sent. `createdAt` and `updatedAt` are the
/// times at which this database stored and changed the item.
package struct CIMeta: Codable, Hashable, Sendable {
    package var itemId: Int64
    package var itemTs: UTCTime
    package var itemText: String
    package var itemStatus: CIStatus
    package var sentViaProxy: Bool?
    package var itemSharedMsgId: String?
    package var itemForwarded: CIForwardedFrom?
    package var itemDeleted: CIDeleted?
    package var itemEdited: Bool
    package var itemTimed: CITimed?
    package var itemLive: Bool?
    package var userMention: Bool
    package var hasLink: Bool?
    package var deletable: Bool
    package var editable: Bool
    package var forwardedByMember: Int64?
    package var showGroupAsSender: Bool
    package var msgSigned: MsgSigStatus?
    package var createdAt: UTCTime
    package var updatedAt: UTCTime

    package init(
        itemId: Int64,
        itemTs: UTCTime,
        itemText: String,
        itemStatus: CIStatus,
        sentViaProxy: Bool? = nil,
        itemSharedMsgId: String? = nil,
        itemForwarded: CIForwardedFrom? = nil,
        itemDeleted: CIDeleted? = nil,
        itemEdited: Bool,
        itemTimed: CITimed? = nil,
        itemLive: Bool? = nil,
        userMention: Bool,
        hasLink: Bool? = nil,
        deletable: Bool,
        editable: Bool,
        forwardedByMember: Int64? = nil,
        showGroupAsSender: Bool,
        msgSigned: MsgSigStatus? = nil,
        createdAt: UTCTime,
        updatedAt: UTCTime
    ) {
        self.itemId = itemId
        self.itemTs = itemTs
        self.itemText = itemText
        self.itemStatus = itemStatus
        self.sentViaProxy = sentViaProxy
        self.itemSharedMsgId = itemSharedMsgId
        self.itemForwarded = itemForwarded
        self.itemDeleted = itemDeleted
        self.itemEdited = itemEdited
        self.itemTimed = itemTimed
        self.itemLive = itemLive
        self.userMention = userMention
        self.hasLink = hasLink
        self.deletable = deletable
        self.editable = editable
        self.forwardedByMember = forwardedByMember
        self.showGroupAsSender = showGroupAsSender
        self.msgSigned = msgSigned
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}
