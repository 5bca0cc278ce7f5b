import Foundation
import Glibc
import JSON
import Testing

@Suite struct StoreMemoryTests {
    /// Whether a process has bytes anywhere in memory that it can write to.
    private func isInMemory(of process: Int32, _ bytes: [UInt8]) throws -> Bool {
        let memory = open("/proc/\(process)/mem", O_RDONLY)
        guard memory >= 0 else { throw Program.Unexpected(description: "the memory cannot be read: \(errno)") }
        defer { close(memory) }
        for line in try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8).split(separator: "\n") {
            let fields = line.split(separator: " ")
            let ends = fields[0].split(separator: "-").compactMap { Int($0, radix: 16) }
            guard fields[1].hasPrefix("rw"), ends.count == 2 else { continue }
            var content = [UInt8](repeating: 0, count: ends[1] - ends[0])
            let count = pread(memory, &content, content.count, off_t(ends[0]))
            guard count > 0 else { continue }
            if Self.contains(content, count, bytes) { return true }
        }
        return false
    }

    /// Waits until they are: memory that moves while it is read can be missed.
    private func waitUntilInMemory(of process: Int32, _ bytes: [UInt8]) throws {
        while try !isInMemory(of: process, bytes) { try Task.checkCancellation() }
    }

    private static func contains(_ content: [UInt8], _ count: Int, _ bytes: [UInt8]) -> Bool {
        content.withUnsafeBytes { content in
            guard let start = content.baseAddress, let first = bytes.first else { return false }
            var offset = 0
            while offset + bytes.count <= count, let found = memchr(start + offset, Int32(first), count - bytes.count - offset + 1) {
                if memcmp(found, bytes, bytes.count) == 0 { return true }
                offset = UnsafeRawPointer(found) - start + 1
            }
            return false
        }
    }

    @Test("the key of a store is in the memory of the process while it is unlocked, and nowhere in it when it is locked", .timeLimit(.minutes(1)))
    func key() async throws {
        try await Folder.with { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            let process = try await node.running().program.identifier
            let made = try await node.object("POST", "/v1/stores", ["name": "Bob"])
            let id = try #require(made["store"]?["storeId"]?.stringValue)
            let digits = try String(contentsOfFile: "\(folder.path)/stores/\(id)/database.key", encoding: .utf8).trimmingCharacters(in: .newlines)
            #expect(digits.utf8.count == 64)
            let key = stride(from: 0, to: 64, by: 2).compactMap { UInt8(String(Array(digits)[$0...$0 + 1]), radix: 16) }
            try waitUntilInMemory(of: process, Array(digits.utf8))
            _ = try await node.object("POST", "/v1/stores/\(id)/lock")
            _ = try await node.object("POST", "/v1/stores/\(id)/unlock")
            _ = try await node.call("PUT", "/v1/stores/\(id)/app-password", ["password": "1234"])
            _ = try await node.object("POST", "/v1/stores/\(id)/lock")
            _ = try await node.object("POST", "/v1/stores/\(id)/unlock", ["passphrase": "1234"])
            try waitUntilInMemory(of: process, Array(digits.utf8))
            _ = try await node.object("POST", "/v1/stores/\(id)/lock")
            #expect(try !isInMemory(of: process, Array(digits.utf8)))
            #expect(try !isInMemory(of: process, key))
            await node.stop()
        }
    }
}
