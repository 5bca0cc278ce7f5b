/// The push service of a device token: one of Apple's environments.
package struct PushProvider: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let apns_dev = Self(rawValue: "apns_dev")
    package static let apns_prod = Self(rawValue: "apns_prod")
    package static let apns_test = Self(rawValue: "apns_test")
    package static let apns_null = Self(rawValue: "apns_null")

    package static let knownValues: Set<Self> = [.apns_dev, .apns_prod, .apns_test, .apns_null]
}
