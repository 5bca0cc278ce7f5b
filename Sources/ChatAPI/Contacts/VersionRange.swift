/// The range of versions of the chat protocol that a peer supports, both ends included.
package struct VersionRange: Codable, Hashable, Sendable {
    package var minVersion: Int
    package var maxVersion: Int

    package init(minVersion: Int, maxVersion: Int) {
        self.minVersion = minVersion
        self.maxVersion = maxVersion
    }
}
