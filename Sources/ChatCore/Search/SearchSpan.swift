/// A range of consecutive message ids.
struct SearchSpan: Sendable, Hashable {
    /// The number of ids in a small span and in a large span.
    static let smallSize: Int64 = 128
    static let largeSize: Int64 = 16_384

    let isLarge: Bool
    let number: Int64

    var size: Int64 { Self.size(isLarge) }
    var start: Int64 { number &* size }
    var end: Int64 { start &+ size }

    static func size(_ isLarge: Bool) -> Int64 { isLarge ? largeSize : smallSize }
}
