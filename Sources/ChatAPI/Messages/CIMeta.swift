/// The metadata of a chat item. `itemTs` is the time of the sender; the other times are times of this database.
public struct CIMeta: Codable, Hashable, Sendable {
    public var itemId: Int64
    public var itemTs: UTCTime
    public var itemText: String
    public var itemStatus: CIStatus
    public var sentViaProxy: Bool?
    public var itemSharedMsgId: String?
    public var itemForwarded: CIForwardedFrom?
    public var itemDeleted: CIDeleted?
    public var itemEdited: Bool
    public var itemTimed: CITimed?
    public var itemLive: Bool?
    public var userMention: Bool
    public var hasLink: Bool?
    public var deletable: Bool
    public var editable: Bool
    public var forwardedByMember: Int64?
    public var showGroupAsSender: Bool
    public var msgSigned: MsgSigStatus?
    public var createdAt: UTCTime
    public var updatedAt: UTCTime

    public init(
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
