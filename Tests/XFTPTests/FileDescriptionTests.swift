import SMP
import SimpleXCrypto
import Testing
import TestSupport

@testable import XFTP

/// Tests with the vectors in xftp.json: valid and invalid texts and links of file descriptions.
struct FileDescriptionTests {
    let vectors: Vector

    init() throws { vectors = try Vector.readFile("xftp") }

    /// Makes the description from the fields of a vector.
    private func readDescription(_ vector: Vector) throws -> FileDescription {
        let redirect = try vector.has("redirect") ? vector.object("redirect") : nil
        return FileDescription(
            party: try #require(FileDescription.Party(rawValue: vector.text("party"))),
            size: Int64(try vector.int("size")),
            digest: try vector.bytes("digest"),
            key: try SymmetricKey(rawRepresentation: vector.bytes("key")),
            nonce: try BoxNonce(rawRepresentation: vector.bytes("nonce")),
            chunkSize: try vector.int("chunkSize"),
            chunks: try vector.list("chunks").map { chunk in
                FileDescription.Chunk(
                    number: try chunk.int("chunkNo"),
                    size: try chunk.int("chunkSize"),
                    digest: try chunk.bytes("digest"),
                    replicas: try chunk.list("replicas").map {
                        FileDescription.Replica(
                            server: try ProtocolServer(parsing: $0.text("server")),
                            id: try $0.bytes("replicaId"),
                            key: try AuthorizationPrivateKey(pkcs8: $0.bytes("replicaKeyPkcs8"))
                        )
                    }
                )
            },
            redirect: try redirect.map {
                FileDescription.Redirect(size: Int64(try $0.int("size")), digest: try $0.bytes("digest"))
            }
        )
    }

    @Test
    func `A file description is written as in simplexmq and read back`() throws {
        for vector in try vectors.list("descriptions") {
            let made = try readDescription(vector.object("description"))
            #expect(try made.text == vector.text("yaml"))
            #expect(try FileDescription(parsing: vector.text("yaml")) == made)
        }
    }

    @Test
    func `File descriptions are accepted or refused as in simplexmq`() throws {
        for vector in try vectors.list("descriptionParsing") {
            let parsed = try? FileDescription(parsing: vector.text("yaml"))
            let result = try vector.object("result")
            if result.has("description") {
                #expect(try parsed == readDescription(result.object("description")))
            } else {
                #expect(parsed == nil)
            }
        }
    }

    @Test(arguments: [0, 1])
    func `A file description with a wrong total size or wrong chunk numbers is refused`(index: Int) throws {
        let vector = try vectors.list("invalidDescriptions")[index]
        let error: FileDescriptionError = index == 0 ? .wrongTotalSize : .wrongChunkNumbers
        #expect(try vector.text("valid") == error.description)
        #expect(throws: error) { try FileDescription(parsing: vector.text("yaml")) }
        #expect(throws: error) { try readDescription(vector.object("description")).validate() }
    }

    @Test
    func `Links to file descriptions are parsed and written as in simplexmq`() throws {
        let descriptions = Dictionary(
            uniqueKeysWithValues: try vectors.list("descriptions").map { (try $0.text("name"), $0) }
        )
        for vector in try vectors.list("uris") {
            let link = try FileDescriptionURI(parsing: vector.text("uri"))
            #expect(try link.text == vector.text("uri"))
            #expect(link.clientData == vector.optionalText("clientData"))
            let name = try vector.text("description")
            #expect(try link.fileDescription == readDescription(try #require(descriptions[name]).object("description")))
        }
        #expect(FileDescriptionURI.maxQRCodeLength == (try vectors.int("qrSizeLimit")))
    }

    @Test(arguments: [
        "", "simplex:", "simplex:/file", "simplex:/file#/?", "simplex:/file#/?desc=", "simplex:/file#/?desc=%FF",
        "https:///file#/?desc=x", "http://a/file#/?desc=x",
    ])
    func `A malformed link to a file description is refused`(text: String) {
        #expect(throws: FileDescriptionError.self) { try FileDescriptionURI(parsing: text) }
    }

    @Test
    func `A link that contains a sender's file description is refused`() throws {
        let sender = try readDescription(try vectors.list("descriptions")[1].object("description"))
        #expect(sender.party == .sender)
        #expect(throws: FileDescriptionError.wrongParty) {
            try FileDescriptionURI(parsing: FileDescriptionURI(fileDescription: sender).text)
        }
    }

    @Test
    func `File sizes in file descriptions are written and parsed as in simplexmq`() throws {
        for vector in try vectors.list("fileSizes") {
            #expect(FileSizeText.format(Int64(try vector.int("bytes"))) == (try vector.text("str")))
        }
        for vector in try vectors.list("fileSizeParsing") {
            #expect(FileSizeText.parse(try vector.text("str")).map { Int($0) } == vector.optionalInt("bytes"))
        }
        for text in ["99999999999999999999", "9223372036854775807kb", "-1", "+1", " 1", "1 kb"] {
            #expect(FileSizeText.parse(text) == nil)
        }
    }

    /// A valid description, which tests change.
    private func validDescription() throws -> FileDescription {
        try readDescription(try vectors.list("descriptions")[2].object("description"))
    }

    @Test
    func `A file description that exceeds a limit is refused with the error for this limit`() throws {
        func error(_ change: (inout FileDescription) throws -> Void) throws -> FileDescriptionError? {
            var description = try validDescription()
            try change(&description)
            let text = description.text
            do throws(FileDescriptionError) { try description.validate() } catch {
                #expect(throws: FileDescriptionError.self) { try FileDescription(parsing: text) }
                return error
            }
            return nil
        }
        #expect(try error { _ in } == nil)
        #expect(try error { $0.digest.removeLast() } == .digest)
        #expect(try error { $0.chunks[2].digest.append(1) } == .digest)
        #expect(try error { $0.chunks = [] } == .wrongTotalSize)
        #expect(try error { $0.size += 1 } == .wrongTotalSize)
        #expect(try error { $0.chunks[1].number = 3 } == .wrongChunkNumbers)
        #expect(try error { $0.chunks.removeFirst() } == .wrongChunkNumbers)
        #expect(try error { $0.chunks[0].replicas = [] } == .wrongReplicaCount)
        #expect(
            try error { $0.chunks[0].replicas = Array(repeating: $0.chunks[0].replicas[0], count: 9) }
                == .wrongReplicaCount
        )
        #expect(
            try error {
                $0.chunks[0].size = (1 << 22) + 1
                $0.size += 1
            } == .chunkSize
        )
        #expect(
            try error {
                $0.chunks[3].size = 0
                $0.size -= 65536
            } == .chunkSize
        )
        #expect(
            try error {
                $0.chunks = Array(repeating: $0.chunks[0], count: 4097)
            } == .tooLarge
        )
        #expect(
            try error {
                for number in 1...1281 {
                    $0.chunks.append(
                        FileDescription.Chunk(
                            number: 4 + number,
                            size: 1 << 22,
                            digest: $0.chunks[0].digest,
                            replicas: $0.chunks[0].replicas
                        )
                    )
                }
                $0.size += 1281 << 22
            } == .tooLarge
        )
        #expect(try error { $0.redirect = FileDescription.Redirect(size: 1000, digest: [1]) } == .digest)
        #expect(
            try error { $0.redirect = FileDescription.Redirect(size: (5 << 30) + 1, digest: $0.digest) } == .tooLarge
        )
        #expect(throws: FileDescriptionError.tooLarge) {
            try FileDescription(parsing: String(repeating: "#\n", count: 1 << 20))
        }
    }

    @Test
    func `A file description in an unusual valid YAML form is read, and malformed YAML is refused`() throws {
        let text = try validDescription().text
        let size = "size: 8512kb"
        for (from, to) in [
            ("party: recipient", "party: \"recipient\"  # of the file"), ("party: recipient", "party: 'recipient'"),
            ("- chunks:", "\n# places\n- chunks:"),
            ("chunkSize", "---\nchunkSize"), (size, size + "\n...\nrest"),
            ("replicas:\n- chunks", "unknown:\n  a: [1]\nreplicas:\n- chunks"),
        ] {
            let other = text.replacing(from, with: to)
            if to.contains("[1]") {
                #expect(throws: FileDescriptionError.self) { try FileDescription(parsing: other) }
            } else {
                #expect(try FileDescription(parsing: other) == validDescription())
            }
        }
        let indented = text.split(separator: "\n").map { line in
            line.hasPrefix("- ") || line.hasPrefix("  ") ? "    " + line : String(line)
        }
        #expect(try FileDescription(parsing: indented.joined(separator: "\r\n")) == validDescription())
        for (from, to) in [
            ("party: recipient", "party: recipient\nparty: recipient"), ("party: recipient", "party: *a"),
            ("party: recipient", "party:\trecipient"),
            (size, "size: '8512kb"), (size, "  size: 8512kb"), (size, "size: |\n 8512kb"),
            ("- chunks:", "- - - - - - - - - - chunks:"), (":443", ":443x"),
            ("xftp://", "smp://"), ("=@xftp1", "=:password@xftp1"), ("  - 2:", "  - 2x:"), ("  - 2:", "  - 0:"),
            ("  - 2:", "  - 99999999999999999999:"),
            (":256kb", ":256kb:256kb"), (":256kb", ":255kb"),
        ] {
            #expect(throws: FileDescriptionError.self, "\(to)") {
                try FileDescription(parsing: text.replacing(from, with: to))
            }
        }
    }

    @Test
    func `A changed file description or link causes an error, or is parsed to a value that can be written`() throws {
        let seeds =
            try vectors.list("descriptions").map { Array(try $0.text("yaml").utf8) } + [
                Array("a:\n- b\n- - c\n  d: 'e'\n".utf8)
            ]
        for seed in seeds {
            for mutation in makeMutations(of: seed, count: 400) {
                let text = String(decoding: mutation, as: UTF8.self)
                guard let description = try? FileDescription(parsing: text) else { continue }
                try description.validate()
                #expect(try FileDescription(parsing: description.text) == description)
            }
        }
        for seed in try vectors.list("uris") {
            for mutation in makeMutations(of: Array(try seed.text("uri").utf8), count: 100) {
                guard let link = try? FileDescriptionURI(parsing: String(decoding: mutation, as: UTF8.self)) else {
                    continue
                }
                #expect(try FileDescriptionURI(parsing: link.text) == link)
            }
        }
    }
}
