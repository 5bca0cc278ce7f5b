/// Whether disappearing messages are allowed, and after how many seconds they disappear.
public struct TimedMessagesPreference: Codable, Hashable, Sendable {
    public var allow: FeatureAllowed
    public var ttl: Int?

    public init(allow: FeatureAllowed, ttl: Int? = nil) {
        self.allow = allow
        self.ttl = ttl
    }
}
