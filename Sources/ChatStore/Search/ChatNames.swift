internal import JSON
internal import SQLCipher
import Synchronization

/// A copy in memory of the names, aliases and descriptions by which chats are found in the chat list. The database
/// counts the changes of names, so that a search reads only the changes since the last search.
package final class ChatNames: Sendable {
    /// The SQL conditions that join a changed name `n` with its contact `c` and with its group `g`.
    private static let contactJoin = ChatKey.joinCondition("n", .contact, "c", "contact_id"),
        groupJoin = ChatKey.joinCondition("n", .group, "g", "group_id")

    private struct State {
        /// The number of the last change that was read from the database.
        var lastChange: Int64 = 0
        var names: [Int64: [ChatKey: Names]] = [:]
    }

    /// The names of a chat in lower case, each followed by a zero byte.
    private struct Names {
        let text: [UInt8]

        init(_ names: [String]) {
            var text: [UInt8] = []
            for name in names where !name.isEmpty {
                text += name.lowercased().utf8
                text.append(0)
            }
            self.text = text
        }

        func contains(_ words: [UInt8]) -> Bool {
            guard let first = words.first, text.count >= words.count else { return false }
            return text.withUnsafeBufferPointer { text in
                words.withUnsafeBufferPointer { words in
                    for start in 0...(text.count - words.count) where text[start] == first {
                        if text[start..<start + words.count].elementsEqual(words) { return true }
                    }
                    return false
                }
            }
        }
    }

    private let state = Mutex(State())

    /// Returns the chats with a name that contains the text `words`. Upper and lower case letters are not
    /// distinguished.
    package func findChats(named words: String, user: Int64, _ db: StoreConnection) throws -> Set<ChatKey> {
        let words = Array(words.lowercased().utf8)
        guard !words.isEmpty, !words.contains(0) else { return [] }
        let names = try readCurrentState(db).names[user] ?? [:]
        var found: Set<ChatKey> = []
        for (chat, names) in names where names.contains(words) { found.insert(chat) }
        return found
    }

    /// Returns the known names, updated with the latest changes.
    private func readCurrentState(_ db: StoreConnection) throws -> State {
        var state = self.state.withLock { $0 }
        let newest = try db.firstRow("SELECT max(note) AS newest FROM chat_names_changed")?.int64OrNil("newest") ?? 0
        guard newest > state.lastChange else { return state }
        let rows = try db.query(
            """
            SELECT n.user_id, n.chat_type, n.chat_id, coalesce(c.local_display_name, g.local_display_name) AS name,
              coalesce(p.profile, g.profile) AS profile, coalesce(p.local_alias, g.local_alias) AS alias
            FROM chat_names_changed n
            LEFT JOIN contacts c ON \(Self.contactJoin)
            LEFT JOIN contact_profiles p ON p.contact_profile_id = c.contact_profile_id
            LEFT JOIN groups g ON \(Self.groupJoin)
            WHERE n.note > ?
            """,
            state.lastChange
        )
        for row in rows {
            state.names[try row.int64("user_id"), default: [:]][try ChatKey(row)] = try Self.parseNames(row)
        }
        state.lastChange = newest
        self.state.withLock { known in
            if known.lastChange < state.lastChange { known = state }
        }
        return state
    }

    private static func parseNames(_ row: Row) throws -> Names? {
        guard let own = try row.stringOrNil("name") else { return nil }
        let profile = try row.stringOrNil("profile").flatMap { try? JSONValue(parsing: $0, limits: .forOwnText) }
        let inProfile = ["displayName", "fullName", "shortDescr", "description"].map { profile?[$0]?.stringValue ?? "" }
        return Names([own, try row.stringOrNil("alias") ?? ""] + inProfile)
    }
}
