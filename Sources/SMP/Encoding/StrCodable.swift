/// A value with a textual form ("StrEncoding" in the protocol's terms), as it appears in links and server addresses.
package protocol StrCodable {
    var str: String { get }
    init(from text: inout TextReader) throws(SMPEncodingError)
}

extension StrCodable {
    /// Parses a value, which must use all of `text`.
    package init(parsing text: String) throws(SMPEncodingError) {
        var reader = TextReader(text)
        self = try Self(from: &reader)
        try reader.requireEnd()
    }
}
