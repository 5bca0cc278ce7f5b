import JSON
import Synchronization
import TestSupport
import Testing

/// A small HTTP/1.1 client that sends requests in sequence over one connection. It checks requests and answers against
/// the contract.
struct HTTPClient: Sendable {
    struct Answer: Sendable {
        let status: Int
        let headers: [(name: String, value: String)]
        let body: [UInt8]

        func header(_ name: String) -> String? { headers.first { $0.name == name.lowercased() }?.value }
        var text: String { String(decoding: body, as: UTF8.self) }
        var json: JSONValue { get throws { try JSONValue(parsing: body) } }
    }

    let connection: RawConnection
    let port: Int
    var key: String?
    /// Whether successful requests must follow the contract. False for randomly damaged ones, since the server accepts
    /// slightly more than the contract.
    var checksRequests = true
    /// Whether answers must follow the contract. False for invented events of a test.
    var checksAnswers = true
    private let sentRequests = SentRequests()

    init(connection: RawConnection, port: Int, key: String?) {
        self.connection = connection
        self.port = port
        self.key = key
    }

    static func connect(port: Int, key: String? = nil) async throws -> HTTPClient {
        HTTPClient(connection: try await .open(port: port), port: port, key: key)
    }

    func send(
        _ method: String,
        _ target: String,
        headers: [(String, String)] = [],
        body: [UInt8]? = nil
    ) async throws {
        var head = "\(method) \(target) HTTP/1.1\r\n"
        if !headers.contains(where: { $0.0.lowercased() == "host" }) { head += "Host: 127.0.0.1:\(port)\r\n" }
        if let key { head += "Authorization: Bearer \(key)\r\n" }
        for header in headers { head += "\(header.0): \(header.1)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        sentRequests.append(Contract.Request(method: method, target: target, body: body ?? []))
        try await connection.send(Array((head + "\r\n").utf8) + (body ?? []))
    }

    func call(
        _ method: String,
        _ target: String,
        headers: [(String, String)] = [],
        body: String? = nil
    ) async throws -> Answer {
        try await send(method, target, headers: headers, body: body.map { Array($0.utf8) })
        return try await receiveAnswer(isHead: method == "HEAD")
    }

    /// Waits until the route returns a status. Used for changes that the gateway notices without a request, such as a
    /// changed key file or an opened store.
    func waitForStatus(_ status: Int, at target: String, file: String = #fileID, line: Int = #line) async throws {
        var last = 0
        try await waitUntil("\(target) returns \(status); the last status was \(last)", file: file, line: line) {
            last = try await call("GET", target).status
            return last == status
        }
    }

    /// Waits until a number of long polls is pending.
    func waitForLongPolls(_ count: Int) async throws {
        try await waitUntil("\(count) long polls wait") {
            try await call("GET", "/metrics").text.contains("sxgw_event_waiters \(count)\n")
        }
    }

    func receiveAnswer(isHead: Bool = false) async throws -> Answer {
        let request = sentRequests.takeFirst()
        let answer = try await receiveUncheckedAnswer(isHead: isHead)
        if let request {
            checkContract(request, answer.status, answer.header("content-type"), isHead ? nil : answer.body)
        }
        return answer
    }

    private func checkContract(_ request: Contract.Request, _ status: Int, _ type: String?, _ body: [UInt8]?) {
        let violations = Contract.servedContract.violations(request, status: status, type: type, body: body)
            .filter { $0.hasPrefix("request: ") ? checksRequests : checksAnswers }
        if !violations.isEmpty {
            Issue.record(
                "\(request.method) \(request.target) (\(status)): \(violations.prefix(5).joined(separator: "; "))"
            )
        }
    }

    private func receiveUncheckedAnswer(isHead: Bool) async throws -> Answer {
        let (status, headers) = try await receiveNextHead()
        guard !isHead, status != 101, status != 204, status != 304 else {
            return Answer(status: status, headers: headers, body: [])
        }
        if let length = headers.first(where: { $0.name == "content-length" }).flatMap({ Int($0.value) }) {
            return Answer(status: status, headers: headers, body: try await connection.receiveBytes(length))
        }
        var body: [UInt8] = []
        while let chunk = try await receiveChunk() { body += chunk }
        return Answer(status: status, headers: headers, body: body)
    }

    /// Reads the status and the header fields of the next answer. The caller reads the body.
    func receiveHead() async throws -> (status: Int, headers: [(name: String, value: String)]) {
        let request = sentRequests.takeFirst()
        let head = try await receiveNextHead()
        if let request {
            checkContract(request, head.status, head.headers.first { $0.name == "content-type" }?.value, nil)
        }
        return head
    }

    /// Reads the next header with a status other than 100.
    private func receiveNextHead() async throws -> (status: Int, headers: [(name: String, value: String)]) {
        while true {
            let text = try await connection.receive { buffer, _ -> String? in
                guard let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
                defer { buffer.removeSubrange(..<end.upperBound) }
                return String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
            }
            let lines = text.split(separator: "\r\n")
            let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            if status == 100 { continue }
            let headers = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                return (line[..<colon].lowercased(), String(line[line.index(after: colon)...].drop { $0 == " " }))
            }
            return (status, headers)
        }
    }

    /// Returns the next chunk of a streamed answer; nil after the last one.
    func receiveChunk() async throws -> [UInt8]? {
        guard let size = Int(try await receiveLine(), radix: 16) else { throw RawConnection.Failure.closed }
        let content = try await connection.receiveBytes(size)
        _ = try await receiveLine()
        return size == 0 ? nil : content
    }

    private func receiveLine() async throws -> String {
        try await connection.receive { buffer, _ -> String? in
            guard let end = buffer.firstRange(of: [13, 10]) else { return nil }
            defer { buffer.removeSubrange(..<end.upperBound) }
            return String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
        }
    }
}

/// The requests of a connection that have no answer yet, in their order.
private final class SentRequests: Sendable {
    private let requests = Mutex<[Contract.Request]>([])

    func append(_ request: Contract.Request) { requests.withLock { $0.append(request) } }
    func takeFirst() -> Contract.Request? { requests.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}
