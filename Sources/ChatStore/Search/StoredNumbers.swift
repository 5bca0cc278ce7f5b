/// The stored form of an array of numbers: eight bytes each, the most significant byte first.
package enum StoredNumbers {
    package static func encode(_ numbers: [Int64]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(numbers.count * 8)
        for number in numbers { withUnsafeBytes(of: number.bigEndian) { bytes += $0 } }
        return bytes
    }

    package static func decode(_ bytes: [UInt8]) -> [Int64] {
        bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / 8).map { Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self)) }
        }
    }
}
