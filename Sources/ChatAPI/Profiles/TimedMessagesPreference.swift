/// Whether disappearing messages are allowed, and after how many seconds they disappear.
package struct TimedMessagesPreference: Codable, Hashable, Sendable {
    package var allow: FeatureAllowed
    package var ttl: Int?

    package init(allow: FeatureAllowed, ttl: Int? = nil) {
        self.allow = allow
        self.ttl = ttl
    }
}
