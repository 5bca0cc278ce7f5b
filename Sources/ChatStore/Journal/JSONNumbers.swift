import Glibc

/// Finds numbers in a JSON text by the names of their JSON members, without parsing the text.
enum JSONNumbers {
    /// Returns the integers of all members with this name in the text. A quotation mark in a string is escaped, so no
    /// part of a string is mistaken for a name.
    package static func findIntegers(_ name: String, in json: [UInt8]) -> Set<Int64> {
        let mark = Array("\"\(name)\":".utf8)
        var numbers: Set<Int64> = []
        json.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            var start = 0
            while let found = memchr(base + start, Int32(UInt8(ascii: "\"")), bytes.count - start) {
                start = base.distance(to: UnsafeRawPointer(found))
                guard start + mark.count < bytes.count else { return }
                guard memcmp(base + start, mark, mark.count) == 0 else {
                    start += 1
                    continue
                }
                start += mark.count
                let digits = bytes[start...].prefix { $0 >= 0x30 && $0 <= 0x39 }
                if let number = Int64(String(decoding: digits, as: UTF8.self)) { numbers.insert(number) }
            }
        }
        return numbers
    }
}
