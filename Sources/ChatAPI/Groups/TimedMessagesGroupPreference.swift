/// Whether messages in a group disappear, and after how many seconds.
package struct TimedMessagesGroupPreference: Codable, Hashable, Sendable {
    package var enable: GroupFeatureEnabled
    package var ttl: Int?

    package init(enable: GroupFeatureEnabled, ttl: Int? = nil) {
        self.enable = enable
        self.ttl = ttl
    }
}
