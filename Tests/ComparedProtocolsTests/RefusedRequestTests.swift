import Testing

@testable import ComparedProtocols

@Suite struct RefusedRequestTests {
    @Test func `A Redis answer that begins with '-' is thrown as a refusal with its text`() {
        #expect(throws: AnswerError.refused("MISCONF no disk")) {
            try RedisProtocol().measureAnswer(Array("-MISCONF no disk\r\n".utf8))
        }
    }

    @Test func `A PostgreSQL error answer is thrown as a refusal with its text`() {
        let fields = Array("SERROR\0C53100\0Mno space left on device\0\0".utf8)
        #expect(throws: AnswerError.refused("no space left on device")) {
            try makePostgres().measureAnswer([0x45, 0, 0, 0, UInt8(fields.count + 4)] + fields)
        }
    }

    @Test func `A PostgreSQL answer that requires a password is thrown as a refusal`() {
        #expect(throws: AnswerError.refused("a password is needed")) {
            try makePostgres().measureAnswer([0x52, 0, 0, 0, 8, 0, 0, 0, 3])
        }
    }

    @Test(arguments: [[0x5a, 0, 0, 0, 3], [0x5a, 0xff, 0xff, 0xff, 0xff], [0x44, 0, 1, 0, 1]] as [[UInt8]])
    func `A PostgreSQL message with an impossible length is reported as malformed`(bytes: [UInt8]) {
        #expect(throws: AnswerError.malformed) { try makePostgres().measureAnswer(bytes) }
    }

    @Test func `An error answer of JetStream is thrown as a refusal`() {
        let body = #"{"error":{"code":503,"description":"insufficient storage"},"seq":0}"#
        #expect(throws: AnswerError.refused(body)) {
            try NATSProtocol(clientID: 1).measureAnswer(Array("MSG _INBOX.1 1 \(body.utf8.count)\r\n\(body)\r\n".utf8))
        }
    }

    @Test func `An error answer of the NATS server is thrown as a refusal`() {
        #expect(throws: AnswerError.refused("-ERR 'Authorization Violation'")) {
            try NATSProtocol(clientID: 1).measureAnswer(Array("-ERR 'Authorization Violation'\r\n".utf8))
        }
    }

    @Test(arguments: [
        "MSG\r\n", "MSG _INBOX.1 1 -2\r\n", "MSG _INBOX.1 1 99999999999999999999\r\n", "MSG _INBOX.1 1 65537\r\n",
        "MSG _INBOX.1 1 2\r\n{}xx", "MSG _INBOX.1 1 2\r\n{]\r\n", "\r\n",
    ])
    func `A NATS message with a wrong size or body is reported as malformed`(text: String) {
        #expect(throws: AnswerError.malformed) { try NATSProtocol(clientID: 1).measureAnswer(Array(text.utf8)) }
    }

    @Test func `An MQTT CONNACK with an error code is thrown as a refusal`() {
        #expect(throws: AnswerError.refused("CONNACK with code 5")) {
            try MQTTProtocol(clientID: 1).measureAnswer([0x20, 2, 0, 5])
        }
    }

    @Test(arguments: [[0x40, 2, 0, 2], [0x40, 3], [0x30, 2, 0, 1], [0x20, 0x82, 1, 0]] as [[UInt8]])
    func `An MQTT packet that acknowledges no packet of the client is reported as malformed`(bytes: [UInt8]) {
        #expect(throws: AnswerError.malformed) { try MQTTProtocol(clientID: 1).measureAnswer(bytes) }
    }

    private func makePostgres() -> PostgresProtocol { PostgresProtocol(user: "sxgw", database: "postgres") }
}
