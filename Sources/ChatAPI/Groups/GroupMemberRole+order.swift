/// The order of roles in a group, from the fewest rights to all rights. An unknown role has no rights.
extension GroupMemberRole: Comparable {
    private static let ranks: [GroupMemberRole] = [.relay, .observer, .author, .member, .moderator, .admin, .owner]

    private var rank: Int { Self.ranks.firstIndex(of: self) ?? -1 }

    package static func < (one: GroupMemberRole, other: GroupMemberRole) -> Bool { one.rank < other.rank }
}
