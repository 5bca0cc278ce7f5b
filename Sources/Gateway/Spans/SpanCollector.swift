internal import Descriptors
internal import JSON
internal import NIOCore
internal import OutgoingHTTP

/// The collector of OpenTelemetry to which spans are sent: OTLP over HTTP, `POST <URL>/v1/traces` with JSON.
struct SpanCollector: Sendable {
    /// The result of a request.
    enum Outcome: Sendable, Equatable {
        /// The collector has accepted the spans, except for a number of rejected spans.
        case accepted(rejectedCount: Int)
        /// The request has failed, but may succeed later, at the earliest after a number of seconds.
        case retryable(reason: String, afterSeconds: Int64?)
        /// The request has failed, and a repetition would fail again.
        case refused(reason: String)
    }

    /// The reason why a collector cannot be used, as a sentence whose subject is left out. The sentence contains no
    /// part of the secret headers.
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    /// Maximal time of a request.
    static let requestTimeout = TimeAmount.seconds(10)
    /// Maximal number of bytes of an answer's content.
    private static let maxAnswerBytes = 16 << 10
    /// Maximal number of connections. Only one request runs at a time, but an old connection may not be closed yet when
    /// the next connection begins.
    private static let maxConnections = 2

    let target: TargetURL
    private let http: OutgoingHTTP
    private let headers: [(name: String, value: String)]

    /// Makes a client of the collector, and sends no request yet.
    /// - Parameters:
    ///   - url: `http` or `https`, without user, query and fragment.
    ///   - headers: secret headers of each request. Without TLS, these headers are sent only to loopback addresses.
    ///   - authorities: a PEM file with certificate authorities in addition to the system's.
    init(
        _ url: String,
        headers: [(name: String, value: String)] = [],
        authorities: String? = nil,
        group: any EventLoopGroup
    ) throws(Fault) {
        var base = url
        while base.hasSuffix("/") { base.removeLast() }
        do throws(TargetURL.Refusal) { target = try TargetURL(base + "/v1/traces") } catch {
            throw Fault(description: error.description)
        }
        guard !base.contains("?") else { throw Fault(description: "must not have a query.") }
        guard !target.hasCredentials else {
            throw Fault(description: "must not have a user or password: headers come from a file.")
        }
        var ranges = ["0.0.0.0/0", "::/0"].compactMap { AddressRange($0) }
        if !headers.isEmpty, !target.isEncrypted {
            ranges = Self.loopbackRanges
            guard Self.isLoopback(target.host) else {
                throw Fault(description: "must begin with https://, since the headers are secret.")
            }
        }
        var limits = OutgoingHTTP.Limits()
        limits.maxTotalTime = Self.requestTimeout
        do throws(OutgoingHTTP.BadAuthorities) {
            http = try OutgoingHTTP(
                group: group,
                policy: AddressPolicy(allowed: ranges),
                authorities: authorities,
                connections: Allowance(Self.maxConnections),
                limits: limits,
                userAgent: "simplex-gateway"
            )
        } catch {
            throw Fault(description: "has unusable authorities: \(error.description)")
        }
        self.headers = [("Content-Type", "application/json")] + headers
    }

    private static let loopbackRanges = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }

    private static func isLoopback(_ host: TargetURL.Host) -> Bool {
        switch host {
        case .name(let name): name == "localhost"
        case .address(let address): loopbackRanges.contains { $0.contains(address) }
        }
    }

    /// Sends an encoded `ExportTraceServiceRequest`.
    func send(_ body: [UInt8]) async -> Outcome {
        var request = OutgoingRequest(url: target, headers: headers, body: body)
        request.maxKeptAnswerBytes = Self.maxAnswerBytes
        do throws(OutgoingError) { return Self.judge(try await http.send(request)) } catch {
            return .retryable(reason: error.description, afterSeconds: nil)
        }
    }

    /// Decides by the status whether a request may be repeated (OTLP specification 1, "OTLP/HTTP Response").
    static func judge(_ answer: OutgoingAnswer) -> Outcome {
        switch answer.status {
        case 200..<300: .accepted(rejectedCount: countRejectedSpans(answer.content))
        case 429, 502, 503, 504: .retryable(reason: "HTTP \(answer.status)", afterSeconds: answer.retryAfterSeconds)
        default: .refused(reason: "HTTP \(answer.status)")
        }
    }

    /// Returns the number in `partialSuccess.rejectedSpans` of an answer. This member may be a JSON number or a text.
    private static func countRejectedSpans(_ content: [UInt8]) -> Int {
        guard let value = (try? JSONValue(parsing: content))?["partialSuccess"]?["rejectedSpans"] else { return 0 }
        return max(0, value.integerValue.flatMap(Int.init(exactly:)) ?? value.stringValue.flatMap { Int($0) } ?? 0)
    }
}
