import Foundation
import Synchronization

/// A request over its own connection to a process of this machine.
///
/// Tests do not use `URLSession`: on Linux it keeps a processor busy while it waits for many answers.
final class PlainRequest: Sendable {
    struct Reply: Sendable {
        var status = 0
        /// Header fields by their names in lower case.
        var headers: [String: String] = [:]
        var body: [UInt8] = []
    }

    private struct State {
        var connection: TCPConnection?
        var isCancelled = false
    }

    private let port: UInt16
    private let isHead: Bool
    private let bytes: [UInt8]
    private let state = Mutex(State())

    /// Sends a request and returns its whole answer.
    /// - Throws: if the process cannot be reached, or ends the connection before the end of the answer.
    static func send(
        _ method: String,
        _ url: String,
        headers: [(String, String)],
        body: [UInt8]? = nil
    ) async throws -> Reply {
        let request = try PlainRequest(method, url, headers, body)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Reply, any Error>) in
                Thread.detachNewThread { continuation.resume(with: Result { try request.sendAndRead() }) }
            }
        } onCancel: {
            request.cancel()
        }
    }

    private init(_ method: String, _ url: String, _ headers: [(String, String)], _ body: [UInt8]?) throws {
        guard let place = URL(string: url), place.scheme == "http", let host = place.host, let port = place.port,
            let number = UInt16(exactly: port)
        else { throw Program.UnexpectedOutput(description: "no URL of a process of this machine: \(url)") }
        let target = place.absoluteString.dropFirst("http://".count).drop { $0 != "/" }
        var head = "\(method) \(target.isEmpty ? "/" : target) HTTP/1.1\r\nHost: \(host):\(port)\r\nAccept: */*\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if body != nil || ["POST", "PUT", "PATCH"].contains(method) {
            head += "Content-Length: \(body?.count ?? 0)\r\n"
        }
        self.port = number
        isHead = method == "HEAD"
        bytes = Array((head + "\r\n").utf8) + (body ?? [])
    }

    private func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.connection?.shutDown()
        }
    }

    private func sendAndRead() throws -> Reply {
        let wire = try TCPConnection(port: port, seconds: 120)
        let mayRun = state.withLock { state in
            state.connection = wire
            return !state.isCancelled
        }
        guard mayRun else { throw CancellationError() }
        wire.send(bytes)
        var input = Input(wire)
        return try readReply(&input)
    }

    private func readReply(_ input: inout Input) throws -> Reply {
        while true {
            let words = try input.readLine().split(separator: " ")
            guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
                throw Program.UnexpectedOutput(description: "no answer of HTTP: \(words)")
            }
            var reply = Reply(status: status)
            while case let line = try input.readLine(), !line.isEmpty {
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                reply.headers[parts[0].lowercased()] =
                    parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
            }
            // An answer such as 100 is not the final answer, which follows it.
            if status < 200 { continue }
            if isHead || status == 204 || status == 304 { return reply }
            if reply.headers["transfer-encoding"]?.lowercased() == "chunked" {
                reply.body = try input.readChunks()
            } else if let length = reply.headers["content-length"].flatMap({ Int($0) }) {
                reply.body = try input.takeBytes(length)
            } else {
                reply.body = try input.readRest()
            }
            return reply
        }
    }

    /// The bytes that the process sends.
    private struct Input {
        private let connection: TCPConnection
        private var unreadBytes: [UInt8] = []
        private var buffer = [UInt8](repeating: 0, count: 1 << 16)

        init(_ wire: TCPConnection) { self.connection = wire }

        /// Reads more bytes.
        /// - Returns: false at the end.
        private mutating func readMore() throws -> Bool {
            let count = try connection.receive(into: &buffer)
            unreadBytes += buffer[..<count]
            return count > 0
        }

        /// Removes a line, and returns it without its end.
        mutating func readLine() throws -> String {
            while true {
                if let end = unreadBytes.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { unreadBytes.removeSubrange(...end) }
                    return String(decoding: unreadBytes[..<end], as: UTF8.self).trimmingCharacters(in: .newlines)
                }
                guard try readMore() else { throw Self.earlyEnd }
            }
        }

        mutating func takeBytes(_ count: Int) throws -> [UInt8] {
            while unreadBytes.count < count { guard try readMore() else { throw Self.earlyEnd } }
            defer { unreadBytes.removeSubrange(..<count) }
            return Array(unreadBytes[..<count])
        }

        mutating func readChunks() throws -> [UInt8] {
            var body: [UInt8] = []
            while true {
                guard let size = Int(try readLine().prefix { $0 != ";" }, radix: 16) else {
                    throw Program.UnexpectedOutput(description: "no size of a chunk")
                }
                if size == 0 {
                    while try !readLine().isEmpty {}
                    return body
                }
                body += try takeBytes(size)
                _ = try readLine()
            }
        }

        mutating func readRest() throws -> [UInt8] {
            while try readMore() {}
            defer { unreadBytes = [] }
            return unreadBytes
        }

        private static let earlyEnd = Program.UnexpectedOutput(
            description: "the connection ended before the end of the answer"
        )
    }
}
