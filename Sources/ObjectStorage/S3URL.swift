package import OutgoingHTTP
internal import SimpleXCrypto

/// The address of a bucket, with the access key:
/// `s3://ACCESSKEY:SECRET@host[:port]/bucket[/prefix]?region=eu-central-1`, with percent-encoded parts; `s3+http://`
/// without TLS.
package struct S3URL: Sendable {
    /// Scheme, host and port, without a path.
    let endpoint: String
    package let isEncrypted: Bool
    package let bucket: String
    /// The prefix of all keys in the bucket, without slashes at its ends; empty for no prefix.
    let prefix: String
    let signature: S3Signature

    /// The region in signatures for a storage that has no regions.
    private static let standardRegion = "us-east-1"

    /// The reason why a text is invalid. The parts of the text may be secret, so the reason does not contain them.
    package enum Fault: String, Error, Sendable, CustomStringConvertible {
        case scheme = "it does not begin with s3:// or s3+http://"
        case characters = "it has spaces or other characters that must be written as %XX, or more than 2,048 characters"
        case credentials = "KEY:SECRET@ must stand alone before the host (%2F stands for a slash, %40 for @, %3A for :)"
        case host = "the host is missing or invalid"
        case bucket =
            "the bucket after the host is missing, or its name is invalid: 3 to 63 letters, digits, dots, dashes and underscores"
        case folder = "the folder after the bucket has an empty part, . or .., or more than 400 bytes"
        case query = "only ?region= with a region can follow"

        package var description: String { rawValue }
    }

    package init(_ text: String) throws(Fault) {
        let rest: Substring
        if text.hasPrefix("s3://") {
            (isEncrypted, rest) = (true, text.dropFirst("s3://".count))
        } else if text.hasPrefix("s3+http://") {
            (isEncrypted, rest) = (false, text.dropFirst("s3+http://".count))
        } else {
            throw .scheme
        }
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .characters }
        guard let at = rest.firstIndex(of: "@") else { throw .credentials }
        let user = rest[..<at].split(separator: ":", omittingEmptySubsequences: false).map {
            PercentCoding.decodeText($0.utf8)
        }
        guard user.count == 2, let accessKey = user[0], let secret = user[1], !accessKey.isEmpty, !secret.isEmpty,
            accessKey.utf8.allSatisfy({
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "/")
            })
        else { throw .credentials }
        let parts = rest[rest.index(after: at)...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let region = Self.parseRegion(parts.count > 1 ? parts[1] : nil) else { throw .query }
        let host = parts[0].prefix { $0 != "/" }
        endpoint = (isEncrypted ? "https://" : "http://") + host
        guard !host.isEmpty, let url = try? TargetURL(endpoint), !url.hasCredentials else { throw .host }
        let place = parts[0].dropFirst(host.count + 1)
        var names = (place.hasSuffix("/") ? place.dropLast() : place).split(
            separator: "/",
            omittingEmptySubsequences: false
        ).map { PercentCoding.decodeText($0.utf8) ?? "" }
        guard let bucket = names.first, Self.isBucketName(bucket) else { throw .bucket }
        names.removeFirst()
        prefix = names.joined(separator: "/")
        guard !names.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." || $0.contains("/") }),
            prefix.utf8.count <= 400,
            prefix.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { throw .folder }
        self.bucket = bucket
        signature = S3Signature(accessKey: accessKey, secretKey: SecretBytes(Array(secret.utf8)), region: region)
    }

    /// Returns the policy for addresses of the storage. With TLS any address is allowed, because the operator has named
    /// the storage.
    /// - Parameter allowed: allowed addresses without TLS, in addition to loopback.
    func makeAddressPolicy(_ allowed: [AddressRange]) -> AddressPolicy {
        let ranges = isEncrypted ? ["0.0.0.0/0", "::/0"] : ["127.0.0.0/8", "::1"]
        return AddressPolicy(allowed: ranges.compactMap { AddressRange($0) } + (isEncrypted ? [] : allowed))
    }

    /// Returns whether requests may be sent to the host of this URL. The addresses of a host name are checked only when
    /// a request is sent.
    package func isHostAllowed(_ allowed: [AddressRange]) -> Bool {
        guard case .address(let address)? = (try? TargetURL(endpoint))?.host else { return true }
        return makeAddressPolicy(allowed).permits(address, isEncrypted: isEncrypted)
    }

    /// The URL without the access key and its secret.
    package var maskedText: String {
        "\(isEncrypted ? "s3" : "s3+http")://\(endpoint.split(separator: "/").last ?? "")/\(bucket)\(prefix.isEmpty ? "" : "/\(prefix)")"
    }

    private static func parseRegion(_ query: Substring?) -> String? {
        guard let query else { return standardRegion }
        guard query.hasPrefix("region="), let region = PercentCoding.decodeText(query.dropFirst("region=".count).utf8),
            (1...64).contains(region.utf8.count),
            region.utf8.allSatisfy({
                isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".")
            })
        else { return nil }
        return region
    }

    private static func isBucketName(_ name: String) -> Bool {
        (3...63).contains(name.utf8.count) && name.utf8.allSatisfy { isLetterOrDigit($0) || "-._".utf8.contains($0) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    /// Returns the path with percent escapes in each of its parts.
    private static func escapePath(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { PercentCoding.escape(String($0)) }.joined(
            separator: "/"
        )
    }

    /// Returns the key of an object with the prefix of the bucket URL before it.
    func prefixedKey(_ key: String) -> String { prefix.isEmpty ? key : prefix + "/" + key }

    var bucketPath: String { "/" + Self.escapePath(bucket) }
    func objectPath(_ key: String) -> String { bucketPath + "/" + Self.escapePath(prefixedKey(key)) }
}
