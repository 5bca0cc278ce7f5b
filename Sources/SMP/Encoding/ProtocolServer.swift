import SimpleXCrypto
public import Transport

/// The address of a server: `smp://<fingerprint>[:<password>]@<host>[,<host>…][:<port>]`.
///
/// simplexmq `protocol/simplex-messaging.md`, "SMP queue URI". All hosts are names of one server.
public struct ProtocolServer: Hashable, Sendable {
    /// The protocol a server speaks, which is the scheme of its address.
    public enum Scheme: String, Sendable {
        case smp, xftp, ntf
    }

    public var scheme: Scheme
    /// One at least.
    public var hosts: [TransportHost]
    /// Decimal text as given, empty for the protocol's own port; see ``portNumber``.
    public var port: String
    /// SHA-256 of the server's CA certificate (32 bytes in a real address).
    public var keyHash: [UInt8]
    /// The password that creating queues needs; never a part of a queue's address.
    public var password: String?

    /// Nil when there is no host.
    public init?(
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

    /// The TCP port; the protocol's own (SMP 5223, others 443) when none is given, nil when it is not a port number.
    public var portNumber: UInt16? {
        port.isEmpty ? (scheme == .smp ? 5223 : 443) : UInt16(port)
    }

    /// The same server as it appears in the addresses of its queues.
    public var withoutPassword: ProtocolServer {
        var server = self
        server.password = nil
        return server
    }
}

extension ProtocolServer: StrCodable, CustomStringConvertible {
    /// The address without the password, for logs.
    public var description: String { withoutPassword.str }

    public var str: String {
        "\(scheme.rawValue)://\(Base64URL.encode(keyHash))\(password.map { ":\($0)" } ?? "")@" + authority
    }

    /// The hosts and port alone: `host,host:port`.
    public var authority: String {
        hosts.map(\.str).joined(separator: ",") + (port.isEmpty ? "" : ":\(port)")
    }

    public init(from text: inout TextReader) throws(SMPEncodingError) {
        let name = text.take { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        guard let scheme = Scheme(rawValue: String(decoding: name, as: UTF8.self)) else {
            throw .invalidValue("scheme")
        }
        try text.expect("://")
        let keyHash = try text.base64url()
        var password: String?
        if text.skip(":") {
            password = try Self.password(try text.takeSome { $0 != UInt8(ascii: "@") })
        }
        try text.expect("@")
        var hosts = [try TransportHost(from: &text)]
        while text.peek() == UInt8(ascii: ",") {
            _ = text.skip(",")
            hosts.append(try TransportHost(from: &text))
        }
        let port = text.skip(":") ? String(try text.decimal()) : ""
        self.scheme = scheme
        self.hosts = hosts
        self.port = port
        self.keyHash = keyHash
        self.password = password
    }

    /// A password has printable characters without space, `@`, `:` and `/`.
    public static func isPassword(_ text: String) -> Bool { !text.isEmpty && (try? password(Array(text.utf8))) != nil }

    static func password(_ bytes: [UInt8]) throws(SMPEncodingError) -> String {
        let allowed = bytes.allSatisfy { (0x21...0x7E).contains($0) && !"@:/".utf8.contains($0) || $0 >= 0xA1 }
        guard allowed, let text = String(validating: bytes, as: UTF8.self) else { throw .invalidValue("password") }
        return text
    }
}

extension ProtocolServer: SMPCodable {
    /// Encodes hosts, port and key hash. The scheme follows from the context, and the password is never encoded.
    public func encode(to writer: inout ByteWriter) {
        writer.nonEmptyList(hosts)
        writer.shortText(port)
        writer.shortBytes(keyHash)
    }

    /// An SMP server; set ``scheme`` for another.
    public init(from reader: inout ByteReader) throws(SMPEncodingError) {
        scheme = .smp
        hosts = try reader.nonEmptyList()
        port = try reader.shortText()
        keyHash = try reader.shortBytes()
        password = nil
    }

    /// The form of old queue addresses (SMP client version 1), with the first host only.
    public func encodeLegacy(to writer: inout ByteWriter) {
        if let host = hosts.first { writer.value(host) } else { writer.fail(.emptyList) }
        writer.shortText(port)
        writer.shortBytes(keyHash)
    }

    public init(legacyFrom reader: inout ByteReader) throws(SMPEncodingError) {
        scheme = .smp
        hosts = [try TransportHost(from: &reader)]
        port = try reader.shortText()
        keyHash = try reader.shortBytes()
        password = nil
    }
}
