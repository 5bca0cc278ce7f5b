import OutgoingHTTP
import Testing

@testable import ObjectStorage

@Suite("URLs of buckets") struct S3URLTests {
    @Test
    func `A bucket URL is parsed into key, secret, host and bucket name, and optionally prefix and region`() throws {
        let url = try S3URL("s3://AKID:a%2Fb%2Bc@s3.example.org:8443/my.bucket/pre%20fix/x?region=eu-central-1")
        #expect(
            url.isEncrypted && url.endpoint == "https://s3.example.org:8443" && url.bucket == "my.bucket"
                && url.prefix == "pre fix/x"
        )
        #expect(
            url.signature.accessKey == "AKID" && url.signature.secretKey.bytes == Array("a/b+c".utf8)
                && url.signature.region == "eu-central-1"
        )
        #expect(url.objectPath("s/k") == "/my.bucket/pre%20fix/x/s/k" && url.prefixedKey("s/k") == "pre fix/x/s/k")
        #expect(url.maskedText == "s3://s3.example.org:8443/my.bucket/pre fix/x")
        let plain = try S3URL("s3+http://k:s@[::1]:9000/bucket/")
        #expect(
            !plain.isEncrypted && plain.endpoint == "http://[::1]:9000" && plain.prefix.isEmpty
                && plain.signature.region == "us-east-1" && plain.objectPath("k") == "/bucket/k"
        )
    }

    @Test(
        arguments: [
            (.scheme, ["", "http://k:s@h/bucket"]), (.characters, ["s3://k:s@h/bucket/a b", "s3://k:s@h/bücket"]),
            (
                .credentials,
                [
                    "s3://h/bucket", "s3://k@h/bucket", "s3://:s@h/bucket", "s3://k:@h/bucket", "s3://k:s:t@h/bucket",
                    "s3://k,x:s@h/bucket", "s3://k:s%zz@h/bucket",
                ]
            ),
            (.host, ["s3://k:s@/bucket", "s3://k:s@h:0/bucket", "s3://k:s@a@h/bucket", "s3://k:s@0177.0.0.1/bucket"]),
            (.bucket, ["s3://k:s@h", "s3://k:s@h/", "s3://k:s@h/bu", "s3://k:s@h/buck*t", "s3://k:s@h/bucket#x"]),
            (
                .folder,
                [
                    "s3://k:s@h/bucket//x", "s3://k:s@h/bucket/../x", "s3://k:s@h/bucket/%2e%2e/x",
                    "s3://k:s@h/bucket/a%2Fb", "s3://k:s@h/bucket/%zz", "s3://k:s@h/bucket/%00",
                ]
            ),
            (.query, ["s3://k:s@h/bucket?region=", "s3://k:s@h/bucket?region=a/b", "s3://k:s@h/bucket?x=1"]),
        ] as [(S3URL.Fault, [String])]
    )
    func `An invalid bucket URL is refused with an error that names the invalid part of the URL`(
        fault: S3URL.Fault,
        texts: [String]
    ) {
        for text in texts { #expect(throws: fault, "\(text)") { try S3URL(text) } }
    }

    @Test
    func `A bucket URL without TLS is accepted only for loopback and allowed addresses`() throws {
        let inner = [try #require(AddressRange("10.0.0.0/8"))]
        func mayBeReached(_ host: String, _ scheme: String, _ allowed: [AddressRange] = []) throws -> Bool {
            try S3URL("\(scheme)://k:s@\(host)/bucket").isHostAllowed(allowed)
        }
        for host in ["127.0.0.1", "127.9.9.9:9000", "[::1]:9000"] { #expect(try mayBeReached(host, "s3+http")) }
        for host in ["10.1.2.3", "192.168.1.1", "203.0.113.1", "[fd00::1]", "1.1.1.1"] {
            #expect(try !mayBeReached(host, "s3+http"))
            #expect(try mayBeReached(host, "s3"))
        }
        #expect(try mayBeReached("10.1.2.3", "s3+http", inner) && !mayBeReached("192.168.1.1", "s3+http", inner))
    }
}
