import Foundation
import NIOCore
import SMPTestSupport
import Synchronization
import TestSupport
import Testing
import Transport

@testable import ObjectStorage

/// A storage whose answers the test decides.
@Suite("Misbehaving storages", .socketTimeLimit) struct HostileStorageTests {
    private func withBucket(
        _ reply: HTTPReceiver.Reply,
        silence: TimeAmount = .seconds(30),
        isHasty: Bool = false,
        _ body: (S3Bucket) async throws -> Void
    ) async throws {
        let receiver = try await HTTPReceiver.start(isHasty: isHasty) { _ in reply }
        try await body(makeBucket("s3+http://KEY:secret-word@127.0.0.1:\(receiver.port)/bucket", silence: silence))
        await receiver.stop()
    }

    private static func makeReply(_ status: Int, _ content: String, _ more: String = "") -> [UInt8] {
        Array("HTTP/1.1 \(status) X\r\nContent-Length: \(content.utf8.count)\r\n\(more)\r\n\(content)".utf8)
    }

    @Test(
        arguments: [
            (
                500, "<Error><Code>InternalError</Code></Error>",
                ObjectError.unavailable("it answers with status 500, InternalError")
            ),
            (503, "<Error><Code>SlowDown</Code></Error>", .unavailable("it answers with status 503, SlowDown")),
            (
                507, "<Error><Code>XMinioStorageFull</Code></Error>",
                .requestRefused(status: 507, code: "XMinioStorageFull")
            ),
            (429, "", .unavailable("it answers with status 429")),
            (
                403, "<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code><Message>secret</Message></Error>",
                .requestRefused(status: 403, code: "AccessDenied")
            ),
            (404, "<Error><Code>NoSuchBucket</Code></Error>", .requestRefused(status: 404, code: "NoSuchBucket")),
            (404, "<html>Not here</html>", .requestRefused(status: 404, code: "")),
            (
                301, "<Error><Code>PermanentRedirect</Code></Error>",
                .requestRefused(status: 301, code: "PermanentRedirect")
            ),
            (
                400, "<Error><Code>" + String(repeating: "A", count: 100) + "</Code></Error>",
                .requestRefused(status: 400, code: "")
            ),
            (400, "<Error><Code>a\u{1B}[31m</Code></Error>", .requestRefused(status: 400, code: "")),
            (204, "", .requestRefused(status: 204, code: "")),
        ] as [(Int, String, ObjectError)]
    )
    func `A temporary error status of an object storage causes 'unavailable', and other statuses cause a refusal`(
        status: Int,
        content: String,
        expected: ObjectError
    ) async throws {
        try await withBucket(.lastBytes(Self.makeReply(status, content))) { bucket in
            #expect(await catchError { try await bucket.storeObject("k", ObjectSource([1, 2, 3])) } == expected)
            #expect(await catchError { _ = try await bucket.readContent("k", size: 3) } == expected)
            if status != 204 { #expect(await catchError { try await bucket.deleteObject("k") } == expected) }
        }
    }

    @Test(arguments: [
        HTTPReceiver.Reply.lastBytes(Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab".utf8)),
        .lastBytes(Self.makeReply(200, "abcdef")), .lastBytes(Self.makeReply(200, "abc")),
        .lastBytes(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n".utf8)),
        .endless(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8), Array("2\r\nab\r\n".utf8)),
        .endless(Array("HTTP/1.1 200 OK\r\n\r\n".utf8), [UInt8](repeating: 97, count: 4096)),
        .lastBytes(Self.makeReply(200, "abcde", "Content-Encoding: gzip\r\n")),
        .lastBytes(Array("HTTP/1.1 200 OK\r\n\r\nabcd".utf8)),
    ])
    func `An incomplete, too long, too short or compressed object from an object storage is refused`(
        reply: HTTPReceiver.Reply
    ) async throws {
        try await withBucket(reply) { bucket in
            switch await catchError({ _ = try await bucket.readContent("k", size: 5) }) {
            case .sizeChanged?, .unavailable?: break
            case let other: Issue.record("\(String(describing: other))")
            }
        }
    }

    @Test(arguments: [
        HTTPReceiver.Reply.lastBytes(Self.makeReply(200, "abcde")),
        .lastBytes(Array("HTTP/1.1 200 OK\r\n\r\nabcde".utf8)),
        .lastBytes(
            Array(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n3\r\ncde\r\n0\r\n\r\n"
                    .utf8
            )
        ),
    ])
    func `A complete object is read from an object storage with a length, in chunks and without a length`(
        reply: HTTPReceiver.Reply
    ) async throws {
        try await withBucket(reply) { bucket in
            let content = try await bucket.readContent("k", size: 5)
            #expect(content == Array("abcde".utf8))
        }
    }

    @Test
    func `A success status of an object storage before the end of an upload is not accepted`() async throws {
        // The source is larger than the buffers between client and server.
        let source = ObjectSource([UInt8](repeating: 7, count: 64 << 20))
        try await withBucket(.bytes(Self.makeReply(200, "")), isHasty: true) { bucket in
            #expect(
                await catchError { try await bucket.storeObject("k", source) }
                    == .unavailable("the server accepted the request before all of it was sent")
            )
        }
        try await withBucket(.bytes(Self.makeReply(403, "<Error><Code>AccessDenied</Code></Error>")), isHasty: true) {
            bucket in
            #expect(
                await catchError { try await bucket.storeObject("k", source) }
                    == .requestRefused(status: 403, code: "AccessDenied")
            )
        }
    }

    @Test
    func `A large object that an object storage sends in small chunks is accepted`() async throws {
        let piece = String(repeating: "a", count: 128)
        let count = 100_000
        let chunks = String(repeating: "80\r\n\(piece)\r\n", count: count)
        try await withBucket(
            .lastBytes(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)0\r\n\r\n".utf8))
        ) {
            bucket in
            let content = try await bucket.readContent("k", size: 128 * count)
            #expect(content.count == 128 * count)
        }
    }

    @Test(arguments: [
        HTTPReceiver.Reply.silence, .bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab".utf8)),
        .bytes(Array("HTTP/1.1 200 O".utf8)),
    ])
    func `An object storage that stops sending in the middle of an answer causes a timeout`(
        reply: HTTPReceiver.Reply
    ) async throws {
        try await withBucket(reply, silence: .milliseconds(400)) { bucket in
            #expect(
                await catchError { _ = try await bucket.readContent("k", size: 5) } == .unavailable("no answer in time")
            )
            #expect(await catchError { try await bucket.deleteObject("k") } == .unavailable("no answer in time"))
        }
    }

    @Test
    func `While a part of an object is processed, no further bytes are received from the object storage`() async throws
    {
        struct Enough: Error {}
        let size = 64 << 20
        let receiver = try await HTTPReceiver.start { _ in
            .endless(
                Array("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n".utf8),
                [UInt8](repeating: 97, count: 1 << 16)
            )
        }
        let bucket = try makeBucket("s3+http://KEY:secret-word@127.0.0.1:\(receiver.port)/bucket")
        let taken = ReceivedBytes()
        await #expect(throws: Enough.self) {
            try await bucket.fetchObject("k", size: Int64(size)) { part in
                taken.add(part)
                // This part contains all received bytes, since nothing more is read while the consumer works.
                #expect(part.count <= 4 << 20)
                if taken.all.count > 1 << 20 { throw Enough() }
            }
        }
        #expect(taken.all.count < 8 << 20)
        await receiver.stop()
    }

    @Test
    func `A malformed list of objects in a bucket is refused, and objects with a wrong prefix are left out`()
        async throws
    {
        try await withBucket(
            .lastBytes(
                Self.makeReply(
                    200,
                    "<ListBucketResult><Contents><Key>a/1</Key></Contents><Contents><Key>b/2</Key></Contents><Key>a/x&amp;</Key><Key>a/../b/3</Key><Key>a/./4</Key><Key>a/"
                )
            )
        ) { bucket in
            let keys = try await bucket.listKeys(beginning: "a/")
            #expect(keys == ["a/1"])
        }
        try await withBucket(.lastBytes(Self.makeReply(200, "<html><Key>a/1</Key></html>"))) { bucket in
            guard case .unavailable? = await catchError({ _ = try await bucket.listKeys(beginning: "a/") }) else {
                Issue.record("an invalid list was accepted")
                return
            }
        }
    }

    @Test
    func `An upload to a bucket without TLS is sent with the length and the hash of its contents`() async throws {
        let receiver = try await HTTPReceiver.start { request in
            request.method == "HEAD"
                ? .lastBytes(Array("HTTP/1.1 200 X\r\nContent-Length: 700000\r\n\r\n".utf8)) : .status(200)
        }
        let bucket = try makeBucket("s3+http://KEY:secret-word@127.0.0.1:\(receiver.port)/bucket/p")
        let bytes = [UInt8](repeating: 7, count: 700_000)
        try await bucket.storeObject("s/k", ObjectSource(bytes))
        let request = await receiver.nextRequest()
        #expect(
            request.method == "PUT" && request.target == "/bucket/p/s/k" && request.body == bytes
                && request.header("content-length") == "700000"
        )
        #expect(
            request.header("x-amz-content-sha256")?.count == 64
                && request.header("authorization")?.contains("secret-word") == false
        )
        let confirmation = await receiver.nextRequest()
        #expect(
            confirmation.method == "HEAD" && confirmation.target == "/bucket/p/s/k" && receiver.connectionCount == 1
        )
        await receiver.stop()
    }

    @Test
    func `An upload to a bucket with TLS reads its file once and sends no hash of the contents`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "test-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let made = try ServerCredentials.generateCredentials(commonName: "localhost")
        try made.credentials.saveIdentity(directory: folder, authorityKey: made.authorityKey)
        let receiver = try await HTTPReceiver.start(
            tls: TLSServerConfiguration(made.credentials, protocols: .noProtocol)
        ) {
            request in
            request.method == "HEAD"
                ? .lastBytes(Array("HTTP/1.1 200 X\r\nContent-Length: 3\r\n\r\n".utf8)) : .status(200)
        }
        let bucket = try makeBucket(
            "s3://KEY:secret-word@localhost:\(receiver.port)/bucket",
            authorities: folder + "/ca.crt"
        )
        let source = ObjectSource([1, 2, 3])
        let opened = Mutex(0)
        try await bucket.storeObject(
            "k",
            ObjectSource(size: 3) {
                opened.withLock { $0 += 1 }
                return try source.openReader()
            }
        )
        #expect(opened.withLock { $0 } == 1)
        let request = await receiver.nextRequest()
        #expect(request.body == [1, 2, 3] && request.header("x-amz-content-sha256") == "UNSIGNED-PAYLOAD")
        await receiver.stop()
    }

    @Test(
        arguments: [
            (404, 0, ObjectError.unavailable("it accepted an object, but does not have all of it")),
            (200, 2, .unavailable("it accepted an object, but does not have all of it")),
            (500, 0, .unavailable("it answers with status 500")),
            (403, 0, .requestRefused(status: 403, code: "")),
        ] as [(Int, Int, ObjectError)]
    )
    func `An upload fails if the bucket does not have the complete object afterwards`(
        status: Int,
        length: Int,
        expected: ObjectError
    ) async throws {
        let receiver = try await HTTPReceiver.start { request in
            request.method == "HEAD"
                ? .lastBytes(Array("HTTP/1.1 \(status) X\r\nContent-Length: \(length)\r\n\r\n".utf8)) : .status(200)
        }
        let bucket = try makeBucket("s3+http://KEY:secret-word@127.0.0.1:\(receiver.port)/bucket")
        #expect(await catchError { try await bucket.storeObject("k", ObjectSource([1, 2, 3])) } == expected)
        await receiver.stop()
    }
}
