internal import Logging

/// A line for each request that was answered, and one for each key that was refused.
///
/// Neither queries nor header fields are in it: they may have tickets and keys.
struct AccessLog: Sendable {
    let log: Logger

    /// Characters of a path.
    private static let longestPath = 300

    func write(_ finished: FinishedRequest, _ facts: RequestTrace.Facts) {
        let level = AccessLog.level(finished.status, facts)
        guard log.logLevel <= level else { return }
        let request = finished.request
        var metadata: Logger.Metadata = [
            "method": "\(request.method.prefix(16))", "path": "\(AccessLog.path(request.path))", "status": "\(finished.status)",
            "ms": "\(AccessLog.milliseconds(finished.microseconds))", "requestId": "\(request.id)",
        ]
        if let bytes = finished.bytes { metadata["bytes"] = "\(bytes)" }
        if let route = facts.route { metadata["route"] = "\(route)" }
        if let key = facts.keyID, !key.isEmpty { metadata["key"] = "\(key)" }
        if let address = request.address { metadata["address"] = "\(address.text)" }
        if let trace = facts.context {
            metadata["traceId"] = "\(trace.traceID)"
            metadata["parentId"] = "\(trace.parentID)"
        }
        log.log(level: level, "request", metadata: metadata)
    }

    /// Somebody has come with a key or a ticket that is not valid.
    func refusedKey(_ request: HTTPRequest, _ route: Route) {
        log.warning(
            "a key or ticket was refused",
            metadata: [
                "method": "\(request.method.prefix(16))", "route": "\(route.template)", "address": "\(request.address?.text ?? "unknown")",
                "requestId": "\(request.id)",
            ])
    }

    /// What the server has failed at is more than information; probes are less.
    private static func level(_ status: Int, _ facts: RequestTrace.Facts) -> Logger.Level {
        switch status {
        case _ where facts.isProbe: .debug
        case 501: .info
        case 500: .error
        case 502...: .warning
        default: .info
        }
    }

    private static func milliseconds(_ microseconds: Int64) -> String {
        let fraction = String(microseconds % 1000)
        return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }

    /// Somebody may have put a key into it by mistake.
    static func path(_ path: String) -> String {
        // Somebody has chosen the name.
        let archives = "/v1/database/archives/"
        if path.hasPrefix(archives) { return archives + "…" }
        guard path.contains("sxgw_") || path.contains("sxgt_") else { return String(path.prefix(longestPath)) }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        return segments.map { $0.contains("sxgw_") || $0.contains("sxgt_") ? "(secret)" : String($0) }.joined(separator: "/").prefix(longestPath).description
    }
}
