/// A range of consecutive message ids.
package struct SearchSpan: Sendable, Hashable {
    /// The number of ids in a small span and in a large span.
    package static let smallSize: Int64 = 128
    package static let largeSize: Int64 = 16_384

    package let isLarge: Bool
    package let spanNumber: Int64

    package init(isLarge: Bool, spanNumber: Int64) {
        (self.isLarge, self.spanNumber) = (isLarge, spanNumber)
    }

    package var size: Int64 { Self.size(isLarge) }
    package var start: Int64 { spanNumber &* size }
    package var end: Int64 { start &+ size }

    package static func size(_ isLarge: Bool) -> Int64 { isLarge ? largeSize : smallSize }
}
