internal import ChatAPI
internal import JSON
internal import SimpleXCrypto
internal import SQLCipher

/// The names of users, which are told apart by them.
///
/// Of two users that can be seen only one has a name. A hidden one does not keep its name from others, as that would tell that it is
/// there: then the column, which is unique, has behind the name of the newer one a mark that no name can have.
enum UserNames {
    private static let mark: Unicode.Scalar = "\u{1F}"

    /// What is kept for a name; nil when another user that can be seen has it.
    static func stored(_ name: String, except userId: Int64? = nil, in db: StoreConnection) throws -> String? {
        let holders = try UserRecord.all(in: db).filter { $0.userId != userId && Array($0.localDisplayName.utf8) == Array(name.utf8) }
        guard !holders.contains(where: \.isSeen) else { return nil }
        return holders.isEmpty ? name : name + String(mark) + BytesText.hex(RandomBytes.make(count: 8))
    }

    /// The name in what is kept.
    static func shown(_ stored: String) -> String {
        String(String.UnicodeScalarView(stored.unicodeScalars.prefix { $0 != mark }))
    }
}
