internal import SimpleXCrypto

/// `Authorization: Basic`, which WebSocket clients send for `ws://name:key@host`: the password is the key; the name is
/// ignored.
enum BasicCredentials {
    static func password(_ encoded: String) -> String? {
        guard let bytes = try? Base64.decode(encoded), let text = String(validating: bytes, as: UTF8.self),
            let colon = text.firstIndex(of: ":")
        else { return nil }
        return String(text[text.index(after: colon)...])
    }
}
