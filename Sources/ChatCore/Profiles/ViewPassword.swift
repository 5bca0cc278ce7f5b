internal import ChatAPI
internal import ChatStore
internal import SimpleXCrypto

/// The password of a hidden user. The database contains 16 random bytes, and the SHA-512 hash of the password and these
/// bytes.
///
/// A hidden user that is not active looks like a user that does not exist. A request for either user is answered with
/// `userUnknown`, after the same amount of computation.
enum ViewPassword {
    static func makeSaltedHash(_ password: String) -> (hash: [UInt8], salt: [UInt8]) {
        let salt = RandomBytes.make(count: 16)
        return (computeHash(password, salt), salt)
    }

    /// Returns the user if it needs no password, or if the password matches. The active user needs no password.
    /// - Throws: `userUnknown`.
    static func authorize(_ user: UserRecord?, _ password: String?) throws -> UserRecord {
        let matches = matches(user, password)
        guard let user, matches || user.isVisible else { throw ChatFailure(ChatErrorType.userUnknown) }
        return user
    }

    /// Whether the user is hidden and has this password.
    static func matches(_ user: UserRecord?, _ password: String?) -> Bool {
        matches(user?.viewPasswordHash, user?.viewPasswordSalt, password, by: computeHash)
    }

    /// Finds the hidden user with this password. If several users have it, an inactive user is preferred. The function
    /// computes a hash for every user, so its duration does not depend on the result.
    static func findOwner(of password: String, among users: [UserRecord]) -> UserRecord? {
        let matching = users.filter { matches($0, password) }
        return matching.first { !$0.isActive } ?? matching.first
    }

    /// Compares a password with the stored hash. Every call computes one hash of the same size and compares all of its
    /// bytes, even without a stored hash.
    static func matches(
        _ kept: [UInt8]?,
        _ salt: [UInt8]?,
        _ password: String?,
        by hash: (String, [UInt8]) -> [UInt8]
    ) -> Bool {
        let computed = hash(password ?? "", salt ?? dummySalt)
        let matches = constantTimeEquals(computed, kept ?? dummyHash)
        return matches && password != nil && kept != nil
    }

    private static let dummySalt = [UInt8](repeating: 0, count: 16)
    private static let dummyHash = [UInt8](repeating: 0, count: 64)

    static func computeHash(_ password: String, _ salt: [UInt8]) -> [UInt8] {
        Digest.sha512(Array(password.utf8) + salt)
    }
}

extension UserRecord {
    /// Whether a command can use the user without a password.
    var isVisible: Bool { !isHidden || isActive }

    /// Reads a user that clients may see without a password.
    /// - Returns: nil for an unknown user, and for a hidden user that is not active.
    static func findVisible(_ userId: Int64, in db: StoreConnection) throws -> UserRecord? {
        try find(userId, in: db).flatMap { $0.isVisible ? $0 : nil }
    }
}
