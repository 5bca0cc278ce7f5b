import Testing

@testable import ComparedProtocols

@Suite struct WriteRequestTests {
    private let payload = Array("it's\r\n".utf8)

    @Test func `A Redis request is an array of strings with their lengths`() {
        #expect(
            RedisProtocol().makeWriteRequest(payload)
                == Array("*3\r\n$5\r\nRPUSH\r\n$5\r\nnotes\r\n$6\r\nit's\r\n\r\n".utf8)
        )
    }

    @Test func `A PostgreSQL request binds the payload, executes the statement and ends the transaction`() {
        #expect(
            PostgresProtocol(user: "sxgw", database: "postgres").makeWriteRequest(payload)
                == [0x42, 0, 0, 0, 26, 0] + Array("note\0".utf8) + [0, 0, 0, 1, 0, 0, 0, 6] + payload + [0, 0]
                + [0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0] + [0x53, 0, 0, 0, 4]
        )
    }

    @Test func `A NATS request names the inbox and the size of the payload`() {
        #expect(
            NATSProtocol(clientID: 7).makeWriteRequest(payload) == Array("PUB notes _INBOX.7 6\r\nit's\r\n\r\n".utf8)
        )
    }

    @Test(arguments: [(0, [11]), (116, [127]), (117, [0x80, 1]), (16_372, [0xff, 0x7f]), (16_373, [0x80, 0x80, 1])])
    func `The length field of an MQTT packet has seven bits in each byte`(size: Int, length: [UInt8]) {
        let request = MQTTProtocol(clientID: 7).makeWriteRequest([UInt8](repeating: 0x61, count: size))
        // The topic has seven bytes with a length before it, and the packet identifier has two.
        #expect(Array(request.prefix(1 + length.count)) == [0x33] + length)
        #expect(request.count == 1 + length.count + 11 + size)
    }
}
