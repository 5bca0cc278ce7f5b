package import SMP
import SimpleXCrypto

/// The text form: a query string (`v=2-3&x3dh=…,…&kem_key=…`). A connection request contains it, escaped as a whole, as
/// the value of its parameter `e2e`.
extension E2ERatchetParamsURI: StrCodable {
    package var str: String {
        let keys = [key1, key2].map { Base64URL.encode($0.spki) }.joined(separator: ",")
        return "v=\(versions.str)&x3dh=\(keys)" + kemText
    }

    /// The KEM parameters; empty if the highest version does not support a KEM, even if there are KEM keys.
    private var kemText: String {
        guard versions.max >= E2EVersion.pqRatchet.number else { return "" }
        switch kem {
        case nil: return ""
        case .proposed(let key): return "&kem_key=\(Base64URL.encode(key))"
        case .accepted(let ciphertext, let key):
            return "&kem_ct=\(Base64URL.encode(ciphertext))&kem_key=\(Base64URL.encode(key))"
        }
    }

    /// Parses the text form. Unknown parameters are ignored. If a parameter is repeated, its first value is used.
    package init(from text: inout TextReader) throws(SMPEncodingError) {
        let parameters = text.readRest().split(separator: UInt8(ascii: "&"))
        func findParameter(_ name: String) -> ArraySlice<UInt8>? {
            let prefix = Array("\(name)=".utf8)
            return parameters.first { $0.starts(with: prefix) }?.dropFirst(prefix.count)
        }
        guard let range = findParameter("v"),
            let keys = findParameter("x3dh")?.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false),
            keys.count == 2
        else { throw .invalidValue("e2e parameters") }
        var rangeReader = TextReader(try Self.unescape(range))
        let versions = try ProtocolVersionRange(from: &rangeReader)
        try rangeReader.requireEnd()
        self.init(versions: versions, key1: try Self.parseKey(keys[0]), key2: try Self.parseKey(keys[1]))
        guard versions.max >= E2EVersion.pqRatchet.number, let kemKey = findParameter("kem_key") else { return }
        let publicKey = try Self.decodeBase64(kemKey)
        if let ciphertext = findParameter("kem_ct") {
            kem = .accepted(ciphertext: try Self.decodeBase64(ciphertext), publicKey: publicKey)
        } else {
            kem = .proposed(publicKey: publicKey)
        }
    }

    private static func parseKey(_ text: ArraySlice<UInt8>) throws(SMPEncodingError) -> X448.PublicKey {
        do { return try X448.PublicKey(spki: try decodeBase64(text)) } catch { throw .invalidValue("X448 key") }
    }

    private static func decodeBase64(_ text: ArraySlice<UInt8>) throws(SMPEncodingError) -> [UInt8] {
        let encoded = try unescape(text)
        do { return try Base64URL.decode(encoded) } catch { throw .invalidValue("base64url") }
    }

    /// Decodes percent escapes (`=` may be written `%3D`).
    private static func unescape(_ text: ArraySlice<UInt8>) throws(SMPEncodingError) -> [UInt8] {
        guard let decoded = PercentCoding.decode(text) else { throw .invalidValue("percent escape") }
        return decoded
    }
}
