import SimpleXCrypto

/// Reasons for which a ratchet cannot be made, or a message cannot be encrypted or decrypted. The cases named in the
/// comments are those of the original, which the API shows.
enum RatchetError: Error, Hashable, Sendable {
    /// No key of this ratchet opens the header (`CERatchetHeader`): the message is of another connection or of a
    /// discarded chain, or was changed.
    case header
    /// The message, or its decrypted header, is not in the form of any version (`CryptoHeaderError`).
    case malformedHeader
    /// The needed chain does not exist yet (`CERatchetState`): the inviter cannot send before it has received.
    case state
    /// KEM parameters that do not fit this ratchet's KEM state (`CERatchetKEMState`).
    case kemState
    /// More messages are missing before this one than are waited for (`CERatchetTooManySkipped`, with the original's
    /// count).
    case tooManySkipped(UInt64)
    /// This many messages after it were received before, and its key is no longer kept (`CERatchetEarlierMessage`).
    case earlierMessage(UInt32)
    /// The message received last, again (`CERatchetDuplicateMessage`).
    case duplicateMessage
    /// The body does not decrypt (`AESDecryptError`), or its padding is wrong (`CryptoLargeMsgError`,
    /// `CryptoInvalidMsgError`).
    case crypto(CryptoError)
    /// A stored ratchet that this program cannot read.
    case storedForm
}

/// Runs `body`, turning its `CryptoError` into `RatchetError.crypto`.
func ratchetCrypto<T>(_ body: () throws(CryptoError) -> T) throws(RatchetError) -> T {
    do { return try body() } catch { throw .crypto(error) }
}
