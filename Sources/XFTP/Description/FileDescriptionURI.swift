import SMP
import SimpleXCrypto

/// A recipient's description as a link, `simplex:/file#/?desc=…`, for files outside of chats.
package struct FileDescriptionURI: Hashable, Sendable {
    package enum Scheme: Hashable, Sendable {
        case simplex
        /// A link that begins with `https://` and this host, which may include a port.
        case server(String)
    }

    /// Maximal length of a link that fits well into a QR code. If a link would be longer, its description is uploaded
    /// as a file. The link then contains the description of this file (a redirect).
    package static let maxQRCodeLength = 1002
    private static let maxTextLength = 4 * FileDescription.maxTextSize

    package var scheme: Scheme
    package var fileDescription: FileDescription
    /// JSON data that an app has added to the link.
    package var clientData: String?

    package init(scheme: Scheme = .simplex, fileDescription: FileDescription, clientData: String? = nil) {
        self.scheme = scheme
        self.fileDescription = fileDescription
        self.clientData = clientData
    }

    package var text: String {
        let prefix =
            switch scheme {
            case .simplex: "simplex:"
            case .server(let host): "https://" + host
            }
        let data = clientData.map { "&data=" + PercentCoding.escape($0) } ?? ""
        return prefix + "/file#/?desc=" + PercentCoding.escape(fileDescription.text) + data
    }

    /// Parses a link. The description must be valid (``FileDescription/init(parsing:)``) and belong to a recipient.
    package init(parsing text: String) throws(FileDescriptionError) {
        guard text.utf8.count <= Self.maxTextLength else { throw .tooLarge }
        var rest: Substring
        if text.hasPrefix("simplex:") {
            scheme = .simplex
            rest = text.dropFirst("simplex:".count)
        } else if text.hasPrefix("https://") {
            rest = text.dropFirst("https://".count)
            let host = rest.prefix { $0 != "/" && $0 != "#" && $0 != "?" }
            guard !host.isEmpty, host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || ".-:[]".contains($0)) })
            else { throw .malformed("host") }
            scheme = .server(String(host))
            rest = rest.dropFirst(host.count)
        } else {
            throw .malformed("scheme")
        }
        guard let path = ["/file#/?", "/file/#/?"].first(where: { rest.hasPrefix($0) }) else {
            throw .malformed("path")
        }
        rest = rest.dropFirst(path.count)
        var values: [String: [UInt8]] = [:]
        for pair in rest.utf8.split(whereSeparator: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: ";") }) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.map({ String(decoding: PercentCoding.decodeQuery($0), as: UTF8.self) }),
                values[name] == nil
            else { continue }
            values[name] = parts.count == 2 ? PercentCoding.decodeQuery(parts[1]) : []
        }
        guard let yaml = values["desc"].flatMap({ String(validating: $0, as: UTF8.self) }) else {
            throw .malformed("desc")
        }
        fileDescription = try FileDescription(parsing: yaml)
        guard fileDescription.party == .recipient else { throw .wrongParty }
        clientData = values["data"].map { String(decoding: $0, as: UTF8.self) }
    }
}
