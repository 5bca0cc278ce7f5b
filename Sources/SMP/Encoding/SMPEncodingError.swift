/// Reason why bytes or text from the network, or from a user, cannot be parsed.
public enum SMPEncodingError: Error, Hashable, Sendable {
    /// The input ended before the value did.
    case unexpectedEnd
    /// The value ended before the input did.
    case trailingBytes
    /// A tag byte (Bool, Maybe, an enumeration) has an undefined value.
    case invalidTag
    /// A list that must not be empty is empty.
    case emptyList
    /// Well-formed, but not a legal value; the text names the type, never the content.
    case invalidValue(String)
    /// A byte string or list too long for its length field.
    case tooLong
}
