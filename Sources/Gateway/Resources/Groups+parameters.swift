internal import ChatAPI

extension RequestBody {
    /// Reads a role that a user can assign. `relay` and `author` exist only in channels.
    func decodeMemberRole() throws(ProblemDetails) -> GroupMemberRole {
        let role: GroupMemberRole = try decodeValue("memberRole")
        guard AssignableRole.allRoles.contains(role) else {
            throw ProblemDetails(member: "memberRole", "must be observer, member, moderator, admin or owner.")
        }
        return role
    }
}

/// A role that a user can assign.
struct AssignableRole: Decodable {
    static let allRoles: [GroupMemberRole] = [.observer, .member, .moderator, .admin, .owner]

    let role: GroupMemberRole

    init(from decoder: any Decoder) throws {
        role = try GroupMemberRole(from: decoder)
        guard Self.allRoles.contains(role) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "not a role that can be assigned"
                )
            )
        }
    }
}

extension RouteContext {
    /// Reads the reaction in the parameter `emoji`.
    func parseReaction() throws(ProblemDetails) -> MsgReaction {
        guard let emoji = readParameter("emoji") else {
            throw ProblemDetails(parameter: "emoji", "is missing.", .missing)
        }
        return .emoji(emoji: emoji)
    }
}
