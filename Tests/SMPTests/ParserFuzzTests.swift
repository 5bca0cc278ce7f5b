import SMP
import SimpleXCrypto
import Testing
import TestSupport

/// Parsers return a value or a typed error for any bytes. An accepted value is encoded and parsed again.
struct ParserFuzzTests {
    private static let session = SessionParameters(version: SMPVersion(11), sessionID: [1, 2, 3])

    /// Random inputs, and mutations of well-formed inputs.
    private static func makeInputs(_ seeds: [[UInt8]]) -> [[UInt8]] {
        var random = SeededRandom(seed: 11)
        let noise = (0..<300).map { random.randomBytes($0) }
        return noise + seeds.flatMap { makeMutations(of: $0, count: 40) }
    }

    @Test
    func `Every SMP command that the parser accepts can be encoded and parsed to the same command`() throws {
        var seeds: [[UInt8]] = []
        for vector in try Fixture.readVectors("smp-commands").list("commands") {
            for encoding in try vector.list("encodings") { seeds.append(try encoding.bytes("hex")) }
        }
        for input in Self.makeInputs(seeds) {
            for number in [6, 9, 15, 17, 18, 19, 20] as [UInt16] {
                let version = SMPVersion(number)
                guard let command = try? ClientCommand(parsing: input, version: version) else { continue }
                var writer = ByteWriter()
                command.encode(to: &writer, version: version)
                let written = try writer.finish()
                #expect(try ClientCommand(parsing: written, version: version) == command)
            }
        }
    }

    @Test
    func `Every SMP answer that the parser accepts can be encoded and parsed again unchanged`() throws {
        var seeds: [[UInt8]] = [
            Array("ERR PROXY PROTOCOL PROXY PROTOCOL PROXY PROTOCOL PROXY PROTOCOL PROXY PROTOCOL AUTH".utf8)
        ]
        for vector in try Fixture.readVectors("smp-commands").list("brokerMessages") {
            for encoding in try vector.list("encodings") { seeds.append(try encoding.bytes("hex")) }
        }
        for input in Self.makeInputs(seeds) {
            for number in [6, 9, 15, 17, 18, 19, 20] as [UInt16] {
                guard let message = try? BrokerMessage(parsing: input, version: SMPVersion(number)) else { continue }
                var writer = ByteWriter()
                message.encode(to: &writer, version: SMPVersion(number))
                let written = try writer.finish()
                // An older version cannot encode all fields of a message.
                let again = try BrokerMessage(parsing: written, version: SMPVersion(number))
                var secondWriter = ByteWriter()
                again.encode(to: &secondWriter, version: SMPVersion(number))
                #expect(try secondWriter.finish() == written)
            }
            if let text = String(validating: input, as: UTF8.self) { _ = try? SMPErrorType(parsing: text) }
        }
    }

    @Test
    func `An SMP error that is nested 100,000 levels deep is refused`() {
        let text = String(repeating: "PROXY PROTOCOL ", count: 100_000) + "AUTH"
        #expect((try? SMPErrorType(parsing: text)) == nil)
    }

    @Test
    func `Every batch and transmission that the parser accepts can be encoded and parsed unchanged`() throws {
        let content = try TransmissionContent(
            .send(.none, body: [1, 2, 3]),
            corrID: [UInt8](repeating: 1, count: 24),
            entityID: [5],
            session: Self.session
        )
        let seed = content.encodeTransmission(authorization: [UInt8](repeating: 2, count: 64))
        let batch = try #require(Self.makeBlock(of: [seed, seed]))
        var commands = 0
        for input in Self.makeInputs([batch]) {
            guard let parts = try? TransmissionBatch.parseTransmissions(input) else { continue }
            #expect(Self.makeBlock(of: parts.map { Array($0) }) == input)
            for part in parts {
                guard let received = try? ReceivedTransmission(parsing: part, session: Self.session) else { continue }
                _ = try? received.parseBrokerMessage()
                _ = received.authorizedBytes
                guard let command = try? received.parseClientCommand() else { continue }
                commands += 1
                let content = try TransmissionContent(
                    command,
                    corrID: received.corrID,
                    entityID: received.entityID,
                    session: Self.session
                )
                let again = try ReceivedTransmission(
                    parsing: content.encodeTransmission(
                        authorization: received.authorization == nil ? [] : [UInt8](repeating: 2, count: 64)
                    )[...],
                    session: Self.session
                )
                #expect(try again.parseClientCommand() == command)
                #expect(again.corrID == received.corrID && again.entityID == received.entityID)
            }
        }
        #expect(commands > 10)
    }

    /// The transmissions as the content of one block.
    private static func makeBlock(of transmissions: [[UInt8]]) -> [UInt8]? {
        guard case .block(let block, _) = TransmissionBatch.splitIntoBlocks(transmissions).first else { return nil }
        return block
    }

    @Test
    func `Random bytes do not crash the parsers of SMP hellos, service responses and certificates`() throws {
        let vectors = try Fixture.readVectors("handshake")
        let key = try X25519.PrivateKey()
        let client = ClientHandshake(sessionID: [1], keyHash: [2], leafCertificate: nil, key: key)
        var seeds: [[UInt8]] = []
        for session in try vectors.list("sessions").prefix(3) + vectors.list("sessions").suffix(3) {
            for message in try session.list("serverMessages") + session.list("clientMessages") {
                seeds.append(try message.bytes("hex"))
            }
        }
        let chain = try CertificateChainKey(smpEncoded: vectors.object("certChainPubKey").bytes("ed448"))
        let server = ServerHandshake(sessionID: [1], keyHash: [2], certificateKey: chain, key: key)
        for input in Self.makeInputs(seeds) {
            _ = try? client.makeClientHello(serverHello: input)
            _ = try? server.acceptClientHello(clientHello: input)
            _ = try? ServiceHandshakeResponse(smpEncoded: input)
        }
        for input in Self.makeInputs(chain.certificates) { _ = try? SignaturePublicKey(certificate: input) }
    }

    @Test
    func `Every envelope and client message that the parser accepts can be encoded to the same bytes`() throws {
        let body = try RcvMessageBody.message(timestamp: 1, flags: .none, body: [1, 2]).smpEncoded()
        let quota = try RcvMessageBody.quota(timestamp: 1).smpEncoded()
        let envelope = try ClientMessageEnvelope(
            header: .init(clientVersion: 4, dhKey: X25519.PrivateKey().publicKey),
            nonce: .random(),
            encBody: [1, 2, 3]
        ).smpEncoded()
        let message = try ClientMessage(
            header: .confirmation(.x25519(X25519.PrivateKey().publicKey)),
            body: [7]
        ).smpEncoded()
        for input in Self.makeInputs([body, quota, envelope, message]) {
            if let parsed = try? RcvMessageBody(smpEncoded: input) { _ = try parsed.smpEncoded() }
            if let parsed = try? ClientMessageEnvelope(smpEncoded: input) { #expect(try parsed.smpEncoded() == input) }
            if let parsed = try? ClientMessage(smpEncoded: input) { #expect(try parsed.smpEncoded() == input) }
        }
    }

    @Test
    func `Every forwarded command or response that the parser accepts can be encoded to the same bytes`() throws {
        let (key, corrID) = (try X25519.PrivateKey().publicKey, [UInt8](repeating: 1, count: 24))
        let forward = ForwardedTransmission(
            corrID: corrID,
            version: SMPVersion(17),
            key: key,
            encTransmission: [1, 2, 3]
        )
        let response = ForwardedResponse(corrID: corrID, encResponse: [4, 5])
        let meta = NotificationMeta(messageID: corrID, timestamp: 1_700_000_000)
        for input in Self.makeInputs([try forward.smpEncoded(), try response.smpEncoded(), try meta.smpEncoded()]) {
            if let forward = try? ForwardedTransmission(smpEncoded: input) {
                #expect(try forward.smpEncoded() == input)
            }
            if let response = try? ForwardedResponse(smpEncoded: input) { #expect(try response.smpEncoded() == input) }
            if let meta = try? NotificationMeta(smpEncoded: input) { #expect(try meta.smpEncoded() == input) }
            _ = try? ServiceHandshakeResponse(smpEncoded: input)
        }
    }

    @Test
    func `Every server address that the parser accepts can be written and parsed to the same address`() {
        let seeds = [
            "smp://AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=:pw@smp.example.com,[2001:db8::1],a.onion,1.2.3.4:5223",
            "6-17", "99999999999999999999999-1",
        ]
        for input in Self.makeInputs(seeds.map { Array($0.utf8) }) {
            guard let text = String(validating: input, as: UTF8.self) else { continue }
            _ = try? ProtocolVersionRange(parsing: text)
            guard let server = try? ProtocolServer(parsing: text) else { continue }
            _ = server.portNumber
            if server.hosts.allSatisfy({ if case .ipv6 = $0 { false } else { true } }) {
                #expect((try? ProtocolServer(parsing: server.str)) == server)
            }
        }
    }
}
