import Files
import Foundation
import SimpleXCrypto
import TestSupport
import Testing

@testable import Gateway

/// Encrypted backups as files.
@Suite struct BackupFormatTests {
    private let secret = BackupSecret.passphrase(SecretBytes("correct horse".utf8))

    /// Runs `body` with a folder that has some files, and its encrypted copy.
    private func withBackup(_ secret: BackupSecret, _ body: (_ folder: String, _ backup: String) throws -> Void) throws
    {
        let place = try TemporaryFolder()
        defer { place.remove() }
        let folder = place.path + "/folder"
        try DiskFiles.makeFolder(folder + "/inner/empty")
        try DiskFiles.createFile(folder + "/a", [])
        try DiskFiles.createFile(folder + "/inner/large", [UInt8](repeating: 7, count: 200_000))
        try DiskFiles.createFile(folder + "/left", [1])
        symlink("/etc/hostname", folder + "/link")
        let file = try UnfinishedFile(place.path + "/backup")
        let writer = try BackupWriter(file, .store, secret: secret, cost: .least)
        try writer.add(contentsOf: folder, except: ["left"], while: { true })
        try writer.finish()
        try file.publish()
        try body(place.path, place.path + "/backup")
    }

    private func extractBackup(_ backup: String, _ secret: BackupSecret, into target: String) throws {
        DiskFiles.removeTree(target)
        try DiskFiles.makeFolder(target)
        var reader = try BackupReader(backup, secret: secret)
        try reader.extract(into: target)
    }

    @Test(arguments: [true, false])
    func `A backup that is encrypted with a passphrase or a key is extracted to the folders and files of the source`(
        byKey: Bool
    ) throws {
        let secret = byKey ? BackupSecret(SecretBytes(String(repeating: "0f", count: 32).utf8)) : self.secret
        let isKey = if case .key = secret { true } else { false }
        #expect(isKey == byKey)
        try withBackup(
            secret,
            { place, backup in
                #expect(BackupReader.isBackup(backup) && BackupReader.readKind(of: backup) == .store)
                try extractBackup(backup, secret, into: place + "/target")
                let found = try FileManager.default.subpathsOfDirectory(atPath: place + "/target").sorted()
                #expect(found == ["a", "inner", "inner/empty", "inner/large"])
                #expect(try DiskFiles.readFile(place + "/target/inner/large") == [UInt8](repeating: 7, count: 200_000))
                let stored = try #require(try DiskFiles.readFile(backup))
                #expect(
                    stored.prefix(8).elementsEqual("SXGWBK1\n".utf8)
                        && stored.firstRange(of: Array("inner".utf8)) == nil
                )
            }
        )
    }

    @Test
    func `A backup is not opened by a wrong passphrase, or by a key instead of a passphrase`() throws {
        try withBackup(
            secret,
            { place, backup in
                let target = place + "/target"
                #expect {
                    try extractBackup(backup, .passphrase(SecretBytes("correct house".utf8)), into: target)
                } throws: {
                    if case BackupFault.wrongSecret = $0 { true } else { false }
                }
                #expect { try extractBackup(backup, .key(SymmetricKey()), into: target) } throws: {
                    if case BackupFault.wrongSecretKind(needsKey: false) = $0 { true } else { false }
                }
                #expect(DiskFiles.listEntries(target) == [])
                try DiskFiles.createFile(
                    place + "/text",
                    Array("this is no backup, and long enough for the header of one: 58 bytes".utf8)
                )
                #expect { try extractBackup(place + "/text", secret, into: target) } throws: {
                    if case BackupFault.notABackup = $0 { true } else { false }
                }
            }
        )
    }

    @Test
    func `A backup with missing, changed or additional bytes is refused`() throws {
        let secret = BackupSecret.key(SymmetricKey())
        try withBackup(
            secret,
            { place, backup in
                let whole = try #require(try DiskFiles.readFile(backup))
                let part = BackupFormat.partSize + SecretStream.overheadBytes
                func refuses(_ bytes: [UInt8], _ what: String) throws {
                    try DiskFiles.replaceFile(place + "/changed", with: bytes)
                    #expect(throws: BackupFault.self, "\(what)") {
                        try extractBackup(place + "/changed", secret, into: place + "/target")
                    }
                }
                let edges = (0...3).flatMap { number in [-1, 0, 1].map { BackupFormat.headerSize + part * number + $0 }
                }
                for count in Set(edges + [0, 1, 8, 20, whole.count / 2, whole.count - 1])
                where count >= 0 && count < whole.count { try refuses(Array(whole.prefix(count)), "cut at \(count)") }
                // Changes each byte of the header, and some bytes of every part. The Argon2id parameters in the header
                // are not used here, but a change of them must be noticed too.
                for index in Array(0..<BackupFormat.headerSize)
                    + Array(stride(from: BackupFormat.headerSize, to: whole.count, by: 9_973)) + [whole.count - 1]
                {
                    var changed = whole
                    changed[index] ^= 0x40
                    try refuses(changed, "changed at \(index)")
                }
                try refuses(whole + [0], "continued")
                try refuses(whole + whole.dropFirst(BackupFormat.headerSize), "repeated")
                // The places of two parts are exchanged.
                let (header, first, second) = (
                    whole.prefix(BackupFormat.headerSize), whole.dropFirst(BackupFormat.headerSize).prefix(part),
                    whole.dropFirst(BackupFormat.headerSize + part).prefix(part)
                )
                try refuses(
                    Array(header + second + first) + whole.dropFirst(BackupFormat.headerSize + 2 * part),
                    "exchanged"
                )
            }
        )
    }

    @Test(arguments: [
        "../out", "/out", "a/../../out", "", "a//b", ".", "a/./b", "missing/file", "twice",
    ])
    func `A backup whose paths lead out of its folder, repeat, lack a folder or are invalid is refused`(
        path: String
    ) throws {
        let place = try TemporaryFolder()
        defer { place.remove() }
        let key = SymmetricKey()
        let salt = [UInt8](repeating: 1, count: 16)
        let stream = SecretStream(writingWith: try BackupSecret.key(key).deriveKey(salt: salt, cost: .least))
        let header = BackupFormat.magic + [2, 2] + [UInt8](repeating: 0, count: 8) + salt + stream.header
        func file(_ name: String) -> [UInt8] {
            [2] + UInt16(name.utf8.count).bigEndianBytes + Array(name.utf8) + UInt64(1).bigEndianBytes + [9]
        }
        let content = file("twice") + file(path) + [0]
        try DiskFiles.createFile(
            place.path + "/backup",
            header + stream.sealPart(content, isLast: true, additional: header)
        )
        #expect(throws: BackupFault.self) {
            try extractBackup(place.path + "/backup", .key(key), into: place.path + "/target")
        }
        #expect(!DiskFiles.exists(place.path + "/out") && !DiskFiles.exists("/out"))
    }

    @Test
    func `A backup whose header demands too much work for key derivation is refused before the work begins`() throws {
        try withBackup(
            secret,
            { place, backup in
                var bytes = try #require(try DiskFiles.readFile(backup))
                for index in 10..<18 { bytes[index] = 0xff }
                try DiskFiles.replaceFile(place + "/dear", with: bytes)
                #expect { try extractBackup(place + "/dear", secret, into: place + "/target") } throws: {
                    if case BackupFault.damagedFile(let reason) = $0 { reason.contains("work") } else { false }
                }
            }
        )
    }
}
