/// A time in UTC in the form of the core: ISO 8601 with `Z` and up to 12 fractional digits. The time is kept as text,
/// so that no digit is lost.
package typealias UTCTime = String

extension UTCTime {
    /// Whether the text has the form of a time: digits in the right positions, and `Z` at the end.
    var isUTCTime: Bool {
        let shape = Array("0000-00-00T00:00:00".utf8)
        var rest = Array(utf8)[...]
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        guard rest.count > shape.count, zip(shape, rest).allSatisfy({ isDigit($0) ? isDigit($1) : $0 == $1 }) else {
            return false
        }
        rest = rest.dropFirst(shape.count)
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst().prefix(while: isDigit)
            guard (1...12).contains(fraction.count) else { return false }
            rest = rest.dropFirst(1 + fraction.count)
        }
        return rest.elementsEqual([UInt8(ascii: "Z")])
    }
}
