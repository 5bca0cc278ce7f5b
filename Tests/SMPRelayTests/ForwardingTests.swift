import SMP
import SMPRelay
import SimpleXCrypto
import TestSupport
import Testing

@Suite("Relay: commands forwarded by a proxy", .socketTimeLimit)
struct ForwardingTests {
    /// A proxy and a sender behind it.
    private struct ProxiedSender {
        let client: RawClient
        let version: SMPVersion
        let (relayKey, proxySecret): (X25519.PublicKey, X25519.SharedSecret)

        init(_ relay: TestRelay, version: UInt16 = 10) async throws {
            client = try await RawClient(relay.relay.address, version: version)
            self.version = SMPVersion(version)
            let keys = try #require(client.keys)
            (relayKey, proxySecret) = (keys.relay, try keys.own.sharedSecret(with: keys.relay))
        }

        /// Sends a command through the proxy, and returns the answer.
        func send(
            _ command: ClientCommand,
            to sndID: [UInt8],
            key: AuthorizationPrivateKey? = nil
        ) async throws -> BrokerMessage {
            let session = SessionParameters(version: version, sessionID: try #require(client.parameters).sessionID)
            let (corrID, proxyCorrID) = (RandomBytes.make(count: 24), RandomBytes.make(count: 24))
            let senderKey = try X25519.PrivateKey()
            let secret = try senderKey.sharedSecret(with: relayKey)
            let content = try TransmissionContent(command, corrID: corrID, entityID: sndID, session: session)
            let authorization = try key.map {
                try content.makeAuthorization(by: $0, corrID: corrID, serverKey: relayKey)
            }
            guard
                case .block(let batch, _)? = TransmissionBatch.splitIntoBlocks([
                    content.encodeTransmission(authorization: authorization ?? [])
                ]).first
            else {
                throw UnexpectedAnswer(answer: .pong)
            }
            var layer = ByteWriter()
            layer.writeShortBytes(corrID)
            layer.writeValue(version)
            layer.writeValue(senderKey.publicKey)
            layer.writeRaw(try CryptoBox.seal(batch, secret: secret, nonce: BoxNonce(padding: corrID), paddedTo: 16226))
            let encForward = try CryptoBox.seal(
                try layer.finish(),
                secret: proxySecret,
                nonce: BoxNonce(padding: proxyCorrID)
            )
            let answer = try await self.sendForwarded(encForward, corrID: proxyCorrID)
            guard case .rres(let encResponse) = answer else { throw UnexpectedAnswer(answer: answer) }
            var reader = ByteReader(
                try CryptoBox.open(
                    encResponse,
                    secret: proxySecret,
                    nonce: BoxNonce(padding: proxyCorrID).reversed,
                    padded: false
                )
            )
            #expect(try reader.readShortBytes() == corrID)
            let response = try CryptoBox.open(
                reader.readRest(),
                secret: secret,
                nonce: BoxNonce(padding: corrID).reversed
            )
            let transmission = try ReceivedTransmission(
                parsing: try #require(try TransmissionBatch.parseTransmissions(response).first),
                session: session
            )
            #expect(transmission.corrID == corrID && transmission.entityID == sndID)
            return try transmission.parseBrokerMessage()
        }

        func sendForwarded(_ encForward: [UInt8], corrID: [UInt8]) async throws -> BrokerMessage {
            try await client.sendTransmission([0, 24] + corrID + [0] + Array("RFWD ".utf8) + encForward)
            let answer = try await client.receiveAnswer()
            #expect(answer.corrID == corrID)
            return answer.message
        }
    }

    @Test(arguments: UInt16(9)...10)
    func `A sender secures a queue on a relay and sends a message through a proxy`(version: UInt16) async throws {
        try await withRelay { relay in
            let recipient = try await relay.connect()
            let queue = try await recipient.createQueue()
            let sender = try await ProxiedSender(relay, version: version)
            #expect(try await sender.send(.skey(queue.sndKey.publicKey), to: queue.sndID, key: queue.sndKey) == .ok)
            let body = RandomBytes.make(count: 16048)
            #expect(try await sender.send(.send(.none, body: body), to: queue.sndID, key: queue.sndKey) == .ok)
            guard case .message(_, _, let received) = try await recipient.nextMessage(queue).body else {
                throw UnexpectedAnswer(answer: .ok)
            }
            #expect(received == body)
        }
    }

    @Test
    func `In forwarded commands, a wrong key gets AUTH, and a command of a recipient is prohibited`()
        async throws
    {
        try await withRelay { relay in
            let queue = try await relay.connect().createQueue()
            let sender = try await ProxiedSender(relay)
            #expect(try await sender.send(.send(.none, body: [1]), to: queue.sndID, key: queue.sndKey) == .err(.auth))
            #expect(try await sender.send(.send(.none, body: [1]), to: RandomBytes.make(count: 24)) == .err(.auth))
            #expect(try await sender.send(.sub, to: queue.rcvID, key: queue.rcvKey) == .err(.cmd(.prohibited)))
        }
    }

    @Test
    func `A malformed forwarded block gets the relay's error CRYPTO or CMD SYNTAX`() async throws {
        try await withRelay { relay in
            let proxy = try await ProxiedSender(relay)
            let corrID = RandomBytes.make(count: 24)
            #expect(try await proxy.sendForwarded(RandomBytes.make(count: 500), corrID: corrID) == .err(.crypto))
            let nonsense = try CryptoBox.seal([1, 2, 3], secret: proxy.proxySecret, nonce: BoxNonce(padding: corrID))
            #expect(try await proxy.sendForwarded(nonsense, corrID: corrID) == .err(.cmd(.syntax)))
        }
    }
}
