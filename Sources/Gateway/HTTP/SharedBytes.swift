/// Bytes in one place in memory from which many answers are sent.
///
/// `@unchecked Sendable`: the object does not change after `init`.
final class SharedBytes: @unchecked Sendable {
    let baseAddress: UnsafeMutableRawPointer
    let count: Int

    init(_ bytes: [UInt8]) {
        count = bytes.count
        baseAddress = .allocate(byteCount: max(count, 1), alignment: 1)
        bytes.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress else { return }
            baseAddress.copyMemory(from: source, byteCount: bytes.count)
        }
    }

    deinit { baseAddress.deallocate() }

    var array: [UInt8] { Array(UnsafeRawBufferPointer(start: baseAddress, count: count)) }
}
