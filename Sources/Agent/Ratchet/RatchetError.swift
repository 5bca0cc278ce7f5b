import SimpleXCrypto

/// Reasons why a ratchet cannot be made, or a message cannot be encrypted or decrypted. The names in parentheses are
/// the cases of the original, which the API shows.
enum RatchetError: Error, Hashable, Sendable {
    /// No key of this ratchet decrypts the header (`CERatchetHeader`). The message belongs to another connection or a
    /// discarded chain, or was changed.
    case undecryptableHeader
    /// The message, or its decrypted header, has an unknown form (`CryptoHeaderError`).
    case malformedHeader
    /// The needed chain does not exist yet (`CERatchetState`): the inviter cannot send before its first received
    /// message.
    case missingChain
    /// The KEM parameters do not fit the KEM state of the ratchet (`CERatchetKEMState`).
    case unexpectedKEM
    /// More messages are missing before this message than the limit allows (`CERatchetTooManySkipped`). The value is
    /// the number of missing messages plus one, as in the original.
    case tooManySkipped(UInt64)
    /// The message comes before the last received message, and its key is no longer stored (`CERatchetEarlierMessage`).
    /// The value is the difference of their numbers.
    case earlierMessage(UInt32)
    /// The message equals the last received message (`CERatchetDuplicateMessage`).
    case duplicateMessage
    /// The body cannot be decrypted (`AESDecryptError`), or its padding is wrong (`CryptoLargeMsgError`,
    /// `CryptoInvalidMsgError`).
    case crypto(CryptoError)
    /// This program cannot read the stored form of a ratchet.
    case unreadableStoredForm
}

/// Runs `body`, and converts a `CryptoError` to `RatchetError.crypto`.
func withRatchetErrors<T>(_ body: () throws(CryptoError) -> T) throws(RatchetError) -> T {
    do { return try body() } catch { throw .crypto(error) }
}
