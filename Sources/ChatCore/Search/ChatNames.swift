internal import JSON
internal import SQLCipher
import Synchronization

/// By what contacts are found in the chat list: their names, aliases and descriptions, as they were when a search last read them. The database
/// numbers each change of them, so that a search reads what was changed since, and nothing else.
final class ChatNames: Sendable {
    static let migration = Migration(
        name: "20261121_chat_names",
        up: """
            -- A change that is noted again gets a new number. Who is no longer there stays noted.
            CREATE TABLE chat_names_changed (
              note INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL, contact_id INTEGER NOT NULL, UNIQUE (user_id, contact_id));
            INSERT INTO chat_names_changed (user_id, contact_id) SELECT user_id, contact_id FROM contacts;
            CREATE TRIGGER contact_named AFTER INSERT ON contacts BEGIN \(note("NEW.user_id", "NEW.contact_id")) END;
            CREATE TRIGGER contact_unnamed AFTER DELETE ON contacts BEGIN \(note("OLD.user_id", "OLD.contact_id")) END;
            CREATE TRIGGER contact_renamed AFTER UPDATE OF user_id, contact_id, local_display_name, contact_profile_id ON contacts
            WHEN OLD.local_display_name <> NEW.local_display_name OR OLD.contact_profile_id <> NEW.contact_profile_id OR OLD.user_id <> NEW.user_id
              OR OLD.contact_id <> NEW.contact_id
            BEGIN
              \(note("OLD.user_id", "OLD.contact_id"))
              \(note("NEW.user_id", "NEW.contact_id"))
            END;
            CREATE TRIGGER contact_profile_changed AFTER UPDATE OF profile, local_alias ON contact_profiles BEGIN
              DELETE FROM chat_names_changed WHERE note IN (SELECT n.note FROM contacts c
                JOIN chat_names_changed n ON n.user_id = c.user_id AND n.contact_id = c.contact_id WHERE c.contact_profile_id = NEW.contact_profile_id);
              INSERT INTO chat_names_changed (user_id, contact_id) SELECT user_id, contact_id FROM contacts
                WHERE contact_profile_id = NEW.contact_profile_id;
            END;
            """)

    private static func note(_ user: String, _ contact: String) -> String {
        """
        DELETE FROM chat_names_changed WHERE user_id = \(user) AND contact_id = \(contact);
        INSERT INTO chat_names_changed (user_id, contact_id) VALUES (\(user), \(contact));
        """
    }

    private struct State {
        /// The last change that was read.
        var note: Int64 = 0
        var names: [Int64: [Int64: Names]] = [:]
    }

    /// The names of a contact in small letters, each with a zero behind it.
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

        func contain(_ words: [UInt8]) -> Bool {
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

    /// Contacts of which one of the names has these words in it, in any case of letters.
    func contacts(named words: String, user: Int64, _ db: StoreConnection) throws -> Set<Int64> {
        let words = Array(words.lowercased().utf8)
        guard !words.isEmpty, !words.contains(0) else { return [] }
        let names = try current(db).names[user] ?? [:]
        var found: Set<Int64> = []
        for (contact, names) in names where names.contain(words) { found.insert(contact) }
        return found
    }

    /// What is known, after what has been changed since.
    private func current(_ db: StoreConnection) throws -> State {
        var state = self.state.withLock { $0 }
        let newest = try db.first("SELECT max(note) FROM chat_names_changed")?.int64OrNil(0) ?? 0
        guard newest > state.note else { return state }
        let rows = try db.query(
            """
            SELECT n.user_id, n.contact_id, c.local_display_name, p.profile, p.local_alias FROM chat_names_changed n
            LEFT JOIN contacts c ON c.user_id = n.user_id AND c.contact_id = n.contact_id
            LEFT JOIN contact_profiles p ON p.contact_profile_id = c.contact_profile_id
            WHERE n.note > ?
            """, state.note)
        for row in rows { state.names[try row.int64(0), default: [:]][try row.int64(1)] = try Self.names(row) }
        state.note = newest
        self.state.withLock { known in
            if known.note < state.note { known = state }
        }
        return state
    }

    private static func names(_ row: Row) throws -> Names? {
        guard let own = try row.stringOrNil(2) else { return nil }
        let profile = try row.stringOrNil(3).flatMap { try? JSONValue(parsing: $0, limits: .ownText) }
        return Names([own, try row.stringOrNil(4) ?? ""] + ["displayName", "fullName", "shortDescr"].map { profile?[$0]?.stringValue ?? "" })
    }
}
