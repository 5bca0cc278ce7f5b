package import ChatAPI
internal import JSON
package import SQLCipher
import Synchronization

/// A cache of API `Contact` values. An entry is valid while the row of the contact is unchanged. The related data
/// (profile, connection, tags) is read only when the row differs. Triggers increase a version in the row on any change
/// of the related data.
package final class ContactInfoCache: Sendable {
    private struct Key: Hashable {
        let user: Int64
        let contact: Int64
    }

    private struct Card {
        let row: [DatabaseValue]
        /// The user's profile, since the API value of a contact depends on the preferences in this profile.
        let profile: Profile
        let info: ChatInfo
    }

    private let cards = Mutex(RecentlyUsed<Key, Card>(capacity: 512))

    /// The API value of a contact; nil if it is not cached, or was made of another row or another profile.
    package func info(_ contact: Int64, user: Int64, row: [DatabaseValue], _ profile: Profile) -> ChatInfo? {
        let card = cards.withLock { $0.value(for: Key(user: user, contact: contact)) }
        return card.flatMap { $0.row == row && $0.profile == profile ? $0.info : nil }
    }

    package func put(_ info: ChatInfo, _ contact: Int64, user: Int64, row: [DatabaseValue], _ profile: Profile) {
        cards.withLock {
            $0.put(Card(row: row, profile: profile, info: info), for: Key(user: user, contact: contact))
        }
    }
}
