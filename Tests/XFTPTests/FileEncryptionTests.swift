import SMP
import SimpleXCrypto
import Testing
import TestSupport

@testable import XFTP

/// Tests with the vectors in xftp.json: chunk sizes, headers and contents of encrypted files.
struct FileEncryptionTests {
    let vectors: Vector

    init() throws { vectors = try Vector.readFile("xftp") }

    @Test
    func `The sizes of a file's chunks are chosen as in simplexmq`() throws {
        for vector in try vectors.list("chunkSizes") {
            let payload = Int64(try vector.int("payloadSize"))
            let runs = (vector.value["chunks"]?.arrayValue ?? []).compactMap { run in
                run[0]?.integerValue.flatMap { size in run[1]?.integerValue.map { (size, $0) } }
            }
            #expect(
                !runs.isEmpty
                    && ChunkSizes.chunkSizes(for: payload) == runs.flatMap { Array(repeating: Int($0), count: Int($1)) }
            )
            #expect(ChunkSizes.singleChunkSize(for: payload) == vector.optionalInt("single"))
        }
        #expect(
            ChunkSizes.acceptedSizes
                == (vectors.value["serverChunkSizes"]?.arrayValue ?? []).compactMap { $0.integerValue.map { Int($0) } }
        )
        #expect(try ChunkSizes.maxUserFileBytes == Int64(vectors.int("maxFileSize")))
        #expect(try ChunkSizes.maxEncryptedFileBytes == Int64(vectors.int("maxFileSizeHard")))
        #expect(ChunkSizes.chunkSizes(for: 0).isEmpty && ChunkSizes.chunkSizes(for: -5).isEmpty)
    }

    @Test
    func `Headers of encrypted files are encoded as in simplexmq`() throws {
        for vector in try vectors.list("fileHeaders") {
            let header = FileHeader(name: try vector.text("fileName"), extra: vector.optionalText("fileExtra"))
            #expect(try header.smpEncoded().hex == vector.text("hex"))
            #expect(try FileHeader(smpEncoded: vector.bytes("hex")) == header)
        }
        let long = FileHeader(name: String(repeating: "ж", count: 300))
        #expect(try FileHeader(smpEncoded: long.smpEncoded()).name == String(repeating: "ж", count: 127))
    }

    private struct SampleFile {
        var layout: FileLayout
        var key: SymmetricKey
        var nonce: BoxNonce
        var body: [UInt8]

        init(body: [UInt8], header: FileHeader = FileHeader(name: "file"), size: Int? = nil) throws {
            self.body = body
            layout = try #require(FileLayout(header: header, contentsSize: Int64(body.count)))
            if let size {
                layout = FileLayout(lead: layout.prefixBytes, contentsSize: Int64(body.count), chunkSizes: [size])
            }
            key = SymmetricKey()
            nonce = .random()
        }

        init(_ vector: Vector, body: [UInt8], header: FileHeader) throws {
            try self.init(body: body, header: header, size: try vector.int("encryptedSize"))
            key = try SymmetricKey(rawRepresentation: vector.bytes("key"))
            nonce = try BoxNonce(rawRepresentation: vector.bytes("nonce"))
        }

        func encrypt(parts: Int) throws -> [UInt8] {
            let encryption = FileEncryption(layout, key: key, nonce: nonce)
            var (out, offset): ([UInt8], Int) = ([], 0)
            while out.count < layout.size {
                var part = [UInt8](repeating: 0xEE, count: min(parts, Int(layout.size) - out.count))
                part.withUnsafeMutableBytes { part in
                    encryption.encryptNext(part) { buffer in
                        buffer.copyBytes(from: body[offset..<offset + buffer.count])
                        offset += buffer.count
                    }
                }
                out += part
            }
            return out
        }

        func decrypt(_ bytes: [UInt8], parts: Int, size: Int? = nil) throws -> (FileHeader, [UInt8]) {
            let decryption = FileDecryption(size: Int64(size ?? bytes.count), key: key, nonce: nonce)
            var (out, offset): ([UInt8], Int) = ([], 0)
            while offset < bytes.count {
                var part = Array(bytes[offset..<min(bytes.count, offset + parts)])
                offset += part.count
                try part.withUnsafeMutableBytes { try decryption.decryptNext($0) { out += $0 } }
            }
            return (try decryption.verifyTag(), out)
        }
    }

    @Test(arguments: [1, 7, 64, 1 << 20])
    func `Files are encrypted as in simplexmq, whatever the size of the parts in which they are read`(parts: Int) throws
    {
        for vector in try vectors.list("fileEncryption") {
            let header = try FileHeader(smpEncoded: vector.bytes("header"))
            let body =
                try vector.has("body")
                ? vector.bytes("body") : (0..<vector.int("bodyLength")).map { UInt8(truncatingIfNeeded: $0) }
            let sample = try SampleFile(vector, body: body, header: header)
            let encrypted = try sample.encrypt(parts: parts)
            #expect(try Digest.sha512(encrypted).hex == vector.text("encryptedSha512"))
            let (found, contents) = try sample.decrypt(encrypted, parts: parts)
            #expect(found == header && contents == sample.body)
            guard let sizes = vector.value["chunkSizes"]?.arrayValue else { continue }
            let layout = try #require(FileLayout(header: header, contentsSize: Int64(body.count)))
            #expect(
                layout.chunkSizes == sizes.compactMap { $0.integerValue.map { Int($0) } }
                    && layout.prefixBytes == sample.layout.prefixBytes
            )
        }
    }

    @Test(arguments: [0, 1, 65_500, 65_536, 200_000, 800_000, 5_000_000])
    func `An encrypted file of any size is decrypted to its contents`(size: Int) throws {
        let sample = try SampleFile(body: RandomBytes.make(count: size))
        let encrypted = try sample.encrypt(parts: 100_000)
        #expect(encrypted.count == sample.layout.chunkSizes.reduce(0, +))
        let (header, contents) = try sample.decrypt(encrypted, parts: 65_536)
        #expect(header.name == "file" && contents == sample.body)
    }

    @Test
    func `Decrypting a file that is changed, truncated or longer than declared fails`() throws {
        let sample = try SampleFile(body: RandomBytes.make(count: 1000))
        let encrypted = try sample.encrypt(parts: 4096)
        for index in [0, 7, 8, 20, 500, 2000, 60_000, encrypted.count - 16, encrypted.count - 1] {
            var damaged = encrypted
            damaged[index] ^= 1
            #expect(throws: FileDecryption.Failure.self) { try sample.decrypt(damaged, parts: 4096) }
        }
        #expect(throws: FileDecryption.Failure.invalidSize) {
            try sample.decrypt(encrypted.dropLast(), parts: 4096, size: encrypted.count)
        }
        #expect(throws: FileDecryption.Failure.invalidSize) {
            try sample.decrypt(encrypted + [1], parts: 4096, size: encrypted.count)
        }
        #expect(throws: FileDecryption.Failure.self) { try sample.decrypt(Array(encrypted.prefix(20)), parts: 4096) }
        #expect(throws: FileDecryption.Failure.self) { try sample.decrypt([], parts: 4096, size: 0) }
        var other = sample
        other.key = SymmetricKey()
        #expect(throws: FileDecryption.Failure.self) { try other.decrypt(encrypted, parts: 4096) }
    }

    @Test
    func `Decrypting a file whose declared length or header exceeds its contents causes an error`() throws {
        for (length, header) in [
            (Int64.max, [0, 0x30]), (-1, [0, 0x30]), (60_000, [0, 0x30]), (0, [0, 0x30]), (1, [0, 0x30]), (20, [200]),
            (20, [0, 0x32]), (5, [4, 1, 2, 3, 4, 0x30]),
        ] as [(Int64, [UInt8])] {
            var sample = try SampleFile(body: [])
            sample.layout = FileLayout(
                lead: FilePadding.lengthPrefix(contentsSize: length) + header,
                contentsSize: 0,
                chunkSizes: [1000]
            )
            let encrypted = try sample.encrypt(parts: 1000)
            #expect(throws: FileDecryption.Failure.invalidHeader) { try sample.decrypt(encrypted, parts: 100) }
        }
    }

    @Test
    func `A file that is too large or has a negative size cannot be divided into chunks`() {
        #expect(FileLayout(header: FileHeader(name: ""), contentsSize: 5 << 30) == nil)
        #expect(FileLayout(header: FileHeader(name: ""), contentsSize: -1) == nil)
        #expect(FileLayout(header: FileHeader(name: ""), contentsSize: 1 << 22, isSingle: true) == nil)
        #expect(
            FileLayout(header: FileHeader(name: ""), contentsSize: 3_200_000, isSingle: true)?.chunkSizes == [1 << 22]
        )
    }
}
