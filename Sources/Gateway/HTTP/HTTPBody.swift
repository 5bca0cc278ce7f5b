#if canImport(Glibc)
    internal import Glibc
#endif

/// The body of a request. It may contain a passphrase, so its memory is overwritten before it is freed.
///
/// Parts are collected in blocks, so that a body needs at most twice its size, even if its parts are small.
package struct HTTPBody: Sendable {
    private var blocks: [Block] = []

    /// Number of bytes in the body.
    package private(set) var count = 0

    package init(_ bytes: [UInt8] = []) { bytes.withUnsafeBytes { append($0) } }

    package var isEmpty: Bool { count == 0 }

    /// Bytes of memory that the body needs.
    var capacity: Int { blocks.reduce(0) { $0 + $1.capacity } }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            // Bytes are added to the last block only if no copy of this body shares the block.
            if let last = blocks.indices.last, blocks[last].room > 0, isKnownUniquelyReferenced(&blocks[last]) {
                let taken = blocks[last].append(rest)
                count += taken
                rest = rest.dropFirst(taken)
            } else {
                blocks.append(Block(capacity: min(max(count, rest.count, Block.minCapacity), Block.maxCapacity)))
            }
        }
    }

    /// Moves the body into one block.
    mutating func joinBlocks() {
        guard blocks.count > 1 else { return }
        let whole = Block(capacity: count)
        for index in blocks.indices { blocks[index].withBytes { _ = whole.append($0[...]) } }
        blocks = [whole]
    }

    /// Calls `body` with all bytes of the request body in one block. The bytes are valid only during this call.
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        var joined = self
        joined.joinBlocks()
        return joined.blocks.first?.withBytes(body) ?? body(UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// A part of the body's memory.
    ///
    /// `@unchecked Sendable`: a block is written only while a single body refers to it, by the thread that uses this
    /// body.
    private final class Block: @unchecked Sendable {
        static let minCapacity = 256
        static let maxCapacity = 16 * 1024

        let capacity: Int
        private(set) var count = 0
        private let start: UnsafeMutableRawPointer

        init(capacity: Int) {
            self.capacity = capacity
            start = .allocate(byteCount: capacity, alignment: 1)
        }

        deinit {
            explicit_bzero(start, capacity)
            start.deallocate()
        }

        var room: Int { capacity - count }

        /// Appends as many bytes as fit into the block.
        /// - Returns: the number of appended bytes.
        func append(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
            let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(room))
            guard let source = part.baseAddress else { return 0 }
            (start + count).copyMemory(from: source, byteCount: part.count)
            count += part.count
            return part.count
        }

        func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
            body(UnsafeRawBufferPointer(start: start, count: count))
        }
    }
}
