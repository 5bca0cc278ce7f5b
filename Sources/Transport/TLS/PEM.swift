import SimpleXCrypto

/// The textual form of keys and certificates (RFC 7468), with one object in each file.
enum PEM {
    enum Label: String {
        case certificate = "CERTIFICATE"
        case privateKey = "PRIVATE KEY"
    }

    static func encode(_ der: [UInt8], _ label: Label) -> [UInt8] {
        var text = "-----BEGIN \(label.rawValue)-----\n"
        var rest = Base64.encode(der)[...]
        while !rest.isEmpty {
            text += rest.prefix(64) + "\n"
            rest = rest.dropFirst(64)
        }
        return Array((text + "-----END \(label.rawValue)-----\n").utf8)
    }

    /// Returns the first object with this label; nil when it is missing or malformed.
    static func decode(_ file: [UInt8], _ label: Label) -> [UInt8]? {
        let lines = String(decoding: file, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard let start = lines.firstIndex(of: "-----BEGIN \(label.rawValue)-----"),
            let end = lines[start...].firstIndex(of: "-----END \(label.rawValue)-----")
        else { return nil }
        return try? Base64.decode(lines[(start + 1)..<end].joined())
    }
}
