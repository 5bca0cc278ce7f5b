package import SMP

/// A version of the protocol between client and file server (XFTP). If the encoding of a value differs between
/// versions, the code compares the agreed version with the constants below.
///
/// simplexmq `protocol/xftp.md`, "XFTP versions". The current numbers come from the test vectors.
package struct XFTPVersion: Hashable, Comparable, Sendable, SMPCodable, CustomStringConvertible {
    package var number: UInt16

    package init(_ number: UInt16) { self.number = number }

    package static func < (a: XFTPVersion, b: XFTPVersion) -> Bool { a.number < b.number }

    package var description: String { String(number) }

    package func encode(to writer: inout ByteWriter) { writer.writeWord16(number) }
    package init(from reader: inout ByteReader) throws(SMPEncodingError) { number = try reader.readWord16() }

    /// The version without a handshake, for servers that do not agree on ALPN `xftp/1`.
    package static let initial = XFTPVersion(1)
    /// The first version with a separate error for blocked files (ERR BLOCKED).
    package static let firstWithBlockedFiles = XFTPVersion(3)

    /// Versions that this implementation offers in the handshake. All of them are implemented completely.
    package static let supported = ProtocolVersionRange(SMPVersion(1), SMPVersion(3))
}
