/// The features that a chat relay offers to the groups that it serves.
public struct RelayCapabilities: Codable, Hashable, Sendable {
    public var webDomain: String?

    public init(webDomain: String? = nil) {
        self.webDomain = webDomain
    }
}
