/// Random numbers that are the same for the same seed (SplitMix64), so that a failure can be repeated.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    package mutating func randomBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }
}

/// Returns `count` damaged copies of `input` (bits flipped, bytes changed, removed, doubled, cut off), and the same
/// number of random inputs.
package func makeMutations(of input: [UInt8], count: Int = 200, seed: UInt64 = 1) -> [[UInt8]] {
    var random = SeededRandom(seed: seed)
    var made = [[UInt8]]()
    for _ in 0..<count {
        var copy = input
        for _ in 0...Int.random(in: 0...3, using: &random) where !copy.isEmpty {
            let place = Int.random(in: copy.indices, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: copy[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: copy[place] = UInt8.random(in: .min ... .max, using: &random)
            case 2: copy.remove(at: place)
            case 3: copy.insert(copy[place], at: place)
            default: copy = Array(copy.prefix(place))
            }
        }
        made.append(copy)
        made.append(random.randomBytes(Int.random(in: 0...(input.count + 16), using: &random)))
    }
    return made
}
