/// The two rows of the division steps that invert a polynomial modulo x^p - x - 1: `f` and `g`, reversed, and with each the multiple
/// of the input that it is.
struct DivisionSteps {
    /// 2p - 1: enough for every input.
    static let count = 2 * PrimeRing.degree - 1
    private static let length = PrimeRing.degree + 1

    private var f = [Int16](repeating: 0, count: length)
    private var g = [Int16](repeating: 0, count: length)
    private var v = [Int16](repeating: 0, count: length)
    private var r = [Int16](repeating: 0, count: length)
    private var delta: Int16 = 1

    /// - Parameter start: what the result is multiplied with.
    init(of input: [Int16], start: Int16) {
        let last = PrimeRing.degree
        r[0] = start
        // x^p - x - 1, the highest coefficient first.
        f[0] = 1
        f[last - 1] = -1
        f[last] = -1
        for index in 0..<last where index < input.count { g[last - 1 - index] = input[index] }
    }

    var headOfF: Int16 { f[0] }
    var headOfG: Int16 { g[0] }

    /// Whether the input had an inverse, after all steps.
    var isInvertible: Bool { delta == 0 }

    /// The inverse times the head of `f`, after all steps.
    var result: [Int16] { (0..<PrimeRing.degree).map { v[PrimeRing.degree - 1 - $0] } }

    /// The first half of a step: shifts `v`, and swaps the rows when `delta` is positive and the head of `g` is not 0.
    mutating func swapIfNeeded(headOfG head: Int16) {
        v.withUnsafeMutableBufferPointer { v in
            guard let start = v.baseAddress else { return }
            (start + 1).update(from: start, count: Self.length - 1)
            start[0] = 0
        }
        let mask = PrimeRing.maskOfNegative(0 &- delta) & PrimeRing.maskOfNonZero(head)
        delta = (delta ^ (mask & (delta ^ (0 &- delta)))) &+ 1
        Self.swap(&f, &g, mask)
        Self.swap(&v, &r, mask)
    }

    /// The second half: makes the head of `g` 0 with `f`, the same with `r` and `v`, and shifts `g`.
    /// - Parameter eliminate: adds the multiple of the second row to the first; called once for each pair of rows.
    mutating func step(_ eliminate: (UnsafeMutablePointer<Int16>, UnsafePointer<Int16>, Int) -> Void) {
        Self.with(&g, f) { eliminate($0, $1, Self.length) }
        Self.with(&r, v) { eliminate($0, $1, Self.length) }
        g.withUnsafeMutableBufferPointer { g in
            guard let start = g.baseAddress else { return }
            start.update(from: start + 1, count: Self.length - 1)
            start[Self.length - 1] = 0
        }
    }

    private static func with(_ target: inout [Int16], _ source: [Int16], _ body: (UnsafeMutablePointer<Int16>, UnsafePointer<Int16>) -> Void) {
        target.withUnsafeMutableBufferPointer { target in
            source.withUnsafeBufferPointer { source in
                if let target = target.baseAddress, let source = source.baseAddress { body(target, source) }
            }
        }
    }

    private static func swap(_ a: inout [Int16], _ b: inout [Int16], _ mask: Int16) {
        a.withUnsafeMutableBufferPointer { a in
            b.withUnsafeMutableBufferPointer { b in
                guard let a = a.baseAddress, let b = b.baseAddress else { return }
                for index in 0..<length {
                    let difference = mask & (a[index] ^ b[index])
                    a[index] ^= difference
                    b[index] ^= difference
                }
            }
        }
    }
}
