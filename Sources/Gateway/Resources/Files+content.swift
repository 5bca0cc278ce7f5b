internal import ChatCore
internal import Concurrency
internal import SimpleXCrypto
internal import Synchronization

/// Routes for the contents of files.
extension FilesResource {
    static func downloadFile(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (user, fileId) = (try context.parseID("userId"), try context.parseID("fileId"))
        if let phone = context.services.core as? RemoteHostCore {
            let request = context.request
            return .later {
                await answerConvertingErrors(request) {
                    try makeResponse(try await phone.fetchContents(of: fileId, user: user), request)
                }
            }
        }
        let (files, request) = (try context.requireController().chatFiles, context.request)
        return .later {
            await answerConvertingErrors(request) {
                let contents = try await files.openContents(of: fileId, user: user)
                return try makeResponse(contents, request)
            }
        }
    }

    /// Makes the answer with the whole file, or with the requested range.
    static func makeResponse(_ contents: any FileContents, _ request: HTTPRequest) throws -> HTTPResponse {
        let tag = "\"\(contents.version)\""
        var headers = [
            ("ETag", tag), ("Accept-Ranges", "bytes"), ("Content-Type", chooseMediaType(contents.name)),
            ("Content-Disposition", makeDisposition(contents.name)),
            // With this header field, browsers run no scripts in the file.
            ("Content-Security-Policy", "default-src 'none'; sandbox"), ("Cache-Control", "private, no-cache"),
        ]
        if request.hasMatchingTag(tag) {
            return HTTPResponse(status: 304, headers: headers.filter { $0.0 == "ETag" || $0.0 == "Cache-Control" })
        }
        // A client with parts of an earlier version of the file cannot use a range of this version, so it gets the
        // whole file.
        let isOfThese = request.header("if-range").map { $0 == tag } ?? true
        switch isOfThese ? ByteRange(request.header("range"), size: contents.size) : .all {
        case .unsatisfiable:
            var problem = ProblemDetails(.invalidParameter, "The file has \(contents.size) bytes.")
            problem.statusOverride = 416
            problem.headers = [("Content-Range", "bytes */\(contents.size)"), ("ETag", tag)]
            throw problem
        case .all: return HTTPResponse(headers: headers, content: makeStream(contents, 0..<contents.size, request))
        case .part(let range):
            headers.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(contents.size)"))
            return HTTPResponse(status: 206, headers: headers, content: makeStream(contents, range, request))
        }
    }

    private static func makeStream(
        _ contents: any FileContents,
        _ range: Range<Int64>,
        _ request: HTTPRequest
    ) -> HTTPContent {
        let stream = HTTPStream(length: UInt64(range.upperBound - range.lowerBound))
        let sender = ContentSender(stream)
        if request.method == "HEAD" { stream.finish() } else { Task { await sender.sendRange(contents, range) } }
        return .stream(stream)
    }

    /// Returns the media type for the name of a file. Types that browsers should not show are returned as
    /// `application/octet-stream`.
    private static func chooseMediaType(_ name: String) -> String {
        switch name.split(separator: ".").last?.lowercased() {
        case "jpg", "jpeg": "image/jpeg"
        case "png": "image/png"
        case "gif": "image/gif"
        case "webp": "image/webp"
        case "m4a": "audio/mp4"
        case "mp3": "audio/mpeg"
        case "ogg", "opus": "audio/ogg"
        case "mp4": "video/mp4"
        case "webm": "video/webm"
        case "txt": "text/plain; charset=utf-8"
        case "pdf": "application/pdf"
        default: "application/octet-stream"
        }
    }

    /// Makes the value of the header field `Content-Disposition` (RFC 6266): the name in ASCII for all clients, and in
    /// UTF-8 for clients that support it.
    private static func makeDisposition(_ name: String) -> String {
        let plain = String(
            decoding: name.utf8.map {
                (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C && $0 != 0x25 ? $0 : 0x5F
            },
            as: UTF8.self
        )
        let encoded = name.utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == 0x2D || byte == 0x2E || byte == 0x5F
            return isPlain ? String(UnicodeScalar(byte)) : "%" + Hex.encode([byte]).uppercased()
        }.joined()
        return "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(encoded)"
    }
}

/// The range that a header field `Range` requests (RFC 9110, section 14). A field with several ranges, or a malformed
/// field, requests the whole content.
enum ByteRange: Equatable {
    case all
    case part(Range<Int64>)
    /// The range begins after the end of the file.
    case unsatisfiable

    init(_ field: String?, size: Int64) {
        self = .all
        guard let field, field.lowercased().hasPrefix("bytes="), !field.contains(",") else { return }
        let bounds = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map(\.trimmingSpaces)
        guard bounds.count == 2, bounds.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            return
        }
        // A number too large for `Int64` is after the end of every file.
        let numbers = bounds.map { $0.isEmpty ? nil : Int64($0) ?? .max }
        switch (numbers[0], numbers[1]) {
        case (nil, nil): return
        case (nil, let last?): self = last == 0 || size == 0 ? .unsatisfiable : .part(max(size - last, 0)..<size)
        case (let first?, let last):
            if let last, last < first { return }
            self = first >= size ? .unsatisfiable : .part(first..<min(last ?? .max, size - 1) + 1)
        }
    }
}

/// Writes the contents of a file to a client, no faster than the client reads.
private final class ContentSender: Sendable {
    private struct State {
        var isDrained = false
        var isClosed = false
        var waiter: CheckedContinuation<Bool, Never>?
    }

    private let stream: HTTPStream
    private let state = Mutex(State())
    private static let partBytes = 128 << 10

    init(_ stream: HTTPStream) {
        self.stream = stream
        stream.setHandlers(drain: { [weak self] in self?.didDrain() }, close: { [weak self] in self?.didClose() })
    }

    /// Sends a range. If the file can no longer be read, the stream is finished early, and the client sees a broken
    /// connection.
    func sendRange(_ contents: any FileContents, _ range: Range<Int64>) async {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let place = offset
            let count = Int(min(Int64(Self.partBytes), range.upperBound - offset))
            state.withLock { $0.isDrained = false }
            guard let part = try? await runBlocking({ try contents.read(at: place, count: count) }), part.count == count
            else { break }
            offset += Int64(count)
            if !stream.writeBytes(part), await !waitUntilDrained() { break }
        }
        stream.finish()
    }

    /// Waits until the client has read the written bytes.
    /// - Returns: false when the client has disconnected.
    private func waitUntilDrained() async -> Bool {
        await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            let known = state.withLock { state -> Bool? in
                if state.isClosed { return false }
                if state.isDrained { return true }
                state.waiter = continuation
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    private func didDrain() { resumeWaiter(true) { $0.isDrained = true } }
    private func didClose() { resumeWaiter(false) { $0.isClosed = true } }

    private func resumeWaiter(_ isOpen: Bool, _ change: (inout State) -> Void) {
        let waiter = state.withLock { state in
            change(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: isOpen)
    }
}
