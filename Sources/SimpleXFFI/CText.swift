import Glibc
import JSON

/// Converts texts and bytes of the C interface. Input is in the caller's memory. Output is allocated with `malloc`, and
/// the caller frees it.
enum CText {
    typealias Pointer = UnsafeMutablePointer<CChar>

    /// Returns the text at `pointer`; empty for a null pointer. Invalid UTF-8 is replaced.
    static func readText(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }

    /// Returns the bytes at `pointer`; empty for a null pointer or a negative count.
    static func readBytes(_ pointer: UnsafePointer<UInt8>?, _ count: CInt) -> [UInt8] {
        guard let pointer, count > 0 else { return [] }
        return Array(UnsafeBufferPointer(start: pointer, count: Int(count)))
    }

    static func copyText(_ text: String) -> Pointer? { copyText(Array(text.utf8)) }

    /// Returns a copy of the text, with a zero byte at its end. The caller frees the copy. Returns nil only when there
    /// is no memory.
    static func copyText(_ text: [UInt8]) -> Pointer? {
        guard let memory = copyBytes(text + [0]) else { return nil }
        return memory.withMemoryRebound(to: CChar.self, capacity: text.count + 1) { $0 }
    }

    static func copyBytes(_ bytes: [UInt8]) -> UnsafeMutablePointer<UInt8>? {
        guard let memory = malloc(max(1, bytes.count)) else { return nil }
        bytes.withUnsafeBytes { source in
            if let start = source.baseAddress { memory.copyMemory(from: start, byteCount: source.count) }
        }
        return memory.bindMemory(to: UInt8.self, capacity: bytes.count)
    }

    static func copyJSON(json value: some Encodable, _ encoder: JSONEncoder = JSONEncoder()) -> Pointer? {
        copyText((try? encoder.encode(value)) ?? Array("{}".utf8))
    }
}
