import Glibc
import TestSupport
import Testing

@testable import Files

@Suite struct PipeTests {
    private func readContent(_ file: consuming OpenFile) throws -> [UInt8] {
        var content: [UInt8] = []
        while true {
            let part = try file.read(upTo: 1 << 16)
            if part.isEmpty { return content }
            content += part
        }
    }

    @Test
    func `Reading a named pipe without a writer returns no bytes after a timeout`() throws {
        try withFolder { folder in
            #expect(mkfifo(folder + "/pipe", 0o600) == 0)
            let nothing = try readContent(try OpenFile.openForReading(folder + "/pipe", patience: .milliseconds(20)))
            #expect(nothing == [])
        }
    }

    @Test
    func `A named pipe is read to its end even if its writer starts late`() throws {
        try withFolder { folder in
            let path = folder + "/pipe"
            #expect(mkfifo(path, 0o600) == 0)
            // A shell also opens the pipe before the program starts.
            let writer = try OpenFile(path, O_RDWR)
            let file = try OpenFile.openForReading(path, patience: .zero)
            try writer.write([UInt8](repeating: 7, count: 50_000))
            _ = consume writer
            let read = try readContent(file).count
            #expect(read == 50_000)
        }
    }
}
