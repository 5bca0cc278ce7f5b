/// The range of app versions that a remote controller or host supports, both ends included.
public struct AppVersionRange: Codable, Hashable, Sendable {
    public var minVersion: String
    public var maxVersion: String

    public init(minVersion: String, maxVersion: String) {
        self.minVersion = minVersion
        self.maxVersion = maxVersion
    }
}
