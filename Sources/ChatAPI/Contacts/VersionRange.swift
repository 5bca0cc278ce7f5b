/// The range of versions of the chat protocol that a peer supports, both ends included.
public struct VersionRange: Codable, Hashable, Sendable {
    public var minVersion: Int
    public var maxVersion: Int

    public init(minVersion: Int, maxVersion: Int) {
        self.minVersion = minVersion
        self.maxVersion = maxVersion
    }
}
