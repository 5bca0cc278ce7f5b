/// Computes the checksum CRC-32C (Castagnoli), in steps of eight bytes.
package enum CRC32C {
    /// Eight tables of 256 entries each, one after the other in this array.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var crc = UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
            tables[byte] = crc
        }
        for byte in 0..<256 {
            for table in 1..<8 {
                let previous = tables[(table - 1) * 256 + byte]
                tables[table * 256 + byte] = previous >> 8 ^ tables[Int(previous & 0xFF)]
            }
        }
        return tables
    }()

    package static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        tables.withUnsafeBufferPointer { tables in
            // Each index is a byte plus a multiple of 256, and is less than 8 × 256, the number of entries.
            @inline(__always) func entry(_ table: Int, _ value: UInt64) -> UInt32 {
                tables[table &* 256 &+ Int(value & 0xFF)]
            }
            var crc: UInt32 = ~0
            var index = 0
            while index &+ 8 <= bytes.count {
                let word =
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ UInt64(crc)
                crc =
                    entry(7, word) ^ entry(6, word >> 8) ^ entry(5, word >> 16) ^ entry(4, word >> 24)
                    ^ entry(3, word >> 32) ^ entry(2, word >> 40) ^ entry(1, word >> 48) ^ entry(0, word >> 56)
                index &+= 8
            }
            while index < bytes.count {
                crc = crc >> 8 ^ entry(0, UInt64(crc) ^ UInt64(bytes[index]))
                index &+= 1
            }
            return ~crc
        }
    }
}
