/// The push service of a device token: one of Apple's environments.
public struct PushProvider: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let apns_dev = Self(rawValue: "apns_dev")
    public static let apns_prod = Self(rawValue: "apns_prod")
    public static let apns_test = Self(rawValue: "apns_test")
    public static let apns_null = Self(rawValue: "apns_null")

    public static let known: Set<Self> = [.apns_dev, .apns_prod, .apns_test, .apns_null]
}
