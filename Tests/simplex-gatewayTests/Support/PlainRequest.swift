import Foundation
import Glibc
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
        var descriptor: Int32?
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
                Thread.detachNewThread { continuation.resume(with: Result { try request.run() }) }
            }
        } onCancel: {
            request.cancel()
        }
    }

    private init(_ method: String, _ url: String, _ headers: [(String, String)], _ body: [UInt8]?) throws {
        guard let place = URL(string: url), place.scheme == "http", let host = place.host, let port = place.port,
            let number = UInt16(exactly: port)
        else { throw Program.Unexpected(description: "no URL of a process of this machine: \(url)") }
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
            if let descriptor = state.descriptor { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    private func run() throws -> Reply {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Self.failure() }
        defer {
            state.withLock { $0.descriptor = nil }
            close(descriptor)
        }
        let mayRun = state.withLock { state in
            state.descriptor = descriptor
            return !state.isCancelled
        }
        guard mayRun else { throw CancellationError() }
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw Self.failure() }
        write(to: descriptor)
        var input = Input(descriptor)
        return try reply(&input)
    }

    /// Writes the request. A process may answer and close before it has read the whole request, so this function
    /// reports no error: the answer shows whether the request succeeded.
    private func write(to descriptor: Int32) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            done += count
        }
    }

    private func reply(_ input: inout Input) throws -> Reply {
        while true {
            let words = try input.line().split(separator: " ")
            guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
                throw Program.Unexpected(description: "no answer of HTTP: \(words)")
            }
            var reply = Reply(status: status)
            while case let line = try input.line(), !line.isEmpty {
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                reply.headers[parts[0].lowercased()] =
                    parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
            }
            // The final answer follows an answer such as 100.
            if status < 200 { continue }
            if isHead || status == 204 || status == 304 { return reply }
            if reply.headers["transfer-encoding"]?.lowercased() == "chunked" {
                reply.body = try input.chunks()
            } else if let length = reply.headers["content-length"].flatMap({ Int($0) }) {
                reply.body = try input.take(length)
            } else {
                reply.body = try input.rest()
            }
            return reply
        }
    }

    private static func failure() -> Program.Unexpected {
        Program.Unexpected(description: String(cString: strerror(errno)))
    }

    /// The bytes that the process sends.
    private struct Input {
        private let descriptor: Int32
        private var unread: [UInt8] = []
        private var buffer = [UInt8](repeating: 0, count: 1 << 16)

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        /// Reads more bytes.
        /// - Returns: false at the end.
        private mutating func more() throws -> Bool {
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw PlainRequest.failure() }
                unread += buffer[..<count]
                return count > 0
            }
        }

        /// Removes a line, and returns it without its end.
        mutating func line() throws -> String {
            while true {
                if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { unread.removeSubrange(...end) }
                    return String(decoding: unread[..<end], as: UTF8.self).trimmingCharacters(in: .newlines)
                }
                guard try more() else { throw Self.early }
            }
        }

        mutating func take(_ count: Int) throws -> [UInt8] {
            while unread.count < count { guard try more() else { throw Self.early } }
            defer { unread.removeSubrange(..<count) }
            return Array(unread[..<count])
        }

        mutating func chunks() throws -> [UInt8] {
            var body: [UInt8] = []
            while true {
                guard let size = Int(try line().prefix { $0 != ";" }, radix: 16) else {
                    throw Program.Unexpected(description: "no size of a chunk")
                }
                if size == 0 {
                    while try !line().isEmpty {}
                    return body
                }
                body += try take(size)
                _ = try line()
            }
        }

        mutating func rest() throws -> [UInt8] {
            while try more() {}
            defer { unread = [] }
            return unread
        }

        private static let early = Program.Unexpected(description: "the connection ended before the end of the answer")
    }
}
