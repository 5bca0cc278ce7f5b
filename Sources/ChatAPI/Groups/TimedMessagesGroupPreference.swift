/// Whether messages in a group disappear, and after how many seconds.
public struct TimedMessagesGroupPreference: Codable, Hashable, Sendable {
    public var enable: GroupFeatureEnabled
    public var ttl: Int?

    public init(enable: GroupFeatureEnabled, ttl: Int? = nil) {
        self.enable = enable
        self.ttl = ttl
    }
}
