import Files
import Foundation
import SimpleXCrypto
import TestSupport
import Testing

@testable import Gateway

@Suite("Checksum list of a backup") struct CopyChecksumsTests {
    private static let names = [
        "plain", "two words", "a\nline", "back\\slash", "\rreturn", "ünïcode", "\\", "sub/one", "sub/deeper/two",
    ]

    /// Runs `body` with a folder that has files and their list.
    private func withFilesAndList(_ body: (_ folder: String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for name in Self.names {
            try DiskFiles.makeFolder(FilePaths.parentFolder(of: folder.path + "/" + name))
            try DiskFiles.createFile(folder.path + "/" + name, Array("content of \(name)".utf8))
        }
        try DiskFiles.createFile(folder.path + "/left out", [])
        try CopyChecksums.writeList(in: folder.path, except: ["left out"]) { true }
        try body(folder.path)
    }

    @Test
    func `A backup that matches its checksum list is accepted by the gateway and by sha256sum`() throws {
        try withFilesAndList { folder in
            #expect(try CopyChecksums.verifyFiles(folder))
            let program = Process()
            program.executableURL = URL(fileURLWithPath: "/usr/bin/sha256sum")
            program.arguments = ["--check", "--strict", "--quiet", CopyChecksums.fileName]
            program.currentDirectoryURL = URL(fileURLWithPath: folder)
            try program.run()
            program.waitUntilExit()
            #expect(program.terminationStatus == 0)
            try DiskFiles.createFile(folder + "/more", [1])
            #expect(try CopyChecksums.verifyFiles(folder))
            let text = String(
                decoding: try DiskFiles.readFile(folder + "/" + CopyChecksums.fileName) ?? [],
                as: UTF8.self
            )
            #expect(text.split(separator: "\n").count == Self.names.count && !text.contains("left out"))
        }
    }

    @Test(arguments: names)
    func `A missing or changed file of a backup is reported with the name of the file`(name: String) throws {
        try withFilesAndList { folder in
            try DiskFiles.replaceFile(folder + "/" + name, with: Array("another content".utf8))
            #expect { try CopyChecksums.verifyFiles(folder) } throws: {
                if case .changedFile(name) = $0 as? CopyChecksums.Fault { true } else { false }
            }
            DiskFiles.removeFile(folder + "/" + name)
            #expect { try CopyChecksums.verifyFiles(folder) } throws: {
                if case .missingFile(name) = $0 as? CopyChecksums.Fault { true } else { false }
            }
        }
    }

    @Test
    func `A backup's checksum list is refused if the list is cut off or has paths outside of the backup`() throws {
        try withFilesAndList { folder in
            let (path, outside) = (folder + "/" + CopyChecksums.fileName, folder + "-outside")
            let whole = try #require(try DiskFiles.readFile(path))
            let hash = String(repeating: "0", count: 64)
            try DiskFiles.createFile(outside, [])
            defer { DiskFiles.removeFile(outside) }
            let lists = [
                [], whole + Array("\(hash)  more\n".utf8),
                Array(whole.split(separator: 10).dropLast().joined(separator: [10])) + [10], Array(whole.dropLast()),
                Array(whole.dropLast(20)), Array("\(hash)  ../\(outside.split(separator: "/").last ?? "")\n".utf8),
                Array("\(hash)  /etc/passwd\n".utf8),
                Array("\(hash)\n".utf8), Array("\\\(hash)  a\\x\n".utf8), Array("\(hash.dropLast())g  plain\n".utf8),
                Array("\(hash) plain\n".utf8),
            ]
            for list in lists {
                try DiskFiles.replaceFile(path, with: list)
                #expect { try CopyChecksums.verifyFiles(folder) } throws: {
                    if case .damagedList = $0 as? CopyChecksums.Fault { true } else { false }
                }
            }
            DiskFiles.removeFile(path)
            #expect { try CopyChecksums.verifyFiles(folder) } throws: {
                if case .damagedList = $0 as? CopyChecksums.Fault { true } else { false }
            }
            CopyChecksums.removeListFiles(from: folder)
            #expect(try !CopyChecksums.verifyFiles(folder))
        }
    }

    @Test
    func `A checksum list of random or damaged bytes does not crash the check of a backup`() throws {
        try withFilesAndList { folder in
            let path = folder + "/" + CopyChecksums.fileName
            let whole = try #require(try DiskFiles.readFile(path))
            for round in 0..<500 {
                var bytes =
                    round % 5 == 0 ? (0..<Int.random(in: 0..<300)).map { _ in UInt8.random(in: 0...255) } : whole
                for _ in 0..<Int.random(in: 1...8) where !bytes.isEmpty {
                    bytes[Int.random(in: bytes.indices)] = UInt8.random(in: 0...255)
                }
                try Data(bytes).write(to: URL(fileURLWithPath: path))
                // An attacker would also make a valid checksum of the list, so the test makes one too.
                let seal = Hex.encode(Digest.sha256(bytes)) + "  \(CopyChecksums.fileName)\n"
                try Data(seal.utf8).write(to: URL(fileURLWithPath: path + ".sha256"))
                do throws(CopyChecksums.Fault) { _ = try CopyChecksums.verifyFiles(folder) } catch {}
            }
        }
    }
}
