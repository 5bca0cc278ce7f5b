import SimpleXCrypto
import Testing

@testable import ObjectStorage

/// The signatures were made with botocore 1.44.8 (`botocore.auth.S3SigV4Auth`) at the time below.
@Suite("Signatures of S3") struct S3SignatureTests {
    private static let signingSeconds: Int64 = 1_767_323_045

    @Test(
        arguments: [
            (
                "GET", "s3.example.org", "/bucket/a/b-_~x.bin", [], "us-east-1", "AKIDEXAMPLE",
                "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "",
                "bd79b86dc5a154ff78c03d65fbc5a2a5a7ed1e8c9f2e11d6337096b45278db90"
            ),
            (
                "PUT", "127.0.0.1:9000", "/bucket/pre%20fix/%C3%A4/k%2B1", [], "eu-central-1", "AKIDEXAMPLE",
                "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "hello",
                "598e541888552af72744c6aaca0f6b06edbe03f27d86779611eb7340ed8ade29"
            ),
            (
                "DELETE", "s3.example.org:8443", "/bucket/k", [], "garage", "GK31c2f218a2e44f485b94239e", "b", "",
                "b9e920e1aadf57b4a74c014d332a9838656b866436fee7309036d39709b40b6d"
            ),
            (
                "GET", "s3.example.org", "/bucket", [("prefix", "a/b c/"), ("list-type", "2"), ("max-keys", "100")],
                "us-west-2", "AKIDEXAMPLE", "secret", "",
                "090963ae886575c16ab22aad43b79eb6b2b9ec24f95205cec182564ba5227ddf"
            ),
        ] as [(String, String, String, [(String, String)], String, String, String, String, String)]
    )
    func `S3 signatures of requests equal the signatures that botocore makes`(
        method: String,
        host: String,
        path: String,
        query: [(String, String)],
        region: String,
        accessKey: String,
        secret: String,
        body: String,
        expected: String
    ) {
        let signature = S3Signature(accessKey: accessKey, secretKey: SecretBytes(Array(secret.utf8)), region: region)
        let content = Hex.encode(Digest.sha256(Array(body.utf8)))
        let headers = signature.signHeaders(
            method,
            host: host,
            path: path,
            query: query,
            content: content,
            at: Self.signingSeconds
        )
        #expect(headers.map(\.name) == ["x-amz-content-sha256", "x-amz-date", "Authorization"])
        #expect(
            headers.map(\.value) == [
                content, "20260102T030405Z",
                "AWS4-HMAC-SHA256 Credential=\(accessKey)/20260102/\(region)/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=\(expected)",
            ]
        )
    }
}
