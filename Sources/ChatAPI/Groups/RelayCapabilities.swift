public struct RelayCapabilities: Codable, Hashable, Sendable {
    public var webDomain: String?

    public init(webDomain: String? = nil) {
        self.webDomain = webDomain
    }
}
