/// The data of a group that all members can see: names, description, image, preferences.
public struct GroupProfile: Codable, Hashable, Sendable {
    public var displayName: String
    public var fullName: String
    public var shortDescr: String?
    public var description: String?
    public var image: String?
    public var publicGroup: PublicGroupProfile?
    public var groupPreferences: GroupPreferences?
    public var memberAdmission: GroupMemberAdmission?

    public init(
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
