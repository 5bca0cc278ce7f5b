internal import ChatAPI

/// Why an item is not shown as it was written.
enum ItemHiding: Hashable, Sendable {
    /// By its author, or by the user.
    case deleted
    /// By a moderator of the group, for all.
    case moderated(by: Int64)
    /// The user has blocked its author.
    case blocked
    /// Its author is blocked for all.
    case blockedByAdmin

    static let column = "ALTER TABLE chat_items ADD COLUMN item_deleted_by INTEGER;"

    init?(stored: Int64, by moderator: Int64?) {
        switch stored {
        case 0: return nil
        case 2: self = .blocked
        case 3: self = .blockedByAdmin
        default: self = moderator.map(ItemHiding.moderated) ?? .deleted
        }
    }

    var stored: Int64 {
        switch self {
        case .deleted, .moderated: 1
        case .blocked: 2
        case .blockedByAdmin: 3
        }
    }

    /// The member that has moderated the item.
    var moderator: Int64? { if case .moderated(let memberId) = self { memberId } else { nil } }

    /// Whether the content is to be forgotten: that of a blocked member is only covered.
    var forgetsContent: Bool {
        switch self {
        case .deleted, .moderated: true
        case .blocked, .blockedByAdmin: false
        }
    }
}

extension CIDeleted {
    /// As ``ItemHiding/forgetsContent``.
    var forgetsContent: Bool {
        switch self {
        case .blocked, .blockedByAdmin: false
        case .deleted, .moderated, .unrecognized: true
        }
    }
}
