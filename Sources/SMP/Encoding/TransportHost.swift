import Glibc
internal import SimpleXCrypto
package import Transport

extension TransportHost: StrCodable {
    package var str: String { description }

    package init(from text: inout TextReader) throws(SMPEncodingError) {
        for parse in [Self.parseIPv4, Self.parseIPv6, Self.parseOnion, Self.parseDomain] {
            var attempt = text
            if let host = parse(&attempt) {
                (self, text) = (host, attempt)
                return
            }
        }
        throw text.isAtEnd ? .unexpectedEnd : .invalidValue("host")
    }

    private static func parseIPv4(_ text: inout TextReader) -> TransportHost? {
        var octets: [UInt8] = []
        for position in 0..<4 {
            guard position == 0 || text.skip("."), let number = try? text.readDecimal(),
                let octet = UInt8(exactly: number)
            else { return nil }
            octets.append(octet)
        }
        return .ipv4(octets)
    }

    private static func parseIPv6(_ text: inout TextReader) -> TransportHost? {
        let address: [UInt8]
        if text.skip("[") {
            address = text.takeBytes { $0 != UInt8(ascii: "]") }
            guard text.skip("]") else { return nil }
        } else {
            address = text.takeBytes { Hex.digitValue($0) != nil || $0 == UInt8(ascii: ":") }
        }
        guard let name = String(validating: address, as: UTF8.self), !name.utf8.contains(0) else { return nil }
        var parsed = in6_addr()
        guard inet_pton(AF_INET6, name, &parsed) == 1 else { return nil }
        return .ipv6(withUnsafeBytes(of: &parsed) { Array($0) })
    }

    private static func parseOnion(_ text: inout TextReader) -> TransportHost? {
        let name = text.takeBytes { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || isDigit($0) }
        guard !name.isEmpty, text.skip(".onion") else { return nil }
        return .onion(String(decoding: name, as: UTF8.self) + ".onion")
    }

    private static func parseDomain(_ text: inout TextReader) -> TransportHost? {
        let bytes = text.takeBytes { !":#,;/ \n\r\t".utf8.contains($0) && $0 != 0 }
        guard !bytes.isEmpty, let name = String(validating: bytes, as: UTF8.self), !name.hasSuffix(".onion") else {
            return nil
        }
        return .domain(name)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension TransportHost: SMPCodable {
    /// Encodes the host as text, after a one-byte length.
    package func encode(to writer: inout ByteWriter) { writer.writeShortText(str) }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        var text = TextReader(try reader.readShortBytes())
        self = try TransportHost(from: &text)
        try text.requireEnd()
    }
}
