package import ChatAPI

/// The order of items in a chat. Groups are ordered by the second of sending, since messages of members may arrive
/// late. Other chats are ordered by arrival. Items of the same time are ordered by their ids. Relays report times in
/// whole seconds, so fractions are ignored.
package enum ItemOrder: Hashable, Sendable {
    case byArrival
    case bySending

    package init(_ info: ChatInfo) {
        if case .group = info { self = .bySending } else { self = .byArrival }
    }

    func isBefore(_ first: ChatItem, _ second: ChatItem) -> Bool {
        let (one, other) =
            self == .byArrival
            ? (first.meta.createdAt, second.meta.createdAt)
            : (first.meta.itemTs.wholeSecond, second.meta.itemTs.wholeSecond)
        if UTCTime.isEarlier(one, other) { return true }
        if UTCTime.isEarlier(other, one) { return false }
        return first.id < second.id
    }
}
