/// The order of roles in a group, from the fewest rights to all rights. An unknown role has no rights.
extension GroupMemberRole: Comparable {
    private static let rolesByRank: [GroupMemberRole] = [
        .relay, .observer, .author, .member, .moderator, .admin, .owner,
    ]

    private var rank: Int { Self.rolesByRank.firstIndex(of: self) ?? -1 }

    package static func < (one: GroupMemberRole, other: GroupMemberRole) -> Bool { one.rank < other.rank }
}
