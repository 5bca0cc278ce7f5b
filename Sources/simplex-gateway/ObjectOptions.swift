import ArgumentParser
import ChatCore
import Descriptors
import Logging
import NIOCore
import ObjectStorage
import OutgoingHTTP

/// The options of the object storage (S3) to which files that nobody uses are moved.
struct ObjectOptions: ParsableArguments {
    @Option(
        name: .customLong("files-s3"),
        help:
            "File with the URL of a bucket, s3://ACCESSKEY:SECRET@host[:port]/bucket[/prefix]?region=eu-central-1, or s3+http:// without TLS on loopback: files that nobody has used for a long time are moved there, encrypted, and fetched again when they are needed."
    )
    var filesS3: String?
    @Option(
        name: .customLong("files-s3-after"),
        help: "Seconds without use after which a file is removed from the disk. (default: 3600)"
    )
    var filesS3After: Int?
    @Option(
        name: .customLong("files-s3-allow"),
        help:
            "Address or range of an inner network, such as 10.0.0.0/8, that the bucket may have with s3+http://; may be repeated. (default: loopback only)"
    )
    var filesS3Allow: [String] = []
    @Option(
        name: .customLong("files-s3-ca-file"),
        help: "PEM file with certificate authorities of the bucket's server, in addition to the system's."
    )
    var filesS3CaFile: String?

    /// Maximal number of concurrent requests to the bucket, and of open connections to it. Each request uses a
    /// connection and a file. Their file descriptors come from the reserve of the descriptor budget.
    private static let maxConnections = 8

    /// Returns the bucket for files, its URL without the secret, and the idle time after which files are moved there;
    /// nil when no bucket is configured.
    func makeBucket(
        _ settings: Settings,
        _ group: any EventLoopGroup
    ) throws -> (bucket: S3Bucket, place: String, after: Duration)? {
        let after = try settings.readPositiveNumber("files-s3-after", filesS3After, upTo: 1_000_000_000)
        let ranges = try settings.readList("files-s3-allow", filesS3Allow)
        let authorities = try settings.readText("files-s3-ca-file", filesS3CaFile)
        guard let file = try settings.readPath("files-s3", filesS3) else {
            for (name, isThere) in [
                ("after", after != nil), ("allow", !ranges.isEmpty), ("ca-file", authorities != nil),
            ] where isThere {
                throw Failure.configurationFailure("--files-s3-\(name) needs --files-s3")
            }
            return nil
        }
        if let authorities { try readPEM(authorities) }
        let text = try readPassword(file)
        let url: S3URL
        do throws(S3URL.Fault) { url = try S3URL(text) } catch {
            // The message does not show the content of the file, because it is secret.
            throw Failure.configurationFailure(
                "\(file) has no URL of a bucket, such as s3://KEY:SECRET@s3.example.org/bucket?region=eu-central-1: \(error)"
            )
        }
        let allowed = try ranges.map { text in
            guard let range = AddressRange(text) else {
                throw Failure.configurationFailure(
                    "--files-s3-allow \(text) is not an address or range of addresses, such as 10.0.0.0/8"
                )
            }
            return range
        }
        guard url.isHostAllowed(allowed) else {
            throw Failure.configurationFailure(
                "\(file): without TLS a bucket may only be on loopback, or at an address that --files-s3-allow names"
            )
        }
        do throws(OutgoingHTTP.BadAuthorities) {
            let bucket = try S3Bucket(
                url,
                allowed: allowed,
                authorities: authorities,
                group: group,
                connections: Allowance(Self.maxConnections)
            )
            return (bucket, url.maskedText, .seconds(after ?? 3600))
        } catch {
            throw Failure.configurationFailure("--files-s3-ca-file: \(error.description)")
        }
    }

    /// Reads the settings of the object storage from the options.
    /// - Returns: nil when no bucket is configured.
    func makeObjectSettings(_ settings: Settings, _ group: any EventLoopGroup) throws -> ObjectSettings? {
        try makeBucket(settings, group).map {
            ObjectSettings(
                service: ObjectService($0.bucket, atOnce: Self.maxConnections, log: Logger(label: "files")),
                folder: "",
                after: $0.after
            )
        }
    }
}
