internal import SimpleXCrypto

/// The credentials in `Authorization: Basic`, which WebSocket clients send for `ws://name:key@host`. The password is
/// the key. The name is ignored.
enum BasicCredentials {
    static func decodePassword(_ encoded: String) -> String? {
        guard let bytes = try? Base64.decode(encoded), let text = String(validating: bytes, as: UTF8.self),
            let colon = text.firstIndex(of: ":")
        else { return nil }
        return String(text[text.index(after: colon)...])
    }
}
