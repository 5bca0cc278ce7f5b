package import ChatAPI
internal import JSON
package import SQLCipher
import Synchronization

/// A cache of API `Contact` values. An entry is valid while the row of the contact is unchanged. The related data
/// (profile, connection, tags) is read only when the row differs. Triggers increase a version in the row on any change
/// of the related data.
package final class ContactInfoCache: Sendable {
    private struct Key: Hashable {
        let userId: Int64
        let contactId: Int64
    }

    private struct CachedContact {
        let row: [DatabaseValue]
        /// The user's profile, since the API value of a contact depends on the preferences in this profile.
        let profile: Profile
        let info: ChatInfo
    }

    private let cachedContacts = Mutex(RecentCache<Key, CachedContact>(capacity: 512))

    /// Returns the cached API value of a contact; nil if no value was cached for this row and this profile.
    package func cachedInfo(_ contact: Int64, user: Int64, row: [DatabaseValue], _ profile: Profile) -> ChatInfo? {
        let card = cachedContacts.withLock { $0.findValue(for: Key(userId: user, contactId: contact)) }
        return card.flatMap { $0.row == row && $0.profile == profile ? $0.info : nil }
    }

    package func cacheInfo(_ info: ChatInfo, _ contact: Int64, user: Int64, row: [DatabaseValue], _ profile: Profile) {
        cachedContacts.withLock {
            $0.storeValue(
                CachedContact(row: row, profile: profile, info: info),
                for: Key(userId: user, contactId: contact)
            )
        }
    }
}
