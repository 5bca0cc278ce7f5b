/// The number of requests that a limit still allows a client, for the header fields `RateLimit` and `RateLimit-Policy`
/// by draft-ietf-httpapi-ratelimit-headers.
struct RequestQuota: Sendable, Equatable {
    /// Maximal number of requests in one time window.
    let maxRequests: Int64
    /// The length of the time window in seconds.
    let windowSeconds: Int64
    /// Number of requests that the client can send now.
    let remainingRequests: Int64
    /// Seconds until the client can again send as many requests as ``maxRequests``.
    let secondsUntilReset: Int64
    /// The name of the limit.
    var name = ""

    var policyField: String { "\"\(name)\";q=\(maxRequests);w=\(windowSeconds)" }
    var limitField: String { "\"\(name)\";r=\(remainingRequests);t=\(secondsUntilReset)" }

    func withName(_ name: String) -> RequestQuota {
        var quota = self
        quota.name = name
        return quota
    }

    /// Returns the header fields that tell the client its quotas.
    static func headers(_ quotas: [RequestQuota]) -> [(name: String, value: String)] {
        guard !quotas.isEmpty else { return [] }
        return [
            ("RateLimit-Policy", quotas.map(\.policyField).joined(separator: ", ")),
            ("RateLimit", quotas.map(\.limitField).joined(separator: ", ")),
        ]
    }
}
