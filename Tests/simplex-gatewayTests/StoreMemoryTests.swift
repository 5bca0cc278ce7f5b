import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// The function `memmem` of GNU's C library, which Swift's module of this library does not export. A loop in Swift
/// would be too slow for the whole memory of a process.
@_silgen_name("memmem")
private func memmem(
    _ text: UnsafeRawPointer,
    _ count: Int,
    _ sought: UnsafeRawPointer,
    _ soughtCount: Int
) -> UnsafeRawPointer?

@Suite(.socketTimeLimit) struct StoreMemoryTests {
    /// Whether the writable memory of a process contains the bytes.
    private func isInMemory(of process: Int32, _ bytes: [UInt8]) throws -> Bool {
        let memory = open("/proc/\(process)/mem", O_RDONLY)
        guard memory >= 0 else { throw Program.UnexpectedOutput(description: "the memory cannot be read: \(errno)") }
        defer { close(memory) }
        for line in try readMaps(of: process).split(separator: "\n") {
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

    /// Reads the memory map of a process. The kernel returns at most one page for each read, so the function reads
    /// until the end.
    private func readMaps(of process: Int32) throws -> String {
        let file = open("/proc/\(process)/maps", O_RDONLY)
        guard file >= 0 else { throw Program.UnexpectedOutput(description: "the maps cannot be read: \(errno)") }
        defer { close(file) }
        var (all, page) = ([UInt8](), [UInt8](repeating: 0, count: 65536))
        while true {
            let count = read(file, &page, page.count)
            guard count > 0 else { return String(decoding: all, as: UTF8.self) }
            all += page[..<count]
        }
    }

    /// Waits until the bytes are found, since a search can miss memory that moves.
    private func waitUntilInMemory(of process: Int32, _ bytes: [UInt8]) throws {
        while try !isInMemory(of: process, bytes) { try Task.checkCancellation() }
    }

    private static func contains(_ content: [UInt8], _ count: Int, _ bytes: [UInt8]) -> Bool {
        content.withUnsafeBytes { content in
            guard let start = content.baseAddress else { return false }
            return memmem(start, count, bytes, bytes.count) != nil
        }
    }

    @Test
    func `The database key of a store with a passphrase is in memory only while the store is unlocked`() async throws {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            let process = try await node.waitUntilRunning().program.processID
            let made = try await node.callForObject("POST", "/v1/stores", ["name": "Bob"])
            let id = try #require(made["store"]?["storeId"]?.stringValue)
            let digits = try String(contentsOfFile: "\(folder.path)/stores/\(id)/database.key", encoding: .utf8)
                .trimmingCharacters(in: .newlines)
            #expect(digits.utf8.count == 64)
            let key = stride(from: 0, to: 64, by: 2).compactMap { UInt8(String(Array(digits)[$0...$0 + 1]), radix: 16) }
            try waitUntilInMemory(of: process, Array(digits.utf8))
            _ = try await node.callForObject("POST", "/v1/stores/\(id)/lock")
            _ = try await node.callForObject("POST", "/v1/stores/\(id)/unlock")
            _ = try await node.call("PUT", "/v1/stores/\(id)/app-password", ["password": "1234"])
            _ = try await node.callForObject("POST", "/v1/stores/\(id)/lock")
            _ = try await node.callForObject("POST", "/v1/stores/\(id)/unlock", ["passphrase": "1234"])
            try waitUntilInMemory(of: process, Array(digits.utf8))
            _ = try await node.callForObject("POST", "/v1/stores/\(id)/lock")
            #expect(try !isInMemory(of: process, Array(digits.utf8)))
            #expect(try !isInMemory(of: process, key))
            await node.stop()
        }
    }

    @Test
    func `The database key of the first store is not in memory while the store is locked`() async throws {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            let process = try await node.waitUntilRunning().program.processID
            let digits = Array(
                try String(contentsOfFile: folder.path + "/database.key", encoding: .utf8).trimmingCharacters(
                    in: .newlines
                ).utf8
            )
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "alice", "fullName": ""]]
            )
            try waitUntilInMemory(of: process, digits)
            _ = try await node.callForObject("POST", "/v1/stores/default/lock")
            #expect(try !isInMemory(of: process, digits))
            _ = try await node.callForObject("POST", "/v1/stores/default/unlock")
            #expect(try await node.callForObject("GET", "/v1/users")["users"]?.arrayValue?.count == 1)
            await node.stop()
        }
    }

    @Test
    func `Passphrases and passwords from HTTP requests are not in memory after the store was locked`() async throws {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            let process = try await node.waitUntilRunning().program.processID
            func secret(_ name: String) -> String { "~\(name) \(UUID().uuidString) \(UUID().uuidString)" }
            let passphrase = secret("passphrase")
            let made = try await node.call(
                "POST",
                "/v1/stores",
                ["name": "Bob", "passphrase": .string(passphrase)],
                idempotencyKey: "one"
            ).json
            let path = "/v1/stores/\(try #require(made["store"]?["storeId"]?.stringValue))"
            // While the store is open, its key is in memory.
            try waitUntilInMemory(of: process, Array(passphrase.utf8))
            let (password, other, selfDestruct, wrong) = (secret("app"), secret("next"), secret("end"), secret("wrong"))
            func put(_ which: String, _ password: String, _ current: String?) async throws {
                let body: [(String, JSONValue)] =
                    [("password", .string(password))] + (current.map { [("current", .string($0))] } ?? [])
                #expect(try await node.call("PUT", "\(path)/\(which)", .object(JSONObject(body))).status == 204)
            }
            try await put("app-password", password, nil)
            try await put("app-password", other, password)
            try await put("self-destruct-password", selfDestruct, other)
            _ = try await node.callForObject("POST", path + "/lock")
            #expect(try await node.call("POST", path + "/unlock", ["passphrase": .string(other)]).status == 200)
            #expect(try await node.call("POST", path + "/unlock", ["passphrase": .string(wrong)]).status == 403)
            _ = try await node.callForObject("POST", path + "/lock")
            for (name, text) in [
                ("passphrase", passphrase), ("app", password), ("next", other), ("end", selfDestruct), ("wrong", wrong),
            ] {
                #expect(try !isInMemory(of: process, Array(text.utf8)), "\(name)")
            }
            await node.stop()
        }
    }
}
