/// The range of app versions that a remote controller or host supports, both ends included.
package struct AppVersionRange: Codable, Hashable, Sendable {
    package var minVersion: String
    package var maxVersion: String

    package init(minVersion: String, maxVersion: String) {
        self.minVersion = minVersion
        self.maxVersion = maxVersion
    }
}
