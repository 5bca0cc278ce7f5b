import Files
import Glibc
import SimpleXCrypto
import XFTP

/// Decrypts a file from the work folder to its target, chunk by chunk. All functions block.
final class FileDecryptor: @unchecked Sendable {
    /// The digest of the whole file differs from the digest in the description. This can happen although the digest of
    /// each chunk was right when the chunk arrived.
    struct WrongDigest: Error {}

    // The class is `@unchecked Sendable`: only one task uses the decryptor, one call after the other.
    private let description: FileDescription
    private let workFile: WorkFile
    private let output: FileOutput
    private let decryption: FileDecryption
    private let hash: IncrementalDigest
    private var position: Int64 = 0
    /// The first failure of the decryption; nil if there was none. After a failure, the decryptor decrypts no further
    /// chunks, but `verifyAndSync` still checks the digest before it throws the failure.
    private var failure: FileDecryption.Failure?

    init(_ description: FileDescription, from work: WorkFile, into output: FileOutput) throws {
        self.description = description
        self.workFile = work
        self.output = output
        decryption = FileDecryption(size: description.size, key: description.key, nonce: description.nonce)
        hash = try IncrementalDigest(.sha512)
    }

    func decryptNextChunk(size: Int) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(size, WorkFile.partSize), alignment: 16)
        defer { buffer.deallocate() }
        var done = 0
        while done < size {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(size - done))
            try workFile.read(into: part, at: position)
            try hash.update(UnsafeRawBufferPointer(part))
            if failure == nil {
                do { try decryption.decryptNext(part) { try output.write($0) } } catch let error
                    as FileDecryption.Failure
                {
                    failure = error
                }
            }
            position += Int64(part.count)
            done += part.count
        }
    }

    /// Verifies the digest and the authentication tag of the file. On return the output is complete and synced to the
    /// disk.
    func verifyAndSync() throws {
        guard try hash.finalize() == description.digest else { throw WrongDigest() }
        if let failure { throw failure }
        _ = try decryption.verifyTag()
        try output.finishFile()
    }
}

/// Output for the contents of a received file: memory or a file.
final class FileOutput {
    private enum Destination {
        case memory
        case file(OpenedTarget, SecretBoxStream?)
    }

    private let destination: Destination
    private(set) var contents: [UInt8] = []

    /// Makes an output that keeps the contents in memory.
    init() { destination = .memory }

    /// Makes an output that writes the contents to a new file.
    /// - Parameter arguments: key and nonce with which the file is encrypted on this machine; nil for a file that is
    ///   not encrypted.
    init(_ file: consuming OpenFile, _ arguments: CryptoFileArguments?) {
        destination = .file(OpenedTarget(file), arguments.map { SecretBoxStream(key: $0.fileKey, nonce: $0.fileNonce) })
    }

    fileprivate func write(_ part: UnsafeMutableRawBufferPointer) throws(FileSystemError) {
        switch destination {
        case .memory: contents += part
        case .file(let target, let box):
            box?.encrypt(inPlace: part)
            try target.write(UnsafeRawBufferPointer(part))
        }
    }

    fileprivate func finishFile() throws(FileSystemError) {
        guard case .file(let target, let box) = destination else { return }
        if let box { try target.file.write(box.computeTag(), at: target.position) }
        try target.file.sync()
    }
}

private final class OpenedTarget {
    let file: OpenFile
    private(set) var position: Int64 = 0

    init(_ file: consuming OpenFile) { self.file = file }

    func write(_ part: UnsafeRawBufferPointer) throws(FileSystemError) {
        try file.write(part, at: position)
        position += Int64(part.count)
    }
}

extension OpenFile {
    fileprivate borrowing func write(_ bytes: [UInt8], at offset: Int64) throws(FileSystemError) {
        var failure: FileSystemError?
        bytes.withUnsafeBytes { bytes in
            do throws(FileSystemError) { try write(bytes, at: offset) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
