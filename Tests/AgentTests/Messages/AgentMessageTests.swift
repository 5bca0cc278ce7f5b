import SMP
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent

@Suite struct AgentMessageTests {
    @Test
    func `Agent envelopes are encoded to the bytes of the original, and decoded from them`() throws {
        for vector in try Vector.readFile("agent-messages").list("envelopes") {
            let envelope = try vector.agentEnvelope()
            #expect(try envelope.encoded().hex == vector.text("hex"))
            #expect(try AgentEnvelope(parsing: vector.bytes("hex")) == envelope)
        }
    }

    @Test
    func `Inner agent messages, without header, are encoded to the bytes of the original`() throws {
        for vector in try Vector.readFile("agent-messages").list("aMessages") {
            #expect(try vector.aMessage().encoded().hex == vector.text("hex"))
            // Some queues cannot express their mode, so the test compares the bytes.
            #expect(try AMessage(parsing: vector.bytes("hex")).encoded().hex == vector.text("hex"))
        }
    }

    @Test
    func `Agent messages with headers have the bytes and hashes of the original`() throws {
        for vector in try Vector.readFile("agent-messages").list("agentMessages") {
            let encoded = try vector.agentMessage().encoded()
            #expect(encoded.hex == (try vector.text("hex")))
            #expect(Digest.sha256(encoded).hex == (try vector.text("sha256")))
            #expect(try AgentMessage(parsing: encoded).encoded() == encoded)
        }
    }

    @Test
    func `Headers of agent messages have the bytes of the original`() throws {
        for vector in try Vector.readFile("agent-messages").list("privHeaders") {
            let header = try vector.messageHeader()
            #expect(try header.smpEncoded().hex == vector.text("hex"))
            #expect(try AgentMessageHeader(smpEncoded: vector.bytes("hex")) == header)
        }
    }

    @Test
    func `Agent messages from arbitrary bytes are accepted or refused as in the original`() throws {
        for vector in try Vector.readFile("agent-messages").list("parsing") {
            let input = try vector.bytes("hex")
            let accepted = (try? AgentMessage(parsing: input)) != nil
            #expect(try accepted == vector.bool("accepted"), "\(input.hex)")
        }
    }

    @Test
    func `Agent messages are padded to the lengths of the original at every version, with and without PQ support`()
        throws
    {
        for vector in try Vector.readFile("agent-messages").list("paddedLengths") {
            let (version, pq) = (UInt16(try vector.int("agentVersion")), try vector.bool("pqSupport"))
            #expect(try AgentPadding.connInfoLength(agentVersion: version, pq: pq) == vector.int("connInfo"))
            #expect(try AgentPadding.messageLength(agentVersion: version, pq: pq) == vector.int("agentMessage"))
        }
    }

    @Test
    func `A value of an agent message that is too long for its length field causes an error`() {
        let header = AgentMessageHeader(sndMsgId: 1, prevMsgHash: [UInt8](repeating: 0, count: 256))
        #expect(throws: SMPEncodingError.tooLong) { try AgentMessage.message(header, .hello).encoded() }
        #expect(throws: SMPEncodingError.emptyList) { try AMessage.receipts([]).encoded() }
        #expect(throws: SMPEncodingError.emptyList) {
            try AgentMessage.connInfoReply(queues: [], connInfo: []).encoded()
        }
    }

    @Test
    func `An agent envelope that contains an address instead of an invitation is refused`() throws {
        let links = try Vector.readFile("connection-links").list("fullLinks").map { try $0.text("uri") }
        let address = try ConnectionRequest(parsing: #require(links.first { $0.hasPrefix("simplex:/contact") }))
        let bytes = try AgentEnvelope.invitation(agentVersion: 7, request: address, connInfo: []).encoded()
        #expect(throws: SMPEncodingError.self) { try AgentEnvelope(parsing: bytes) }
    }

    @Test
    func `A damaged agent message causes an error, or is read as a different valid message`() throws {
        for vector in try Vector.readFile("agent-messages").list("agentMessages") {
            for input in makeMutations(of: try vector.bytes("hex"), count: 40) {
                guard let message = try? AgentMessage(parsing: input) else { continue }
                let encoded = try message.encoded()
                #expect(try AgentMessage(parsing: encoded).encoded() == encoded)
            }
        }
    }

    @Test
    func `A damaged agent envelope causes an error, or is read as a different valid envelope`() throws {
        for vector in try Vector.readFile("agent-messages").list("envelopes") {
            for input in makeMutations(of: try vector.bytes("hex"), count: 40) {
                guard let envelope = try? AgentEnvelope(parsing: input) else { continue }
                let encoded = try envelope.encoded()
                #expect(try AgentEnvelope(parsing: encoded).encoded() == encoded)
            }
        }
    }
}
