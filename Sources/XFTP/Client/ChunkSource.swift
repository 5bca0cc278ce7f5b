import NIOCore

/// The chunk of an upload, read while it is sent.
struct ChunkSource: Sendable {
    /// The size of the chunk in bytes.
    let size: Int
    /// Fills a buffer with the bytes that begin at an offset. Runs on a thread that may block.
    let readBytes: @Sendable (_ offset: Int, _ buffer: UnsafeMutableRawBufferPointer) throws -> Void

    /// Makes a source from a chunk in memory.
    init(_ chunk: [UInt8]) {
        self.init(size: chunk.count) { offset, buffer in buffer.copyBytes(from: chunk[offset..<offset + buffer.count]) }
    }

    init(size: Int, read: @escaping @Sendable (_ offset: Int, _ buffer: UnsafeMutableRawBufferPointer) throws -> Void) {
        self.size = size
        self.readBytes = read
    }

    func readPart(at offset: Int, _ count: Int) throws -> ByteBuffer {
        var part = ByteBufferAllocator().buffer(capacity: count)
        try part.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { room in
            try readBytes(offset, UnsafeMutableRawBufferPointer(rebasing: room.prefix(count)))
            return count
        }
        return part
    }
}

/// An error of reading or writing a chunk on this side. ``RequestExchange`` passes this error to the caller of the
/// request.
struct ChunkFailure: Error {
    let error: any Error
}
