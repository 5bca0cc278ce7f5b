import Testing

@testable import ComparedProtocols

/// Answers as the servers send them: Redis 7.0, PostgreSQL 15, NATS 2.10 and mosquitto 2.0.
private struct RecordedAnswer: Sendable, CustomTestStringConvertible {
    var name: String
    var serverProtocol: any RequestProtocol
    var bytes: [UInt8]
    var testDescription: String { name }

    static let answers = [
        RecordedAnswer(name: "Redis", serverProtocol: RedisProtocol(), bytes: Array(":12\r\n".utf8)),
        RecordedAnswer(
            name: "PostgreSQL",
            serverProtocol: PostgresProtocol(user: "sxgw", database: "postgres"),
            bytes: [0x32, 0, 0, 0, 4, 0x43, 0, 0, 0, 15] + "INSERT 0 1\0".utf8 + [0x5a, 0, 0, 0, 5, 0x49]
        ),
        RecordedAnswer(
            name: "PostgreSQL, opening",
            serverProtocol: PostgresProtocol(user: "sxgw", database: "postgres"),
            bytes: [0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x53, 0, 0, 0, 25] + "server_encoding\0UTF8\0".utf8
                + [0x5a, 0, 0, 0, 5, 0x49]
        ),
        RecordedAnswer(
            name: "NATS",
            serverProtocol: NATSProtocol(clientID: 7),
            bytes: Array("PING\r\nMSG _INBOX.7 1 27\r\n{\"stream\":\"notes\", \"seq\":1}\r\n".utf8)
        ),
        RecordedAnswer(
            name: "NATS, opening",
            serverProtocol: NATSProtocol(clientID: 7),
            bytes: Array("INFO {\"version\":\"2.10.27\",\"jetstream\":true} \r\nPONG\r\n".utf8)
        ),
        RecordedAnswer(name: "mosquitto", serverProtocol: MQTTProtocol(clientID: 7), bytes: [0x40, 2, 0, 1]),
        RecordedAnswer(name: "mosquitto, opening", serverProtocol: MQTTProtocol(clientID: 7), bytes: [0x20, 2, 0, 0]),
    ]
}

@Suite struct RequestProtocolTests {
    @Test(arguments: RecordedAnswer.answers)
    private func `An answer of Redis, PostgreSQL, NATS or MQTT is complete only with its last byte`(
        answer: RecordedAnswer
    ) throws {
        for length in answer.bytes.indices {
            #expect(try answer.serverProtocol.measureAnswer(Array(answer.bytes.prefix(length))) == nil)
        }
        #expect(try answer.serverProtocol.measureAnswer(answer.bytes) == answer.bytes.count)
    }

    @Test(arguments: RecordedAnswer.answers)
    private func `The bytes after an answer of Redis, PostgreSQL, NATS or MQTT are kept for the next answer`(
        answer: RecordedAnswer
    ) throws {
        var bytes = answer.bytes + answer.bytes
        #expect(try answer.serverProtocol.removeAnswer(from: &bytes))
        #expect(bytes == answer.bytes)
    }

    @Test(arguments: RecordedAnswer.answers)
    private func `An HTTP answer is reported as malformed by Redis, PostgreSQL, NATS and MQTT clients`(
        answer: RecordedAnswer
    ) {
        #expect(throws: AnswerError.malformed) {
            try answer.serverProtocol.measureAnswer(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        }
    }

    @Test(arguments: RecordedAnswer.answers)
    private func `If a byte of an answer is changed, the computed answer length does not exceed the received bytes`(
        answer: RecordedAnswer
    ) {
        for index in answer.bytes.indices {
            for value in [UInt8(0), 0x0a, 0x2d, 0x39, 0x7f, 0x80, 0xff] {
                var bytes = answer.bytes
                bytes[index] = value
                let length = try? answer.serverProtocol.measureAnswer(bytes)
                #expect((length ?? 0) <= bytes.count)
            }
        }
    }

    @Test func `An answer of Redis without an end is refused at the size limit`() throws {
        let redis = RedisProtocol()
        var bytes = [UInt8(ascii: "+")] + [UInt8](repeating: 0x61, count: AnswerError.maxAnswerBytes - 1)
        #expect(try !redis.removeAnswer(from: &bytes))
        bytes.append(0x61)
        #expect(throws: AnswerError.answerTooLong) { try redis.removeAnswer(from: &bytes) }
    }

    @Test func `The reason in an error answer of Redis is cut at the size limit`() {
        let line = "-ERR " + String(repeating: "x", count: 2 * AnswerError.maxReasonBytes) + "\r\n"
        let reason = String(line.dropFirst().prefix(AnswerError.maxReasonBytes))
        #expect(throws: AnswerError.refused(reason)) { try RedisProtocol().measureAnswer(Array(line.utf8)) }
    }
}
