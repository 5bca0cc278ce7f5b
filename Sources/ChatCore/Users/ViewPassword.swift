internal import ChatAPI
internal import SimpleXCrypto

/// The password of a hidden user, kept as SHA-512 of itself and 16 random bytes.
///
/// A hidden user that is not active cannot be told from one that does not exist: both are unknown, whatever is asked, and as much is
/// computed for one as for the other.
enum ViewPassword {
    static func make(_ password: String) -> (hash: [UInt8], salt: [UInt8]) {
        let salt = RandomBytes.make(count: 16)
        return (hash(password, salt), salt)
    }

    /// The user, if it can be seen by who knows this password; the active one is seen anyway.
    /// - Throws: `userUnknown`.
    static func open(_ user: UserRecord?, _ password: String?) throws -> UserRecord {
        let matches = matches(user, password)
        guard let user, matches || user.isSeen else { throw ChatFailure(ChatErrorType.userUnknown) }
        return user
    }

    /// Whether this is the password of the hidden user.
    static func matches(_ user: UserRecord?, _ password: String?) -> Bool {
        matches(user?.viewPasswordHash, user?.viewPasswordSalt, password, by: hash)
    }

    /// However it ends, one hash is computed, of as many bytes, and all of it is compared.
    static func matches(_ kept: [UInt8]?, _ salt: [UInt8]?, _ password: String?, by hash: (String, [UInt8]) -> [UInt8]) -> Bool {
        let computed = hash(password ?? "", salt ?? noSalt)
        let matches = constantTimeEquals(computed, kept ?? noHash)
        return matches && password != nil && kept != nil
    }

    private static let noSalt = [UInt8](repeating: 0, count: 16)
    private static let noHash = [UInt8](repeating: 0, count: 64)

    static func hash(_ password: String, _ salt: [UInt8]) -> [UInt8] { Digest.sha512(Array(password.utf8) + salt) }
}

extension UserRecord {
    /// Whether commands may name it without a password.
    var isSeen: Bool { !isHidden || isActive }
}
