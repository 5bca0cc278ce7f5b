/// The part of a server's protocol that a measurement uses: one request at a time, each with one answer.
package protocol RequestProtocol: Sendable {
    /// The requests that open a connection. Each one is sent after the answer to the request before it.
    var openingRequests: [[UInt8]] { get }

    /// Returns a request that stores `payload` on the disk.
    func makeWriteRequest(_ payload: [UInt8]) -> [UInt8]

    /// Returns the length of the answer with which `bytes` begin; nil while the answer is not complete.
    func measureAnswer(_ bytes: [UInt8]) throws(AnswerError) -> Int?
}

/// Reasons why an answer of a server is no success.
package enum AnswerError: Error, Equatable, CustomStringConvertible {
    /// The server has refused the request. The text is the server's reason, at most ``maxReasonBytes`` of it.
    case refused(String)
    /// The bytes do not follow the protocol, or are an answer that no request of a measurement gets.
    case malformed
    /// More than ``maxAnswerBytes`` have arrived, and the answer is not complete.
    case answerTooLong

    /// Maximal number of bytes of an answer. The answers to measured requests have less than one KiB.
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
    /// Removes the answer with which `bytes` begin.
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
    /// The index of the next CR LF at or after `start`; nil if there is none.
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
