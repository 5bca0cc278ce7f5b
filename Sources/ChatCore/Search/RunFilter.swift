/// Which runs of five characters there are in messages: a bit for each of two million numbers, of which every run has one.
///
/// A word that nobody wrote may well be made of pieces that are in many messages; that all its runs are somewhere is rare. Who looks for a text with
/// a run that is not here need not read any list. Runs that share a number are taken for each other: then lists are read, and lead nowhere.
struct RunFilter: Sendable {
    private static let numberBits: UInt64 = 21
    private static let size = 1 << (numberBits - 3)

    /// Empty when it is not known which runs there are.
    private(set) var stored: [UInt8]

    /// Has none.
    init() { stored = [UInt8](repeating: 0, count: Self.size) }

    /// Not known, unless it was stored.
    init(stored: [UInt8]?) { self.stored = stored.flatMap { $0.count == Self.size ? $0 : nil } ?? [] }

    mutating func note(_ text: String) {
        guard !stored.isEmpty else { return }
        Self.forEachRun(in: text) { number in
            stored[number >> 3] |= 1 << UInt8(number & 7)
            return true
        }
    }

    mutating func add(_ other: Span<UInt8>) {
        guard other.count == stored.count else { return stored = [] }
        for index in stored.indices { stored[index] |= other[index] }
    }

    /// Whether messages may have this text in them.
    func mayHave(_ text: String) -> Bool {
        guard !stored.isEmpty else { return true }
        var hasAll = true
        Self.forEachRun(in: text) { number in
            hasAll = stored[number >> 3] & 1 << UInt8(number & 7) != 0
            return hasAll
        }
        return hasAll
    }

    /// Calls `body` with the number of each run, for as long as it returns true. The letters A to Z are made small, as for the pieces.
    private static func forEachRun(in text: String, _ body: (Int) -> Bool) {
        var last: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0), length = 0
        for scalar in text.unicodeScalars {
            let character = UInt64(("A"..."Z").contains(scalar) ? scalar.value | 0x20 : scalar.value)
            length += 1
            if length >= 5 {
                // Odd numbers of no meaning, so that what is alike is not beside each other.
                let mixed = last.0 &* 0x9E37_79B9_7F4A_7C15 &+ last.1 &* 0xC2B2_AE3D_27D4_EB4F &+ last.2 &* 0x1656_67B1_9E37_79F9
                    &+ last.3 &* 0xD6E8_FEB8_6659_FD93 &+ character &* 0xA076_1D64_78BD_642F
                guard body(Int(mixed >> (64 - numberBits))) else { return }
            }
            last = (last.1, last.2, last.3, character)
        }
    }
}
