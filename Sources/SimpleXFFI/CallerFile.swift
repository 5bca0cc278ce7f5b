import Files
import Glibc

/// Reads and writes files of the library's caller, in parts.
enum CallerFile {
    struct Failure: Error, CustomStringConvertible {
        var message: String
        var description: String { message }
    }

    private static let partBytes = 65536

    /// Creates or empties the file, and passes it to `body`. Removes the file if `body` fails.
    static func writeFile(_ path: String, _ body: (borrowing OpenFile) throws -> Void) throws {
        let file = try OpenFile(path, O_WRONLY | O_CREAT | O_TRUNC)
        do { try body(file) } catch {
            DiskFiles.removeFile(path)
            throw error
        }
    }

    static func readFile(_ path: String) throws -> [UInt8] {
        var contents: [UInt8] = []
        try readParts(of: path) { part, _ in contents += part }
        return contents
    }

    /// Reads the file in parts, and passes each part to `body` with the number of bytes that follow the part.
    static func readParts(of path: String, _ body: ([UInt8], Int) throws -> Void) throws {
        let file = try OpenFile(path, O_RDONLY)
        var left = Int(try file.readSize())
        while left > 0 {
            let part = try file.read(upTo: min(partBytes, left))
            guard !part.isEmpty else { throw Failure(message: "\(path) became shorter") }
            left -= part.count
            try body(part, left)
        }
    }
}
