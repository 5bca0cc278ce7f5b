/// The rings of sntrup761: polynomials modulo x^761 - x - 1, over the integers modulo 4591 or 3.
///
/// Coefficients are centred: -2295…2295 and -1…1. The loops use raw memory and wrapping arithmetic, so that the
/// compiler can vectorize them; all their bounds are constants of the ring.
enum PrimeRing {
    /// The degree p of the polynomials.
    static let degree = 761
    /// The modulus q of the coefficients.
    static let modulus: Int32 = 4591
    /// The weight w: the number of non-zero coefficients of a short polynomial.
    static let weight = 286

    /// Returns the centred remainder of x modulo q, for |x| up to 14,000,000.
    @inline(__always)
    static func reduce(_ x: Int32) -> Int16 {
        let once = x &- modulus &* ((57 &* x) &>> 18)
        return Int16(truncatingIfNeeded: once &- modulus &* ((29235 &* once &+ 67_108_864) &>> 27))
    }

    /// Returns the centred remainder of x modulo 3, for |x| up to 16,000.
    @inline(__always)
    static func reduceModulo3(_ x: Int32) -> Int16 {
        Int16(truncatingIfNeeded: x &- 3 &* ((10923 &* x &+ 16384) &>> 15))
    }

    /// Returns -1 when x is not 0, otherwise 0.
    @inline(__always)
    static func maskOfNonZero(_ x: Int16) -> Int16 {
        let wide = UInt32(UInt16(bitPattern: x))
        return Int16(truncatingIfNeeded: 0 &- Int32((0 &- wide) &>> 31))
    }

    /// Returns -1 when x is negative, otherwise 0.
    @inline(__always)
    static func maskOfNegative(_ x: Int16) -> Int16 { x &>> 15 }

    /// Number of rows of a product whose sum fits into 16 bits: 14 × 2295 is below 32,768.
    private static let rowsPerGroup = 14

    /// Returns the product modulo x^p - x - 1 of `a`, with coefficients up to 2295, and `b`, with coefficients up to 1.
    /// The coefficients of the product are up to 5,300,000 and not reduced.
    static func product(_ a: [Int16], _ b: [Int16]) -> [Int32] {
        // Zeros on both sides of `a` allow reading every row without bounds checks. `b` is filled up to whole groups of
        // rows.
        let padding = rowsPerGroup - 1
        let groups = (degree + rowsPerGroup - 1) / rowsPerGroup
        let width = degree + padding
        var left = [Int16](repeating: 0, count: degree + 2 * padding)
        left.replaceSubrange(padding..<padding + degree, with: a.prefix(degree))
        var right = [Int16](repeating: 0, count: groups * rowsPerGroup)
        right.replaceSubrange(0..<degree, with: b.prefix(degree))
        var sums = [Int32](repeating: 0, count: groups * rowsPerGroup + width)
        left.withUnsafeBufferPointer { left in
            right.withUnsafeBufferPointer { right in
                sums.withUnsafeMutableBufferPointer { sums in
                    guard let left = left.baseAddress, let right = right.baseAddress, let sums = sums.baseAddress else {
                        return
                    }
                    for group in 0..<groups {
                        addRows(
                            left + padding,
                            right + group * rowsPerGroup,
                            to: sums + group * rowsPerGroup,
                            count: width
                        )
                    }
                }
            }
        }
        left.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
        right.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
        // Reduces the degree of the product: x^p equals x + 1.
        for index in stride(from: 2 * degree - 2, through: degree, by: -1) {
            sums[index - degree] &+= sums[index]
            sums[index - degree + 1] &+= sums[index]
        }
        return Array(sums.prefix(degree))
    }

    /// Adds fourteen rows of the product to `sums`: `sums[j] += Σ b[k]·a[j-k]`.
    @inline(never)
    private static func addRows(
        _ a: UnsafePointer<Int16>,
        _ b: UnsafePointer<Int16>,
        to sums: UnsafeMutablePointer<Int32>,
        count: Int
    ) {
        let b0 = b[0], b1 = b[1], b2 = b[2], b3 = b[3], b4 = b[4], b5 = b[5], b6 = b[6]
        let b7 = b[7], b8 = b[8], b9 = b[9], b10 = b[10], b11 = b[11], b12 = b[12], b13 = b[13]
        for j in 0..<count {
            let at = a + j
            var sum = b0 &* at[0] &+ b1 &* at[-1] &+ b2 &* at[-2] &+ b3 &* at[-3]
            sum = sum &+ b4 &* at[-4] &+ b5 &* at[-5] &+ b6 &* at[-6] &+ b7 &* at[-7]
            sum = sum &+ b8 &* at[-8] &+ b9 &* at[-9] &+ b10 &* at[-10] &+ b11 &* at[-11]
            sum = sum &+ b12 &* at[-12] &+ b13 &* at[-13]
            sums[j] = sums[j] &+ Int32(sum)
        }
    }
}
