package import ChatAPI

/// The order of items in a chat. Items of groups are ordered by the second at which they were sent, since messages of
/// members may arrive late. Fractions of this second are ignored, since relays report times in whole seconds. Items of
/// other chats are ordered by arrival. Items with the same time are ordered by their ids.
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
