/// Paths of requests to connected phones. After the prefix and the id of the phone, the path of a route continues as in
/// a request to this gateway.
enum PhonePath {
    /// The prefix of the paths for a phone, in place of `/v1/`.
    static let prefix = "/v1/remote-hosts/"

    /// Returns the id of the phone in a path, and the path of the request without the phone; nil for a path without a
    /// phone.
    static func split(_ path: String) -> (id: Int64, path: String)? {
        guard path.hasPrefix(prefix) else { return nil }
        let rest = path.dropFirst(prefix.count)
        guard let end = rest.firstIndex(of: "/"), let id = Int64(wholeNumber: String(rest[..<end])), id > 0 else {
            return nil
        }
        return (id, "/v1" + rest[end...])
    }
}
