/// The data of a group that all members can see: names, description, image, preferences.
package struct GroupProfile: Codable, Hashable, Sendable {
    package var displayName: String
    package var fullName: String
    package var shortDescr: String?
    package var description: String?
    package var image: String?
    package var publicGroup: PublicGroupProfile?
    package var groupPreferences: GroupPreferences?
    package var memberAdmission: GroupMemberAdmission?

    package init(
        displayName: String,
        fullName: String,
        shortDescr: String? = nil,
        description: String? = nil,
        image: String? = nil,
        publicGroup: PublicGroupProfile? = nil,
        groupPreferences: GroupPreferences? = nil,
        memberAdmission: GroupMemberAdmission? = nil
    ) {
        self.displayName = displayName
        self.fullName = fullName
        self.shortDescr = shortDescr
        self.description = description
        self.image = image
        self.publicGroup = publicGroup
        self.groupPreferences = groupPreferences
        self.memberAdmission = memberAdmission
    }
}
