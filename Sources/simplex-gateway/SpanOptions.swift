import ArgumentParser
import Gateway
import Logging
import NIOCore

/// The options of the OpenTelemetry collector to which spans (records of requests and their steps) are sent.
struct SpanOptions: ParsableArguments {
    @Option(
        help:
            "URL of a collector of OpenTelemetry, such as http://127.0.0.1:4318: a span of each request, and spans of the steps of messages, are sent to URL/v1/traces as JSON. (default: none)"
    )
    var otlp: String?
    @Option(
        help:
            "File with headers for the collector, one Name: value in each line. Without TLS they are sent to loopback only. (default: none)"
    )
    var otlpHeaders: String?
    @Option(help: "PEM file with certificate authorities of the collector, in addition to the system's.")
    var otlpCaFile: String?

    /// Maximal number of headers for the collector.
    private static let maxHeaders = 16
    /// Maximal size in bytes of the text with the headers.
    private static let maxHeadersLength = 8_192

    /// Makes the sender of spans from the options.
    /// - Returns: nil when no collector is configured.
    func makeExporter(_ settings: Settings, _ group: any EventLoopGroup) throws -> SpanExporter? {
        let authorities = try settings.readText("otlp-ca-file", otlpCaFile)
        guard let url = try settings.readText("otlp", otlp) else {
            for (name, isThere) in [
                ("headers", try settings.readText("otlp-headers", otlpHeaders) != nil), ("ca-file", authorities != nil),
            ] where isThere {
                throw Failure.configurationFailure("--otlp-\(name) needs --otlp")
            }
            return nil
        }
        if let authorities { try readPEM(authorities) }
        let headers = try settings.readPath("otlp-headers", otlpHeaders).map(Self.readHeaders) ?? []
        do throws(SpanExporter.Fault) {
            return try SpanExporter(
                url,
                headers: headers,
                authorities: authorities,
                group: group,
                log: Logger(label: "spans")
            )
        } catch {
            throw Failure.configurationFailure("--otlp \(error)")
        }
    }

    /// Reads the headers for the collector from a file. The errors do not show the content of the file, because it is
    /// secret.
    private static func readHeaders(_ file: String) throws -> [(name: String, value: String)] {
        let text = try readPassword(file)
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
        guard text.utf8.count <= maxHeadersLength, lines.count <= maxHeaders else {
            throw Failure.configurationFailure(
                "\(file) has more than \(maxHeaders) headers or \(maxHeadersLength) characters"
            )
        }
        return try lines.enumerated().map { index, line in
            guard let header = parseHeader(line) else {
                throw Failure.configurationFailure(
                    "\(file): line \(index + 1) is not a header for the collector, such as Authorization: Bearer TOKEN"
                )
            }
            return header
        }
    }

    /// Parses a line with an HTTP header (RFC 9110, section 5.1). Returns nil for an invalid line, and for a header
    /// that the request sets itself.
    static func parseHeader(_ line: Substring) -> (name: String, value: String)? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let name = String(line[..<colon])
        let value = line[line.index(after: colon)...].drop(while: \.isWhitespace)
        let end = value.lastIndex { !$0.isWhitespace }
        guard let end, !name.isEmpty, name.utf8.allSatisfy(isTokenByte),
            value[...end].utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 }),
            !["host", "content-length", "content-type", "transfer-encoding", "connection"].contains(name.lowercased())
        else { return nil }
        return (name, String(value[...end]))
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
