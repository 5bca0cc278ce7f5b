/// The paths for phones. Each has the path of the same route for this gateway, below another prefix.
enum PhonePath {
    /// The prefix of the paths for a phone, in place of `/v1/`.
    static let prefix = "/v1/remote-hosts/"

    /// Returns the phone in a path, and the path of the same route for this gateway.
    static func split(_ path: String) -> (id: Int64, path: String)? {
        guard path.hasPrefix(prefix) else { return nil }
        let rest = path.dropFirst(prefix.count)
        guard let end = rest.firstIndex(of: "/"), let id = Int64(wholeNumber: String(rest[..<end])), id > 0 else {
            return nil
        }
        return (id, "/v1" + rest[end...])
    }
}
