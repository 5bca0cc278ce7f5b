import Concurrency
import Glibc
package import NIOCore

/// A request to another party's server: a `POST` with a body, or a `GET`.
package struct OutgoingRequest: Sendable {
    package var url: TargetURL
    /// The headers that are sent in addition to the headers of every request. They replace headers with the same name.
    package var headers: [(name: String, value: String)]
    /// The body of the request; nil for a `GET`.
    package var body: [UInt8]?
    /// Maximal number of bytes of the answer's content that are kept. Further bytes are not read.
    package var maxKeptAnswerBytes = 0
    /// Whether only public addresses are allowed for this request, even if the policy allows other addresses.
    package var requiresPublicAddress = false
    /// The owner of the request. Requests of different owners never use the same connection.
    package var owner: String?
    /// Whether the receiver recognizes a repeated request. If so, the request is sent once more when the server has
    /// closed a kept connection without an answer.
    package var isRepeatable = false
    /// The time by which the request must end, in addition to the configured limits; nil for only the configured
    /// limits.
    package var deadline: NIODeadline?

    package init(url: TargetURL, headers: [(name: String, value: String)], body: [UInt8]) {
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// Makes a `GET` whose answer's content is kept.
    /// - Parameter maxKeptAnswerBytes: maximal number of bytes of the content.
    package init(get url: TargetURL, maxKeptAnswerBytes: Int) {
        self.url = url
        headers = []
        isRepeatable = true
        self.maxKeptAnswerBytes = maxKeptAnswerBytes
    }
}

/// The parts of an answer that this module evaluates.
package struct OutgoingAnswer: Sendable, Hashable {
    package let status: Int
    /// Seconds to wait, from `Retry-After`; nil when the header is missing or cannot be parsed.
    package let retryAfterSeconds: Int64?
    /// The values of the headers `Content-Type` and `Location`. They are read only if the content is requested.
    package var contentType: String?
    package var location: String?
    /// The value of the header `Content-Length`, if it is a number.
    package var contentLength: Int64?
    /// The requested part of the content as received. Compressed content is left out, since the request does not allow
    /// compression.
    package var content: [UInt8] = []
    /// Whether `content` is the complete content of the answer.
    package var isContentComplete = false
    /// Whether the server's address is in one of ``AddressPolicy/allowedRanges``.
    package var isFromAllowedAddress = false

    package init(status: Int, retryAfter: Int64? = nil) {
        self.status = status
        self.retryAfterSeconds = retryAfter
    }

    /// Parses `Retry-After`: a number of seconds, or a date (RFC 9110, section 10.2.3). Returns the seconds from `now`;
    /// nil for any other text.
    static func parseRetryAfter(_ field: String, now: Int64) -> Int64? {
        if !field.isEmpty, field.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return Int64(field) ?? .max }
        return parseDate(field).map { max(0, $0 - now) }
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Parses a date such as `Wed, 21 Oct 2015 07:28:00 GMT`. Returns seconds since 1970.
    private static func parseDate(_ field: String) -> Int64? {
        let parts = field.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2])) else {
            return nil
        }
        let numbers = ([parts[1], parts[3]] + parts[4].split(separator: ":", omittingEmptySubsequences: false))
            .compactMap { Int32($0) }
        guard numbers.count == 5, (1...31).contains(numbers[0]), (1970...9999).contains(numbers[1]),
            (0...23).contains(numbers[2]), (0...59).contains(numbers[3]),
            (0...60).contains(numbers[4])
        else { return nil }
        var moment = tm()
        (moment.tm_mday, moment.tm_mon, moment.tm_year) = (numbers[0], Int32(month), numbers[1] - 1900)
        (moment.tm_hour, moment.tm_min, moment.tm_sec) = (numbers[2], numbers[3], numbers[4])
        return Int64(timegm(&moment))
    }
}

/// The reason why there was no answer. The texts contain no part of the URL except the host.
package enum OutgoingError: Error, Sendable, Hashable {
    /// The name has no address, or the lookup did not end in time.
    case lookupFailed(String)
    /// The ``AddressPolicy`` allows no address of the host.
    case refusedAddress
    case unreachable(String)
    case tlsFailed(String)
    /// The answer did not come in time.
    case timeout
    /// The received bytes are not HTTP.
    case answerNotHTTP
    /// The answer is too long: its header alone, or its header and its content.
    case answerTooLong
    /// The content of the answer does not have the required length.
    case wrongLength
    /// The server answered with a success status before the whole request was sent.
    case earlyAnswer
    /// The contents of the request ended before their announced size.
    case requestBodyTooShort
    /// The connection ended before the answer was complete.
    case connectionClosed
    /// The maximal number of connections is in use. Nothing was sent.
    case tooManyConnections
    case cancelled
}

extension OutgoingError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .lookupFailed(let reason): "the name of the host cannot be resolved: \(reason)"
        case .refusedAddress: "the host has an address that is not allowed: it is in an inner network, or without TLS"
        case .unreachable(let reason): "the host cannot be connected to: \(reason)"
        case .tlsFailed(let reason): "TLS: \(reason)"
        case .timeout: "no answer in time"
        case .answerNotHTTP: "the answer is not HTTP"
        case .answerTooLong: "the answer is too long"
        case .wrongLength: "the content has another length than it must have"
        case .earlyAnswer: "the server accepted the request before all of it was sent"
        case .requestBodyTooShort: "the contents to send are incomplete"
        case .connectionClosed: "the connection was closed without an answer"
        case .tooManyConnections: "no connection is free"
        case .cancelled: "cancelled"
        }
    }
}

/// A function that finds the IP addresses of a host name.
package typealias NameLookup = @Sendable (_ name: String, _ loop: any EventLoop) -> EventLoopFuture<[IPAddress]>

/// The system's resolver of host names. A lookup may take long, so each lookup has a separate thread.
package enum SystemLookup {
    /// Returns the addresses of a name; none if the name cannot be resolved.
    package static func findAddresses(of name: String) async -> [IPAddress] {
        await withCheckedContinuation { continuation in
            do throws(NoThread) {
                try BlockingThread.startThread {
                    continuation.resume(returning: (try? findAddressesBlocking(name).get()) ?? [])
                }
            } catch {
                continuation.resume(returning: [])
            }
        }
    }

    static let systemLookup: NameLookup = { name, loop in
        let promise = loop.makePromise(of: [IPAddress].self)
        do throws(NoThread) {
            try BlockingThread.startThread { promise.completeWith(findAddressesBlocking(name)) }
        } catch {
            promise.fail(OutgoingError.lookupFailed("no thread is free"))
        }
        return promise.futureResult
    }

    private static func findAddressesBlocking(_ name: String) -> Result<[IPAddress], any Error> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_family = AF_UNSPEC
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &first)
        guard code == 0 else { return .failure(OutgoingError.lookupFailed(String(cString: gai_strerror(code)))) }
        defer { freeaddrinfo(first) }
        var found: [IPAddress] = []
        var next = first
        while let entry = next {
            if let address = entry.pointee.ai_addr.flatMap(makeAddress), !found.contains(address) {
                found.append(address)
            }
            next = entry.pointee.ai_next
        }
        return .success(found)
    }

    private static func makeAddress(_ socket: UnsafeMutablePointer<sockaddr>) -> IPAddress? {
        let raw = UnsafeRawPointer(socket)
        switch Int32(socket.pointee.sa_family) {
        case AF_INET:
            return IPAddress(withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) })
        case AF_INET6:
            return IPAddress(withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) })
        default: return nil
        }
    }
}
