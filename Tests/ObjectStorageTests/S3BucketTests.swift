import ServerSupport
import TestSupport
import Testing

@testable import ObjectStorage

/// Tests with a server that checks signatures.
@Suite(
    "Objects in S3 buckets",
    .socketTimeLimit,
    .enabled(if: S3Server.isInstalled, "moto is not installed: sh deploy/object-storage")
)
struct S3BucketTests {
    private func withServer(_ body: (S3Server) async throws -> Void) async throws {
        let server = try S3Server()
        defer { server.endProcess() }
        try await body(server)
    }

    private static let largeContent = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    @Test
    func `An object is stored in an S3 bucket, read, listed and removed`() async throws {
        try await withServer { server in
            let bucket = try makeBucket(
                server.url(prefix: "pre fix".replacing(" ", with: "%20") + "/ä".replacing("ä", with: "%C3%A4"))
            )
            for (key, bytes) in [("s/one", [UInt8]("hello".utf8)), ("s/two", Self.largeContent), ("other/x", [7])] {
                try await bucket.storeObject(key, ObjectSource(bytes))
                #expect(try await bucket.readContent(key, size: bytes.count) == bytes)
            }
            #expect(try server.listKeys().count == 3 && server.listKeys().allSatisfy { $0.hasPrefix("pre") })
            #expect(try await bucket.listKeys(beginning: "s/") == ["s/one", "s/two"])
            try await bucket.deleteObject("s/one")
            try await bucket.deleteObject("s/one")
            #expect(try await bucket.listKeys(beginning: "") == ["other/x", "s/two"])
            #expect(await catchError { _ = try await bucket.readContent("s/one", size: 5) } == .objectMissing)
            try await bucket.checkAccess()
        }
    }

    @Test
    func `An S3 object whose size differs from the expected size is refused`() async throws {
        try await withServer { server in
            let bucket = try makeBucket(server.url())
            try await bucket.storeObject("k", ObjectSource([1, 2, 3, 4]))
            for size in [3, 5, 0] {
                #expect(await catchError { _ = try await bucket.readContent("k", size: size) } == .sizeChanged)
            }
        }
    }

    @Test
    func `An upload to an S3 bucket whose contents end early is not stored`() async throws {
        try await withServer { server in
            let bucket = try makeBucket(server.url())
            guard
                case .unavailable? = await catchError({
                    try await bucket.storeObject("short", ObjectSource([1, 2, 3], size: 5))
                })
            else {
                Issue.record("a part was kept")
                return
            }
            #expect(try server.listKeys().isEmpty)
        }
    }

    @Test
    func `A wrong secret, key or bucket name causes a specific error that contains no secret`() async throws {
        try await withServer { server in
            for (url, code) in [
                (server.url(secret: "wrong-word"), "SignatureDoesNotMatch"),
                (server.url().replacing(server.accessKey, with: "AKIAUNKNOWN"), "InvalidAccessKeyId"),
                (server.url().replacing("/files?", with: "/nowhere?"), "NoSuchBucket"),
            ] {
                let bucket = try makeBucket(url)
                for error in [
                    await catchError { try await bucket.storeObject("k", ObjectSource([1])) },
                    await catchError { _ = try await bucket.readContent("k", size: 1) },
                    await catchError { try await bucket.checkAccess() },
                ] {
                    guard case .requestRefused(_, let found)? = error else {
                        Issue.record("\(code): \(String(describing: error))")
                        continue
                    }
                    #expect(
                        found == code && !"\(error.map(\.description) ?? "")".contains(server.secret)
                            && !"\(error.map(\.description) ?? "")".contains("wrong-word")
                    )
                }
            }
        }
    }
}
