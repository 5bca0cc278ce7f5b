internal import ChatAPI

/// The reason why an item is deleted or hidden.
enum HidingReason: Hashable, Sendable {
    /// The author of the item, or the user, has deleted the item.
    case deleted
    /// A moderator of the group has deleted the item for all members. The value is the id of the moderator.
    case moderated(by: Int64)
    /// The user has blocked the author.
    case blocked
    /// A moderator has blocked the author for all members.
    case blockedByAdmin

    init?(stored: Int64, by moderator: Int64?) {
        switch stored {
        case 0: return nil
        case 2: self = .blocked
        case 3: self = .blockedByAdmin
        default: self = moderator.map(HidingReason.moderated) ?? .deleted
        }
    }

    /// The reason why a new item of a member is hidden; nil for an item that is shown.
    init?(ofItemsBy author: MemberRecord?) {
        guard let author, author.isBlockedByAdmin || author.isBlockedByUser else { return nil }
        self = author.isBlockedByAdmin ? .blockedByAdmin : .blocked
    }

    var storedNumber: Int64 {
        switch self {
        case .deleted, .moderated: 1
        case .blocked: 2
        case .blockedByAdmin: 3
        }
    }

    /// The id of the moderator who has deleted the item; nil for other reasons.
    var moderatorId: Int64? { if case .moderated(let memberId) = self { memberId } else { nil } }

    /// Whether the item counts as deleted. Its content may still be stored. An item of a blocked member is only hidden.
    var deletesContent: Bool {
        switch self {
        case .deleted, .moderated: true
        case .blocked, .blockedByAdmin: false
        }
    }
}
