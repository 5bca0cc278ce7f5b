/// The link for joining a group, with the role of the members who join by it.
public struct GroupLink: Codable, Hashable, Sendable {
    public var userContactLinkId: Int64
    public var connLinkContact: CreatedConnLink
    public var shortLinkDataSet: Bool
    public var shortLinkLargeDataSet: Bool
    public var groupLinkId: String
    public var acceptMemberRole: GroupMemberRole

    public init(
        userContactLinkId: Int64,
        connLinkContact: CreatedConnLink,
        shortLinkDataSet: Bool,
        shortLinkLargeDataSet: Bool,
        groupLinkId: String,
        acceptMemberRole: GroupMemberRole
    ) {
        self.userContactLinkId = userContactLinkId
        self.connLinkContact = connLinkContact
        self.shortLinkDataSet = shortLinkDataSet
        self.shortLinkLargeDataSet = shortLinkLargeDataSet
        self.groupLinkId = groupLinkId
        self.acceptMemberRole = acceptMemberRole
    }
}
