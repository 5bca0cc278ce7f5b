internal import Glibc
internal import SimpleXCrypto

/// Signs requests to S3 with AWS Signature Version 4 ("Authenticating Requests (AWS Signature Version 4)" in the API
/// reference of Amazon S3).
struct S3Signature: Sendable {
    let accessKey: String
    let secretKey: SecretBytes
    let region: String

    private static let algorithm = "AWS4-HMAC-SHA256"
    /// The text that replaces the hash of the body, if the signature does not cover the body.
    static let unsignedContent = "UNSIGNED-PAYLOAD"

    /// Signs a request.
    /// - Parameters:
    ///   - path: the path as it is sent, with escapes and without the query.
    ///   - query: names and values, not escaped.
    ///   - content: SHA-256 of the body, in hexadecimal digits; or ``unsignedContent``.
    ///   - moment: the time in seconds since 1970.
    /// - Returns: the headers to send with the request, without `Host`.
    func signHeaders(
        _ method: String,
        host: String,
        path: String,
        query: [(String, String)],
        content: String,
        at moment: Int64
    ) -> [(name: String, value: String)] {
        let time = Self.makeTimeText(of: moment)
        let day = String(time.prefix(8))
        let scope = "\(day)/\(region)/s3/aws4_request"
        let names = "host;x-amz-content-sha256;x-amz-date"
        let request = [
            method, path, Self.queryText(of: query), "host:\(host)", "x-amz-content-sha256:\(content)",
            "x-amz-date:\(time)",
            "", names, content,
        ].joined(separator: "\n")
        let text = [Self.algorithm, time, scope, Hex.encode(Digest.sha256(Array(request.utf8)))].joined(separator: "\n")
        let signature = Hex.encode(HMAC.sha256(Array(text.utf8), key: deriveSigningKey(day)))
        return [
            ("x-amz-content-sha256", content), ("x-amz-date", time),
            (
                "Authorization",
                "\(Self.algorithm) Credential=\(accessKey)/\(scope), SignedHeaders=\(names), Signature=\(signature)"
            ),
        ]
    }

    private func deriveSigningKey(_ day: String) -> SecretBytes {
        var key = secretKey.withBytes { SecretBytes(Array("AWS4".utf8) + Array($0)) }
        for part in [day, region, "s3", "aws4_request"] { key = SecretBytes(HMAC.sha256(Array(part.utf8), key: key)) }
        return key
    }

    /// Returns the query as it is signed and sent: in the order of the escaped names.
    static func queryText(of query: [(String, String)]) -> String {
        query.map { (PercentCoding.escape($0.0), PercentCoding.escape($0.1)) }.sorted {
            Array($0.0.utf8).lexicographicallyPrecedes(Array($1.0.utf8))
        }
        .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    /// Returns a time in the form `20130524T000000Z`.
    static func makeTimeText(of moment: Int64) -> String {
        var (seconds, parts) = (time_t(moment), tm())
        gmtime_r(&seconds, &parts)
        func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return
            "\(parts.tm_year + 1900)\(digits(parts.tm_mon + 1))\(digits(parts.tm_mday))T\(digits(parts.tm_hour))\(digits(parts.tm_min))\(digits(parts.tm_sec))Z"
    }
}
