extension HTTPRequest {
    /// Returns the key in the header `X-Gotify-Key`, if the route accepts this header.
    private func gotifyKey(for route: Route) -> String? {
        switch route.policy.keyFields {
        case .authorization: nil
        case .authorizationOrGotify: header("x-gotify-key")
        }
    }

    /// Whether the request has a header with a key.
    func presentsKey(for route: Route) -> Bool {
        header("authorization") != nil || gotifyKey(for: route) != nil
    }

    /// Returns the text that the request presents as its key, in a header that the route accepts.
    func presentedKey(for route: Route) -> String? {
        guard let header = header("authorization") else { return gotifyKey(for: route) }
        guard let space = header.firstIndex(of: " ") else { return nil }
        let value = header[header.index(after: space)...].trimmingSpaces
        switch header[..<space].lowercased() {
        case "bearer": return value
        case "basic": return BasicCredentials.decodePassword(value)
        default: return nil
        }
    }
}
