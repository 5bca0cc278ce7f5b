package import ChatAPI

extension CIDeleted {
    /// Whether the deletion of an item also deletes the item's content. The content of a blocked member is only hidden.
    package var deletesContent: Bool {
        switch self {
        case .blocked, .blockedByAdmin: false
        case .deleted, .moderated, .unrecognized: true
        }
    }
}
