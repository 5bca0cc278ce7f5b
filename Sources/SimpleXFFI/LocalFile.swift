import Glibc

/// Files of the caller, read and written in parts.
struct LocalFile: ~Copyable {
    struct Failure: Error, CustomStringConvertible {
        var message: String
        var description: String { message }
    }

    private static let partSize = 65536
    private let path: String
    private let descriptor: Int32

    private init(_ path: String, _ flags: Int32) throws(Failure) {
        self.path = path
        descriptor = open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path) }
    }

    deinit { close(descriptor) }

    private static func failure(_ path: String) -> Failure { Failure(message: "\(path): \(String(cString: strerror(errno)))") }

    /// Makes the file, and takes it away again when `body` fails.
    static func write(_ path: String, _ body: (borrowing LocalFile) throws -> Void) throws {
        let file = try LocalFile(path, O_WRONLY | O_CREAT | O_TRUNC)
        do { try body(file) } catch {
            unlink(path)
            throw error
        }
    }

    borrowing func append(_ bytes: [UInt8]) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Self.failure(path) }
            rest = rest.dropFirst(count)
        }
    }

    static func read(_ path: String) throws -> [UInt8] {
        var contents: [UInt8] = []
        try parts(of: path) { part, _ in contents += part }
        return contents
    }

    /// Gives `body` the file, part by part, each with the number of bytes that follow it.
    static func parts(of path: String, _ body: ([UInt8], Int) throws -> Void) throws {
        let file = try LocalFile(path, O_RDONLY)
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else { throw failure(path) }
        var left = Int(status.st_size)
        var buffer = [UInt8](repeating: 0, count: partSize)
        while left > 0 {
            let count = Glibc.read(file.descriptor, &buffer, min(partSize, left))
            guard count > 0 else { throw count == 0 ? Failure(message: "\(path) became shorter") : failure(path) }
            left -= count
            try body(Array(buffer[..<count]), left)
        }
    }
}
