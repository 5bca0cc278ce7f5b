/// The features that a chat relay offers to the groups that it serves.
package struct RelayCapabilities: Codable, Hashable, Sendable {
    package var webDomain: String?

    package init(webDomain: String? = nil) {
        self.webDomain = webDomain
    }
}
