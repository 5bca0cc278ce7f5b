/// The requests and answers of a server's protocol that a measurement needs. A connection has one request at a time,
/// and each request has one answer.
package protocol RequestProtocol: Sendable {
    /// The requests that open a connection. Each is sent after the answer to the request before it.
    var openingRequests: [[UInt8]] { get }

    /// Makes a request that stores `payload` on the disk.
    func makeWriteRequest(_ payload: [UInt8]) -> [UInt8]

    /// Returns the length of the answer at the beginning of `bytes`; nil while the answer is incomplete.
    func measureAnswer(_ bytes: [UInt8]) throws(AnswerError) -> Int?
}

/// The reasons why an answer of a server does not count as success.
package enum AnswerError: Error, Equatable, CustomStringConvertible {
    /// The server has refused the request. The text is the server's reason, cut to ``maxReasonBytes``.
    case refused(String)
    /// The bytes do not follow the protocol, or are an answer that no measured request can get.
    case malformed
    /// More than ``maxAnswerBytes`` bytes have arrived, but the answer is still incomplete.
    case answerTooLong

    /// Maximal number of bytes of an answer. The answers to measured requests have less than 1 KiB.
    package static let maxAnswerBytes = 64 << 10
    package static let maxReasonBytes = 300

    package var description: String {
        switch self {
        case .refused(let reason): "the server refuses: \(reason)"
        case .malformed: "the server sends an unexpected answer"
        case .answerTooLong: "the server sends an answer of more than \(Self.maxAnswerBytes) bytes"
        }
    }

    static func refused(_ reason: ArraySlice<UInt8>) -> AnswerError {
        .refused(String(decoding: reason.prefix(maxReasonBytes), as: UTF8.self))
    }
}

extension RequestProtocol {
    /// Removes the answer at the beginning of `bytes`, if the answer is complete.
    /// - Returns: whether the answer was complete.
    package func removeAnswer(from bytes: inout [UInt8]) throws(AnswerError) -> Bool {
        guard let length = try measureAnswer(bytes) else {
            guard bytes.count <= AnswerError.maxAnswerBytes else { throw .answerTooLong }
            return false
        }
        bytes.removeFirst(length)
        return true
    }
}

extension [UInt8] {
    /// Returns the index of the next line end (CR LF) at or after `start`; nil if there is none.
    func findLineEnd(from start: Int) -> Int? {
        var index = start
        while index + 1 < count {
            if self[index] == UInt8(ascii: "\r"), self[index + 1] == UInt8(ascii: "\n") { return index }
            index += 1
        }
        return nil
    }

    mutating func appendBigEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
