import CKeyMemory
import Foundation
import SimpleXCrypto
import Synchronization
import TestSupport
import Testing

@testable import SQLCipher

@Suite struct KeyMemoryTests {
    /// Returns the lines of `/proc/self/smaps`, split into words. `String(contentsOfFile:)` ends at the first short
    /// read of a file in /proc.
    private func readMappings() throws -> [[Substring]] {
        let smaps = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/smaps")).readToEnd() ?? Data()
        return String(decoding: smaps, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
    }

    /// Returns the flags of the mapping that contains the address (`VmFlags` in `smaps`), and the sizes of the mappings
    /// before and after it that have no access.
    private func findMapping(of address: UnsafeRawPointer) throws -> (flags: [Substring], hasGuards: Bool) {
        let place = UInt(bitPattern: address)
        var (flags, isInside, earlier, hasGuards): ([Substring], Bool, String, Bool) = ([], false, "", false)
        var isNext = false
        for words in try readMappings() {
            let bounds = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if bounds.count == 2 {
                if isNext { hasGuards = earlier == "---p" && words[1] == "---p" }
                isNext = (bounds[0]..<bounds[1]).contains(place)
                isInside = isNext
                if !isNext, flags.isEmpty { earlier = String(words[1]) }
            } else if isInside, words[0] == "VmFlags:" {
                flags = Array(words.dropFirst())
                isInside = false
            }
        }
        return (flags, hasGuards)
    }

    @Test
    func `A released block of memory for keys is overwritten, and is zero when it is allocated again`() throws {
        // No other caller uses blocks of this size, so the next allocation gets the same block.
        let size = 14_000
        let block = try #require(sxgw_key_memory_allocate(size))
        #expect(sxgw_key_memory_contains(block) == 1)
        memset(block, 0xA5, size)
        sxgw_key_memory_free(block)
        // The first 8 bytes are the address of the next released block, so only later bytes are zero.
        #expect(UnsafeRawBufferPointer(start: block, count: size)[8...].allSatisfy { $0 == 0 })
        let again = try #require(sxgw_key_memory_allocate(size))
        #expect(again == block && UnsafeRawBufferPointer(start: again, count: size).allSatisfy { $0 == 0 })
        sxgw_key_memory_free(again)
    }

    @Test
    func `A too large block of memory for keys is refused, and memory outside this area is recognized`() {
        #expect(sxgw_key_memory_allocate(1 << 20) == nil)
        withUnsafeBytes(of: 1) { #expect(sxgw_key_memory_contains($0.baseAddress) == 0) }
    }

    @Test
    func `The memory for keys is one locked mapping between guard pages, even after databases were closed`()
        async throws
    {
        let (folder, key) = (try TemporaryFolder(), DatabaseKey.raw([UInt8](repeating: 7, count: 32)))
        let block = try #require(sxgw_key_memory_allocate(100))
        defer { sxgw_key_memory_free(block) }
        for number in 0..<4 {
            let database = try await Database.open(at: folder.file("\(number).db"), key: key)
            try await database.write { try $0.execute("CREATE TABLE t (a)") }
            #expect(KeyMemory.usedBytes > 0)
            await database.close()
        }
        // While another test closes a database, pages can be unlocked for a moment.
        try await waitUntil("one mapping between guards") { try findMapping(of: block).hasGuards }
        let flags = try findMapping(of: block).flags
        #expect(flags.contains("dd"))
        // The system may refuse to lock memory.
        if KeyMemory.lockedBytes > 0 {
            try await waitUntil("locked pages") { try findMapping(of: block).flags.contains("lo") }
        }
    }

    /// Returns the first addresses of the locked mappings outside of the area.
    private func findLockedOutside() throws -> Set<UInt> {
        var (start, found): (UInt, Set<UInt>) = (0, [])
        for words in try readMappings() {
            let bounds = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if bounds.count == 2 { start = bounds[0] }
            guard words[0] == "VmFlags:", words.contains("lo") else { continue }
            if sxgw_key_memory_contains(UnsafeRawPointer(bitPattern: start)) == 0 { found.insert(start) }
        }
        return found
    }

    @Test
    func `If SQLCipher has unlocked a block of memory for keys, the release of the block locks its pages again`()
        async throws
    {
        let size = 9_000
        let block = try #require(sxgw_key_memory_allocate(size))
        guard KeyMemory.lockedBytes > 0 else { return sxgw_key_memory_free(block) }
        #expect(munlock(block, size) == 0)
        sxgw_key_memory_free(block)
        // While another test releases a key, a page can be unlocked for a moment.
        try await waitUntil("locked pages") {
            try findMapping(of: block).flags.contains("lo") && findMapping(of: block + size).flags.contains("lo")
        }
    }

    @Test
    func `All keys of a new database and of its copy are stored in the locked memory for keys`() async throws {
        let (folder, key) = (try TemporaryFolder(), DatabaseKey.raw([UInt8](repeating: 7, count: 32)))
        let before = try findLockedOutside()
        let database = try await Database.open(at: folder.file("a.db"), key: key)
        #expect(try findLockedOutside().isSubset(of: before))
        // The database is large enough that its copy takes several steps.
        try await database.write { db in
            try db.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(9000000))")
        }
        let duringCopy = Mutex<Set<UInt>>([])
        try await database.backUp(
            to: folder.file("b.db"),
            while: {
                duringCopy.withLock { $0.formUnion((try? findLockedOutside()) ?? [0]) }
                return true
            }
        )
        #expect(duringCopy.withLock { $0 }.isSubset(of: before))
        await database.close()
    }
}
