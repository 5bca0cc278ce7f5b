/// The link by which people join a group, with the role of the members who join.
package struct GroupLink: Codable, Hashable, Sendable {
    package var userContactLinkId: Int64
    package var connLinkContact: CreatedConnLink
    package var shortLinkDataSet: Bool
    package var shortLinkLargeDataSet: Bool
    package var groupLinkId: String
    package var acceptMemberRole: GroupMemberRole

    package init(
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
