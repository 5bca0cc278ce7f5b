internal import Logging

/// Writes a log line for each finished request, and a log line for each refused key.
///
/// The lines contain no queries and no header fields, because these may contain tickets and keys.
struct AccessLog: Sendable {
    let log: Logger
    /// The parts of paths after which private names follow. The log omits the rest of a path after one of these parts.
    let privatePathParts: [String]

    /// Maximal number of characters of a path in a line.
    private static let maxPathLength = 300

    func writeLine(_ finished: FinishedRequest, _ facts: RequestTrace.Facts) {
        let level = AccessLog.chooseLevel(finished.status, facts)
        guard log.logLevel <= level else { return }
        let request = finished.request
        var metadata: Logger.Metadata = [
            "method": "\(request.method.prefix(16))", "path": "\(redactPath(request.path))",
            "status": "\(finished.status)",
            "ms": "\(AccessLog.makeMillisecondsText(finished.durationMicroseconds))", "requestId": "\(request.id)",
        ]
        if let bytes = finished.contentBytes { metadata["bytes"] = "\(bytes)" }
        if let route = facts.route { metadata["route"] = "\(route)" }
        if let key = facts.keyID, !key.isEmpty { metadata["key"] = "\(key)" }
        if let store = facts.storeID { metadata["store"] = "\(store)" }
        if let address = request.address { metadata["address"] = "\(address.text)" }
        if let trace = facts.traceContext {
            metadata["traceId"] = "\(trace.traceID)"
            metadata["parentId"] = "\(trace.parentID)"
        }
        log.log(level: level, "request", metadata: metadata)
    }

    /// Logs that a request had an invalid key or ticket.
    func logRefusedKey(_ request: HTTPRequest, _ route: Route) {
        log.warning(
            "a key or ticket was refused",
            metadata: [
                "method": "\(request.method.prefix(16))", "route": "\(route.template)",
                "address": "\(request.address?.text ?? "unknown")",
                "requestId": "\(request.id)",
            ]
        )
    }

    /// Returns the log level for a request: above `info` for most failures of the server, below `info` for requests of
    /// health checks and monitoring programs.
    private static func chooseLevel(_ status: Int, _ facts: RequestTrace.Facts) -> Logger.Level {
        switch status {
        case _ where facts.isProbe: .debug
        case 501: .info
        case 500: .error
        case 502...: .warning
        default: .info
        }
    }

    private static func makeMillisecondsText(_ microseconds: Int64) -> String {
        let fraction = String(microseconds % 1000)
        return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }

    /// Returns the path as the log contains it. A client may have put a key into the path by mistake, so segments that
    /// contain keys are replaced.
    func redactPath(_ path: String) -> String {
        var path = path
        if let end = privatePathParts.lazy.compactMap({ path.firstRange(of: $0)?.upperBound }).first {
            path = path[..<end] + "…"
        }
        guard path.contains("sxgw_") || path.contains("sxgt_") else { return String(path.prefix(Self.maxPathLength)) }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        return segments.map { $0.contains("sxgw_") || $0.contains("sxgt_") ? "(secret)" : String($0) }.joined(
            separator: "/"
        ).prefix(Self.maxPathLength).description
    }
}
