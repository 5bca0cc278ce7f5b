import SMP
import SimpleXCrypto
import Transport

/// Text form: `https://<host>/a#<key>?h=<other hosts>&p=<port>&c=<key hash>`
extension ShortLink {
    package var uri: String {
        let letter: UInt8
        var path = ""
        switch kind {
        case .invitation(let linkID):
            letter = UInt8(ascii: "i")
            path = Base64URL.encode(linkID, padding: false) + "/"
        case .contact(let type): letter = type.rawValue | 0x20
        }
        let hosts = server.hosts.map(\.str)
        var parameters: [String] = []
        let others = scheme == .simplex ? hosts : Array(hosts.dropFirst())
        if !others.isEmpty { parameters.append("h=" + PercentCoding.escape(others.joined(separator: ","))) }
        if !server.port.isEmpty { parameters.append("p=" + server.port) }
        if !server.keyHash.isEmpty { parameters.append("c=" + Base64URL.encode(server.keyHash, padding: false)) }
        let authority = scheme == .simplex ? "simplex:" : "https://" + (hosts.first ?? "")
        let query = parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&")
        return
            "\(authority)/\(Character(UnicodeScalar(letter)))#\(path)\(Base64URL.encode(linkKey, padding: false))\(query)"
    }

    /// Parses a short link of any kind.
    package init(parsing text: String) throws(LinkError) {
        var reader = TextReader(text)
        do {
            try self.init(from: &reader)
        } catch let error as LinkError {
            throw error
        } catch {
            throw .malformed("short link")
        }
        guard reader.isAtEnd else { throw .malformed("end") }
    }

    private init(from reader: inout TextReader) throws {
        var host: TransportHost?
        if reader.skip("simplex:") {
            scheme = .simplex
        } else if reader.skip("https://") {
            scheme = .https
            host = try TransportHost(from: &reader)
        } else {
            throw LinkError.unknownScheme
        }
        guard reader.skip("/") else { throw LinkError.unknownKind }
        let isInvitation = reader.skip("i")
        var type = ContactType.contact
        if !isInvitation {
            guard let letter = reader.takeByte(), let known = ContactType(rawValue: letter & 0xDF) else {
                throw LinkError.unknownKind
            }
            type = known
        }
        _ = reader.skip("/")
        try reader.requireText("#")
        if isInvitation {
            kind = .invitation(linkID: try reader.readBase64URL())
            try reader.requireText("/")
        } else {
            kind = .contact(type)
        }
        linkKey = try reader.readBase64URL()
        var hosts = host.map { [$0] } ?? []
        var port = ""
        var keyHash: [UInt8] = []
        if reader.skip("?") {
            let query = QueryParameters(reader.takeQuery())
            let others = try query.parseOptionalValue("h") { reader throws(SMPEncodingError) in
                var hosts = [try TransportHost(from: &reader)]
                while reader.skip(",") { hosts.append(try TransportHost(from: &reader)) }
                return hosts
            }
            hosts += others ?? []
            port =
                try query.parseOptionalValue("p") { reader throws(SMPEncodingError) in String(try reader.readWord16()) }
                ?? ""
            keyHash =
                try query.parseOptionalValue("c") { reader throws(SMPEncodingError) in try reader.readBase64URL() }
                ?? []
        }
        guard let server = ProtocolServer(hosts: hosts, port: port, keyHash: keyHash) else {
            throw LinkError.missingParameter("h")
        }
        self.server = server
    }
}

extension TextReader {
    /// Reads one byte; nil at the end.
    fileprivate mutating func takeByte() -> UInt8? {
        var count = 0
        return takeBytes { _ in
            count += 1
            return count == 1
        }.first
    }
}
