import Foundation
import TestSupport
import Testing

@testable import ZIP

@Suite struct ZIPTests {
    /// Runs `body` with a temporary folder.
    private func withFolder<T>(_ body: (String) throws -> T) throws -> T {
        let path = FileManager.default.temporaryDirectory.appending(path: "zip-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try body(path)
    }

    private func makeArchive(in folder: String, compressed: Bool = true) throws -> String {
        let sources = try ["one": [UInt8](repeating: 7, count: 100_000), "two": Array("hello".utf8), "empty": []].sorted
        { $0.key < $1.key }.map { name, content in
            try Data(content).write(to: URL(filePath: folder + "/" + name))
            return ZIPWriter.SourceFile(path: folder + "/" + name, name: name == "two" ? "files/two" : name)
        }
        try ZIPWriter.writeDirectly(sources, to: folder + "/a.zip", compressed: compressed)
        return folder + "/a.zip"
    }

    @Test(arguments: [true, false])
    func `A written ZIP archive is read back with and without compression`(compressed: Bool) throws {
        try withFolder { folder in
            let path = try makeArchive(in: folder, compressed: compressed)
            #expect((try Data(contentsOf: URL(filePath: path)).count < 2000) == compressed)
            let reader = try ZIPReader(path: path)
            #expect(reader.entries.map(\.name) == ["empty", "one", "files/two"])
            for entry in reader.entries {
                try reader.unpackEntry(
                    entry,
                    to: folder + "/unpacked-" + entry.name.replacingOccurrences(of: "/", with: "-")
                )
            }
            #expect(try Data(contentsOf: URL(filePath: folder + "/unpacked-files-two")) == Data("hello".utf8))
            #expect(try Data(contentsOf: URL(filePath: folder + "/unpacked-one")) == Data(repeating: 7, count: 100_000))
        }
    }

    @Test
    func `Writing a ZIP archive fails if its path is used or its source file is missing`() throws {
        try withFolder { folder in
            let path = try makeArchive(in: folder)
            #expect(throws: ZIPError.fileNotOpened(code: EEXIST)) {
                try ZIPWriter.writeDirectly([], to: path, compressed: true)
            }
            #expect(throws: ZIPError.fileNotOpened(code: ENOENT)) {
                try ZIPWriter.writeDirectly([], to: folder + "/no/a.zip", compressed: true)
            }
            #expect(throws: ZIPError.fileNotOpened(code: ENOENT)) { _ = try ZIPReader(path: folder + "/no.zip") }
            let missing = [ZIPWriter.SourceFile(path: folder + "/nothing", name: "x")]
            #expect(throws: ZIPError.self) {
                try ZIPWriter.writeDirectly(missing, to: folder + "/b.zip", compressed: true)
            }
            #expect(!FileManager.default.fileExists(atPath: folder + "/b.zip"))
        }
    }

    @Test(arguments: [
        "../a", "a/../b", "/a", "a//b", ".", "a/.", "", "a\\b", "a\u{0}b", "a\nb",
        String(repeating: "x", count: 300),
    ])
    func `A file with an unsafe name is not written to a ZIP archive`(name: String) throws {
        #expect(!ZIPReader.isSafeName(name))
        #expect(throws: ZIPError.unsafeName(name)) {
            try ZIPWriter.writeDirectly([.init(path: "/dev/null", name: name)], to: "/nothing", compressed: true)
        }
    }

    @Test
    func `Reading a ZIP archive with an unsafe file name is refused`() throws {
        try withFolder { folder in
            let path = try makeArchive(in: folder)
            var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
            let (name, hostile) = (Array("files/two".utf8), Array("../../two".utf8))
            for start in 0...(bytes.count - name.count) where Array(bytes[start..<start + name.count]) == name {
                bytes.replaceSubrange(start..<start + name.count, with: hostile)
            }
            try Data(bytes).write(to: URL(filePath: path))
            #expect(throws: ZIPError.unsafeName("../../two")) { _ = try ZIPReader(path: path) }
        }
    }

    @Test
    func `A ZIP archive that would unpack to many times its size is refused`() throws {
        try withFolder { folder in
            let zeros = folder + "/zeros"
            _ = FileManager.default.createFile(atPath: zeros, contents: nil)
            #expect(truncate(zeros, 80 << 20) == 0)
            try ZIPWriter.writeDirectly([.init(path: zeros, name: "zeros")], to: folder + "/bomb.zip", compressed: true)
            #expect(throws: ZIPError.tooLarge) { _ = try ZIPReader(path: folder + "/bomb.zip") }
            var limits = ZIPLimits()
            limits.maxCompressionRatio = 10_000
            #expect(try ZIPReader(path: folder + "/bomb.zip", limits: limits).entries.count == 1)
            limits.maxBytes = 1 << 20
            #expect(throws: ZIPError.tooLarge) { _ = try ZIPReader(path: folder + "/bomb.zip", limits: limits) }
            limits = ZIPLimits()
            limits.maxEntries = 0
            #expect(throws: ZIPError.tooLarge) { _ = try ZIPReader(path: try makeArchive(in: folder), limits: limits) }
        }
    }

    @Test
    func `Writing or unpacking a ZIP archive that the caller stops leaves no file`() throws {
        try withFolder { folder in
            let zeros = folder + "/zeros"
            _ = FileManager.default.createFile(atPath: zeros, contents: nil)
            #expect(truncate(zeros, 1 << 20) == 0)
            let drafts = folder + "/drafts"
            try FileManager.default.createDirectory(atPath: drafts, withIntermediateDirectories: false)
            func write(_ name: String, mayContinue: Bool) throws {
                let sources = [ZIPWriter.SourceFile(path: zeros, name: "zeros")]
                try ZIPWriter.writeComplete(
                    sources,
                    to: folder + "/" + name,
                    in: drafts,
                    compressed: true,
                    while: { mayContinue }
                )
            }
            #expect(throws: ZIPError.stopped) { try write("half.zip", mayContinue: false) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["drafts", "zeros"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: drafts).isEmpty)
            try write("whole.zip", mayContinue: true)
            let reader = try ZIPReader(path: folder + "/whole.zip", while: { false })
            let entry = try #require(reader.entries.first)
            #expect(throws: ZIPError.stopped) { try reader.unpackEntry(entry, to: folder + "/target") }
            #expect(!FileManager.default.fileExists(atPath: folder + "/target"))
        }
    }

    @Test
    func `A ZIP archive with a central directory that is too large is refused`() throws {
        try withFolder { folder in
            let path = try makeArchive(in: folder)
            var limits = ZIPLimits()
            limits.maxDirectoryBytes = 1_000
            #expect(try ZIPReader(path: path, limits: limits).entries.count == 3)
            limits.maxDirectoryBytes = 100
            #expect(throws: ZIPError.tooLarge) { _ = try ZIPReader(path: path, limits: limits) }
            // The comment of the archive looks like another end record, so the archive is ambiguous.
            var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
            let record: [UInt8] = [0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 18)
            bytes[bytes.count - 2] = UInt8(record.count)
            try Data(bytes + record).write(to: URL(filePath: path))
            #expect(throws: ZIPError.self) { _ = try ZIPReader(path: path, limits: limits) }
        }
    }

    @Test
    func `A ZIP archive with more entries than permitted is refused even if it declares fewer`() throws {
        try withFolder { folder in
            let path = try makeArchive(in: folder)
            var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
            // The archive has more entries than the end record declares.
            for place in [bytes.count - 14, bytes.count - 12] { bytes[place] = 1 }
            try Data(bytes).write(to: URL(filePath: path))
            var limits = ZIPLimits()
            limits.maxEntries = 2
            #expect(throws: ZIPError.tooLarge) { _ = try ZIPReader(path: path, limits: limits) }
        }
    }

    @Test
    func `A ZIP64 archive with a central directory that is too large is refused`() throws {
        try withFolder { folder in
            func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
                (0..<count).map { UInt8(truncatingIfNeeded: $0 < 8 ? number >> (8 * $0) : number) }
            }
            let long = [0x50, 0x4B, 6, 6] + bytes(44, 8) + bytes(0, 28) + bytes(1 << 40, 8) + bytes(0, 8)
            let locator = [0x50, 0x4B, 6, 7] + bytes(0, 4) + bytes(0, 8) + bytes(1, 4)
            let end = [0x50, 0x4B, 5, 6] + bytes(0, 4) + bytes(.max, 12) + bytes(0, 2)
            try Data(long + locator + end).write(to: URL(filePath: folder + "/a.zip"))
            #expect(throws: ZIPError.tooLarge) { _ = try ZIPReader(path: folder + "/a.zip") }
        }
    }

    @Test
    func `A truncated ZIP archive is refused`() throws {
        try withFolder { folder in
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: try makeArchive(in: folder))))
            for length in stride(from: 0, to: bytes.count, by: 7) {
                try Data(bytes[..<length]).write(to: URL(filePath: folder + "/cut.zip"))
                #expect(throws: ZIPError.self) { _ = try ZIPReader(path: folder + "/cut.zip") }
            }
        }
    }

    @Test
    func `A damaged ZIP archive causes an error, or is unpacked to entries of the declared size`() throws {
        try withFolder { folder in
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: try makeArchive(in: folder))))
            for index in bytes.indices {
                var changed = bytes
                changed[index] ^= 0x41
                try Data(changed).write(to: URL(filePath: folder + "/damaged.zip"))
                guard let reader = try? ZIPReader(path: folder + "/damaged.zip") else { continue }
                for entry in reader.entries {
                    let target = folder + "/target"
                    try? FileManager.default.removeItem(atPath: target)
                    guard (try? reader.unpackEntry(entry, to: target)) != nil else {
                        #expect(!FileManager.default.fileExists(atPath: target))
                        continue
                    }
                    let size = try #require(try FileManager.default.attributesOfItem(atPath: target)[.size] as? Int)
                    #expect(size == Int(entry.unpackedBytes))
                }
            }
        }
    }

    /// Makes an archive with one entry that declares `size` bytes and has `stored` compressed bytes, which are a hole
    /// in the file.
    private func makeHollowArchive(_ size: UInt64, stored: UInt64, method: UInt16, in folder: String) throws -> String {
        func number<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
            withUnsafeBytes(of: value.littleEndian) { Array($0) }
        }
        let name = Array("simplex_v1_chat.db".utf8)
        // APPNOTE.TXT, section 4.5.3: sizes beyond 32 bits are in the extra field.
        let sizes = number(UInt32.max) + number(UInt32.max)
        let extra = number(UInt16(1)) + number(UInt16(16)) + number(size) + number(stored)
        let about =
            number(UInt16(45)) + number(UInt16(0)) + number(method) + number(UInt16(0)) + number(UInt16(0x21))
            + number(UInt32(0)) + sizes
        let lengths = number(UInt16(name.count)) + number(UInt16(extra.count))
        let local = number(UInt32(0x0403_4B50)) + about + lengths + name + extra
        let place = UInt64(local.count) + stored
        let entry =
            number(UInt32(0x0201_4B50)) + number(UInt16(45)) + about + lengths + [UInt8](repeating: 0, count: 14) + name
            + extra
        var end =
            number(UInt32(0x0606_4B50)) + number(UInt64(44)) + number(UInt16(45)) + number(UInt16(45))
            + number(UInt32(0)) + number(UInt32(0))
        end += number(UInt64(1)) + number(UInt64(1)) + number(UInt64(entry.count)) + number(place)
        end += number(UInt32(0x0706_4B50)) + number(UInt32(0)) + number(place + UInt64(entry.count)) + number(UInt32(1))
        end +=
            number(UInt32(0x0605_4B50)) + number(UInt16(0)) + number(UInt16(0)) + number(UInt16(1)) + number(UInt16(1))
            + number(UInt32(entry.count)) + number(UInt32.max)
        end += number(UInt16(0))
        let path = folder + "/large.zip"
        _ = FileManager.default.createFile(atPath: path, contents: Data(local))
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seek(toOffset: place)
        try file.write(contentsOf: Data(entry + end))
        try file.close()
        return path
    }

    @Test
    func `A ZIP entry of 10 GB is refused if it is above the limit or has too few stored bytes`() throws {
        try withFolder { folder in
            let tenGB: UInt64 = 10 << 30
            var limits = ZIPLimits()
            limits.maxBytes = 1 << 30
            let sparse = try makeHollowArchive(tenGB, stored: tenGB, method: 0, in: folder)
            let start = ContinuousClock.now
            #expect(throws: ZIPError.tooLarge) { _ = try ZIPReader(path: sparse, limits: limits) }
            // The archive is valid, so it is read with the default limits.
            #expect(try ZIPReader(path: sparse).entries.map(\.unpackedBytes) == [tenGB])
            let bomb = try makeHollowArchive(tenGB, stored: 1000, method: 8, in: folder)
            #expect(throws: ZIPError.tooLarge) { _ = try ZIPReader(path: bomb) }
            #expect(ContinuousClock.now - start < .seconds(5))
        }
    }
}
