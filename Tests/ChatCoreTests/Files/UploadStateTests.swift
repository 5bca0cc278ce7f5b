import ChatStore
import Foundation
import SimpleXCrypto
import Testing

@testable import ChatCore

/// An upload that reads its file again before it continues, as after a failed write or in a new process.
@Suite("State of an upload on the disk") struct UploadStateTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID().uuidString)")
    private let arguments = CryptoFileArguments()

    private func makeUpload() -> Upload {
        Upload(id: "upload", user: 1, name: "a", arguments, in: folder.path, length: nil, isResumable: true)
    }

    /// Runs a test with an upload that has not read its file yet.
    /// - Parameter contents: the bytes in the file.
    private func withUpload(of contents: [UInt8], _ body: (Upload) throws -> Void) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let begun = makeUpload()
        try begun.createFile()
        try begun.write(contents)
        try body(makeUpload())
    }

    @Test
    func `An upload counts the bytes on the disk before it compares a part with the size limit`() throws {
        try withUpload(of: sampleBytes(60)) { upload in
            upload.sizeLimit = (100, 1_000)
            #expect(throws: QuotaExceeded.self) { try upload.write(sampleBytes(41)) }
            #expect(try Data(contentsOf: URL(filePath: upload.path)).count == 60)
            try upload.write(sampleBytes(40))
            #expect(upload.offset == 100)
        }
    }

    @Test
    func `An upload whose file could not be read is read again before the next part is written`() throws {
        let contents = sampleBytes(60)
        try withUpload(of: Array(contents[..<40])) { upload in
            let away = upload.path + ".away"
            try FileManager.default.moveItem(atPath: upload.path, toPath: away)
            #expect(throws: (any Error).self) { try upload.write(Array(contents[40...])) }
            try FileManager.default.moveItem(atPath: away, toPath: upload.path)
            try upload.write(Array(contents[40...]))
            #expect(upload.offset == 60)
            #expect(try upload.finishDigest() == Digest.sha256(contents))
        }
    }
}
