import SimpleXCrypto
package import Transport

/// The address of a server: `smp://<fingerprint>[:<password>]@<host>[,<host>…][:<port>]`.
///
/// simplexmq `protocol/simplex-messaging.md`, "SMP queue URI". All hosts are names of one server.
package struct ProtocolServer: Hashable, Sendable {
    /// The protocol of a server. The raw value is the scheme of its address.
    package enum Scheme: String, Sendable {
        case smp, xftp, ntf
    }

    package var scheme: Scheme
    /// The host names of the server; at least one.
    package var hosts: [TransportHost]
    /// The port in decimal as written in the address; empty for the default port of the protocol. See ``portNumber``.
    package var port: String
    /// SHA-256 of the server's CA certificate (32 bytes in a real address).
    package var keyHash: [UInt8]
    /// The password for the creation of queues. The address of a queue never contains it.
    package var password: String?

    /// Makes an address. Returns nil when `hosts` is empty.
    package init?(
        scheme: Scheme = .smp,
        hosts: [TransportHost],
        port: String = "",
        keyHash: [UInt8],
        password: String? = nil
    ) {
        guard !hosts.isEmpty else { return nil }
        self.scheme = scheme
        self.hosts = hosts
        self.port = port
        self.keyHash = keyHash
        self.password = password
    }

    /// The TCP port of the server. If the address has no port, this is the protocol's default port (SMP 5223, others
    /// 443). Nil if the text of the port is not a port number.
    package var portNumber: UInt16? {
        port.isEmpty ? (scheme == .smp ? 5223 : 443) : UInt16(port)
    }

    /// This address without the password, as in the addresses of queues.
    package var withoutPassword: ProtocolServer {
        var server = self
        server.password = nil
        return server
    }
}

extension ProtocolServer: StrCodable, CustomStringConvertible {
    /// The address without the password, for logs.
    package var description: String { withoutPassword.str }

    package var str: String {
        "\(scheme.rawValue)://\(Base64URL.encode(keyHash))\(password.map { ":\($0)" } ?? "")@" + authority
    }

    /// The hosts and the port, without scheme, fingerprint and password: `host,host:port`.
    package var authority: String {
        hosts.map(\.str).joined(separator: ",") + (port.isEmpty ? "" : ":\(port)")
    }

    package init(from text: inout TextReader) throws(SMPEncodingError) {
        let name = text.takeBytes { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        guard let scheme = Scheme(rawValue: String(decoding: name, as: UTF8.self)) else {
            throw .invalidValue("scheme")
        }
        try text.requireText("://")
        let keyHash = try text.readBase64URL()
        var password: String?
        if text.skip(":") {
            password = try Self.parsePassword(try text.takeSomeBytes { $0 != UInt8(ascii: "@") })
        }
        try text.requireText("@")
        var hosts = [try TransportHost(from: &text)]
        while text.peek() == UInt8(ascii: ",") {
            _ = text.skip(",")
            hosts.append(try TransportHost(from: &text))
        }
        let port = text.skip(":") ? String(try text.readDecimal()) : ""
        self.scheme = scheme
        self.hosts = hosts
        self.port = port
        self.keyHash = keyHash
        self.password = password
    }

    /// Returns whether a text can be a password: printable characters without space, `@`, `:` and `/`.
    package static func isValidPassword(_ text: String) -> Bool {
        !text.isEmpty && (try? parsePassword(Array(text.utf8))) != nil
    }

    static func parsePassword(_ bytes: [UInt8]) throws(SMPEncodingError) -> String {
        let allowed = bytes.allSatisfy { (0x21...0x7E).contains($0) && !"@:/".utf8.contains($0) || $0 >= 0xA1 }
        guard allowed, let text = String(validating: bytes, as: UTF8.self) else { throw .invalidValue("password") }
        return text
    }
}

extension ProtocolServer: SMPCodable {
    /// Encodes hosts, port and key hash, but never the password. The reader knows the scheme from the context.
    package func encode(to writer: inout ByteWriter) {
        writer.writeNonEmptyList(hosts)
        writer.writeShortText(port)
        writer.writeShortBytes(keyHash)
    }

    /// Decodes the address of an SMP server. For another protocol, set ``scheme`` afterwards.
    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        scheme = .smp
        hosts = try reader.readNonEmptyList()
        port = try reader.readShortText()
        keyHash = try reader.readShortBytes()
        password = nil
    }

    /// Writes the form of old queue addresses (SMP client version 1), which has only the first host.
    package func encodeLegacy(to writer: inout ByteWriter) {
        if let host = hosts.first { writer.writeValue(host) } else { writer.recordFailure(.emptyList) }
        writer.writeShortText(port)
        writer.writeShortBytes(keyHash)
    }

    package init(legacyFrom reader: inout ByteReader) throws(SMPEncodingError) {
        scheme = .smp
        hosts = [try TransportHost(from: &reader)]
        port = try reader.readShortText()
        keyHash = try reader.readShortBytes()
        password = nil
    }
}
