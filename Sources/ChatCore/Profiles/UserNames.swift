internal import ChatAPI
internal import ChatStore
internal import JSON
internal import SimpleXCrypto
internal import SQLCipher

/// The names of users.
///
/// Visible users have unique names. A hidden user must not block a name, since this would reveal the hidden user. So if
/// a hidden user has the same name as a new user, the stored name of the new user gets a suffix that no real name can
/// contain.
enum UserNames {
    private static let suffixMark: Unicode.Scalar = "\u{1F}"

    /// Makes the stored form of a name; nil if another visible user has the name.
    static func makeStoredName(_ name: String, except userId: Int64? = nil, in db: StoreConnection) throws -> String? {
        let holders = try UserRecord.all(in: db).filter {
            $0.userId != userId && Array($0.localDisplayName.utf8) == Array(name.utf8)
        }
        guard !holders.contains(where: \.isVisible) else { return nil }
        return holders.isEmpty ? name : name + String(suffixMark) + Hex.encode(RandomBytes.make(count: 8))
    }

    /// Returns the name that users see: the stored form without its suffix.
    static func shownName(_ stored: String) -> String {
        String(String.UnicodeScalarView(stored.unicodeScalars.prefix { $0 != suffixMark }))
    }
}
