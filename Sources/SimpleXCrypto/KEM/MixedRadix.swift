/// Encodes numbers with different bounds in few bytes (round 3 submission, section 4.1). Pairs of neighbours are
/// combined into numbers below the product of their bounds, and the low bytes of these numbers are written. The
/// combined numbers, half as many, are encoded in the same way until one number is left.
enum MixedRadix {
    /// The bound of each combined number is reduced until it is below this limit. Each reduction writes the low byte of
    /// the number, and divides number and bound by 256.
    private static let limit: UInt32 = 16384

    static func encode(_ numbers: [UInt16], bound: UInt16) -> [UInt8] {
        var out: [UInt8] = []
        var numbers = numbers.map(UInt32.init), bounds = [UInt32](repeating: UInt32(bound), count: numbers.count)
        while numbers.count > 1 {
            var nextNumbers: [UInt32] = [], nextBounds: [UInt32] = []
            for index in stride(from: 0, to: numbers.count - 1, by: 2) {
                var number = numbers[index] &+ numbers[index + 1] &* bounds[index]
                var bound = bounds[index + 1] &* bounds[index]
                while bound >= limit {
                    out.append(UInt8(truncatingIfNeeded: number))
                    number >>= 8
                    bound = (bound + 255) >> 8
                }
                nextNumbers.append(number)
                nextBounds.append(bound)
            }
            if numbers.count % 2 == 1 {
                nextNumbers.append(numbers[numbers.count - 1])
                nextBounds.append(bounds[bounds.count - 1])
            }
            (numbers, bounds) = (nextNumbers, nextBounds)
        }
        guard var number = numbers.first, var bound = bounds.first else { return out }
        while bound > 1 {
            out.append(UInt8(truncatingIfNeeded: number))
            number >>= 8
            bound = (bound + 255) >> 8
        }
        return out
    }

    /// Reads `count` numbers. The numbers are below `bound` for any input. Missing bytes count as zeros. The decoded
    /// data is public, so this function may use division.
    static func decode(_ bytes: [UInt8], count: Int, bound: UInt16) -> [UInt16] {
        var rest = bytes[...]
        return decode(&rest, [UInt32](repeating: UInt32(bound), count: count)).map { UInt16(truncatingIfNeeded: $0) }
    }

    private static func decode(_ bytes: inout ArraySlice<UInt8>, _ bounds: [UInt32]) -> [UInt32] {
        guard bounds.count > 1 else {
            return bounds.map { bound in
                guard bound > 1 else { return 0 }
                return (takeNextByte(&bytes) + (bound > 256 ? takeNextByte(&bytes) << 8 : 0)) % bound
            }
        }
        var lower: [(number: UInt32, scale: UInt32)] = [], halves: [UInt32] = []
        for index in stride(from: 0, to: bounds.count - 1, by: 2) {
            var bound = bounds[index] * bounds[index + 1], scale: UInt32 = 1, number: UInt32 = 0
            while bound >= limit {
                number += scale * takeNextByte(&bytes)
                scale <<= 8
                bound = (bound + 255) >> 8
            }
            lower.append((number, scale))
            halves.append(bound)
        }
        if bounds.count % 2 == 1 { halves.append(bounds[bounds.count - 1]) }
        let upper = decode(&bytes, halves)
        var numbers: [UInt32] = []
        for (index, low) in lower.enumerated() {
            let number = low.number &+ low.scale &* upper[index]
            numbers.append(number % bounds[2 * index])
            numbers.append((number / bounds[2 * index]) % bounds[2 * index + 1])
        }
        if bounds.count % 2 == 1 { numbers.append(upper[upper.count - 1]) }
        return numbers
    }

    private static func takeNextByte(_ bytes: inout ArraySlice<UInt8>) -> UInt32 { UInt32(bytes.popFirst() ?? 0) }
}

extension Polynomial {
    /// The encoding of the polynomial in 1158 bytes.
    var encoded: [UInt8] {
        MixedRadix.encode(coefficients.map { UInt16(truncatingIfNeeded: $0 &+ 2295) }, bound: 4591)
    }

    /// The encoding in 1007 bytes, for coefficients that are multiples of three.
    var encodedRounded: [UInt8] {
        MixedRadix.encode(
            coefficients.map { UInt16(truncatingIfNeeded: ((Int32($0) &+ 2295) &* 10923) >> 15) },
            bound: 1531
        )
    }

    init(decoding bytes: [UInt8]) {
        coefficients = MixedRadix.decode(bytes, count: PrimeRing.degree, bound: 4591).map {
            Int16(truncatingIfNeeded: $0) &- 2295
        }
    }

    init(decodingRounded bytes: [UInt8]) {
        coefficients = MixedRadix.decode(bytes, count: PrimeRing.degree, bound: 1531).map {
            Int16(truncatingIfNeeded: $0) &* 3 &- 2295
        }
    }
}
