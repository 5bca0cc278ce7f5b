internal import SimpleXCrypto

/// `Authorization: Basic`, which WebSocket clients make of `ws://name:key@host`: the password is a key, the name counts for nothing.
enum BasicCredentials {
    static func password(_ encoded: String) -> String? {
        guard let bytes = try? Base64.decode(encoded), let text = String(validating: bytes, as: UTF8.self),
            let colon = text.firstIndex(of: ":")
        else { return nil }
        return String(text[text.index(after: colon)...])
    }
}
