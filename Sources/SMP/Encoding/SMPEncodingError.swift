/// The reason why bytes or text from the network, or from a user, cannot be parsed.
package enum SMPEncodingError: Error, Hashable, Sendable {
    /// The input ended before the end of the value.
    case unexpectedEnd
    /// Bytes remain after the end of the value.
    case trailingBytes
    /// A tag byte (Bool, Maybe, an enumeration) has an undefined value.
    case invalidTag
    /// A list that must not be empty is empty.
    case emptyList
    /// A well-formed value that is not allowed. The text names the type, never the content.
    case invalidValue(String)
    /// A byte string or a list is too long for its length field.
    case tooLong
}
