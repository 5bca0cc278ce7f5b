import JSON
import SimpleXCrypto
import TestSupport
import Testing

@testable import ChatCore
@testable import Gateway

/// Uploads of files that are later sent in messages.
extension FileBytesTests {
    @Test
    func `A file is stored from a multipart form that also contains a text field`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let contents =
                Array("\r\n--x\r\n--xy-\r\n\r\n--".utf8) + RandomBytes.make(count: 100_000) + Array("\r\n--xyzz".utf8)
            let head =
                "preamble\r\n--xyz \r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nsome text\r\n--xyz\r\n"
                + "Content-Disposition: form-data; name=\"file\"; filename=\"../../a\\\"b.png\"\r\nContent-Type: image/png\r\n\r\n"
            let body =
                Array(head.replacing("xyz", with: "xyzw").utf8) + contents + Array("\r\n--xyzw--\r\nepilogue".utf8)
            let answer = try await uploadFile(
                client,
                body,
                "encrypted=false",
                headers: [("Content-Type", "multipart/form-data; boundary=\"xyzw\"")]
            )
            #expect(answer.status == 201, "\(answer.text)")
            let name = try #require(try answer.json["fileSource"]?["filePath"]?.stringValue)
            #expect(name == "a_b.png")
            #expect(try readFile(gateway, name) == contents)
            let withoutFile = Array("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--b--".utf8)
            let withoutEnd = Array("--b\r\n".utf8) + [UInt8](repeating: 65, count: 20_000)
            let wrong: [([UInt8], String)] = [
                (Array(body.dropLast(20)), "multipart/form-data; boundary=xyzw"), (body, "multipart/form-data"),
                (body, "multipart/form-data; boundary="),
                (withoutFile, "multipart/form-data; boundary=b"), (withoutEnd, "multipart/form-data; boundary=b"),
                ([], "multipart/form-data; boundary=b"),
            ]
            for (body, type) in wrong {
                #expect(
                    try await uploadFile(client, body, "", headers: [("Content-Type", type)]).status == 400,
                    "\(type)"
                )
            }
            #expect(listFiles(gateway) == [name] && listFiles(gateway, "temp/uploads").isEmpty)
        }
    }

    @Test
    func `An invalid or too large upload is refused and leaves no file`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let bytes = RandomBytes.make(count: 1000)
            let digest = "sha-256=:\(Base64.encode(Digest.sha256([1]))):"
            for (query, headers, status) in [
                ("name=a", [("Repr-Digest", digest)], 422), ("name=a", [("Repr-Digest", "md5=:AA==:")], 400),
                ("name=a", [("Upload-Length", "999")], 413),
                ("name=a", [("Upload-Length", "1001")], 422), ("name=a", [("Upload-Length", "2000000000")], 413),
                ("name=a", [("Upload-Complete", "yes")], 400),
                ("", [], 400), ("name=a&extra=1", [], 400), ("name=a&encrypted=maybe", [], 400),
                ("name=a", [("Content-Encoding", "gzip")], 415),
            ] as [(String, [(String, String)], Int)] {
                let answer = try await uploadFile(client, bytes, query, headers: headers)
                #expect(answer.status == status, "\(query) \(headers): \(answer.text)")
            }
            #expect(try await uploadFile(client, []).status == 422)
            #expect(try await uploadFile(client, bytes, user: 7).status == 404)
            let large = try await gateway.connectClient()
            try await large.connection.send(
                "POST /v1/users/1/files?name=a HTTP/1.1\r\nHost: 127.0.0.1:\(gateway.port)\r\nAuthorization: Bearer \(gateway.key)\r\nContent-Length: 2000000000\r\n\r\n"
            )
            #expect(try await large.receiveHead().status == 413)
            #expect(listFiles(gateway).isEmpty)
            try await waitUntil("no partial upload is left") { listFiles(gateway, "temp/uploads").isEmpty }
        }
    }

    @Test
    func `A chunked body of 40 MB that is too large is read to its end, and gets 413`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            try await client.connection.send(
                "POST /v1/users/1/chats/local/1/messages HTTP/1.1\r\nHost: 127.0.0.1:\(gateway.port)\r\nAuthorization: Bearer \(gateway.key)\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
            )
            let chunk = Array("F4240\r\n".utf8) + Array(repeating: 32, count: 1_000_000) + [13, 10]
            for _ in 0..<40 { try await client.connection.send(chunk) }
            try await client.connection.send("0\r\n\r\n")
            #expect(try await client.receiveHead().status == 413)
        }
    }

    @Test(arguments: [
        ("name=../../etc/passwd", "passwd"), ("name=..", "_"), ("name=a%2Fb", "b"),
        ("name=%E2%80%AEgpj.exe", "_gpj.exe"), ("name=CON.txt", "_CON.txt"),
    ])
    func `The name of an upload is replaced by a new name if the name leads out of the folder or exists already`(
        query: String,
        name: String
    ) async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            for expected in [name, nil] {
                let answer = try await uploadFile(client, [1, 2, 3], query)
                let given = try #require(try answer.json["fileSource"]?["filePath"]?.stringValue, "\(answer.text)")
                #expect(expected == nil ? given != name : given == name)
                #expect(listFiles(gateway).contains(given))
            }
        }
    }

    @Test
    func `A chunked upload is stored, and an interrupted upload leaves no file`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let head =
                "POST /v1/users/1/files?name=c.bin&encrypted=false HTTP/1.1\r\nHost: 127.0.0.1:\(gateway.port)\r\nAuthorization: Bearer \(gateway.key)\r\n"
            let broken = try await gateway.connectClient()
            try await broken.connection.send(
                Array((head + "Content-Length: 1000000\r\n\r\n").utf8) + RandomBytes.make(count: 500_000)
            )
            try await waitUntil("a part of the upload has arrived") { !listFiles(gateway, "temp/uploads").isEmpty }
            await broken.connection.close()
            try await waitUntil("no partial upload is left") { listFiles(gateway, "temp/uploads").isEmpty }
            #expect(listFiles(gateway).isEmpty)
            let chunked = try await gateway.connectClient()
            let parts = (0..<30).map { _ in RandomBytes.make(count: 30_000) }
            try await chunked.connection.send(head + "Transfer-Encoding: chunked\r\n\r\n")
            for part in parts {
                try await chunked.connection.send(Array("\(String(part.count, radix: 16))\r\n".utf8) + part + [13, 10])
            }
            try await chunked.connection.send("0\r\n\r\n")
            let answer = try await chunked.receiveHead()
            #expect(answer.status == 201)
            #expect(try readFile(gateway, "c.bin") == parts.flatMap { $0 })
        }
    }

    @Test
    func `Refused uploads do not count toward the limit of uploads`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let body = [UInt8](repeating: 0, count: 900_000)
            // The number of requests is larger than the permitted number of uploads at the same time.
            for _ in 0..<80 {
                try await client.send(
                    "PATCH",
                    "/v1/users/1/uploads/zzzzzzzzzzzzzzzzzzzzzzzz",
                    headers: [("Upload-Offset", "0"), ("Upload-Complete", "?0")],
                    body: body
                )
                #expect(try await client.receiveAnswer().status == 404)
            }
            #expect(try await uploadFile(client, [1]).status == 201)
        }
    }

    @Test
    func `An upload above the limit of simultaneous uploads gets 503 until another upload ends`() async throws {
        // At most a quarter of the connections may be uploads, which is one of seven.
        try await RealGateway.run(serving: { $0.http.maxClientDescriptors = 7 }) { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let first = try await gateway.connectClient()
            let head =
                "POST /v1/users/1/files?name=c.bin HTTP/1.1\r\nHost: 127.0.0.1:\(gateway.port)\r\nAuthorization: Bearer \(gateway.key)\r\nContent-Length: 400000\r\n\r\n"
            let bytes = RandomBytes.make(count: 400_000)
            try await first.connection.send(Array(head.utf8) + bytes[..<300_000])
            try await waitUntil("the first upload has begun") { !listFiles(gateway, "temp/uploads").isEmpty }
            let second = try await uploadFile(gateway.connectClient(), [1])
            #expect(second.status == 503 && second.header("retry-after") == "5", "\(second.text)")
            #expect(try second.json["detail"] == "Too many files are being uploaded at the same time.")
            try await first.connection.send(Array(bytes[300_000...]))
            #expect(try await first.receiveAnswer().status == 201)
            #expect(try await uploadFile(client, [1]).status == 201)
        }
    }

    @Test
    func `A new upload that begins at the offset 0 is stored, and a new upload at another offset gets 400`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let begun = try await uploadFile(
                client,
                [1, 2, 3],
                "name=r",
                headers: [("Upload-Complete", "?0"), ("Upload-Offset", "0")]
            )
            #expect(begun.status == 201 && begun.header("upload-offset") == "3", "\(begun.text)")
            #expect(try await client.call("DELETE", try #require(begun.header("location"))).status == 204)
            let wrong = try await uploadFile(
                client,
                [1, 2, 3],
                "name=r",
                headers: [("Upload-Complete", "?0"), ("Upload-Offset", "5")]
            )
            #expect(wrong.status == 400, "\(wrong.text)")
            #expect(listFiles(gateway, "temp/uploads").isEmpty)
        }
    }

    @Test
    func `An upload whose client stops sending is ended and leaves no file`() async throws {
        try await RealGateway.run(serving: { $0.http.requestTimeoutSeconds = 1 }) { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let head =
                "POST /v1/users/1/files?name=c.bin HTTP/1.1\r\nHost: 127.0.0.1:\(gateway.port)\r\nAuthorization: Bearer \(gateway.key)\r\nContent-Length: 1000000\r\n\r\n"
            try await withThrowingTaskGroup { group in
                for count in stride(from: 260_000, to: 340_000, by: 10_000) {
                    group.addTask {
                        let silent = try await gateway.connectClient()
                        try await silent.connection.send(Array(head.utf8) + RandomBytes.make(count: count))
                        _ = try? await silent.connection.receiveRest()
                        await silent.connection.close()
                    }
                }
                try await group.waitForAll()
            }
            try await waitUntil("no partial upload is left") { listFiles(gateway, "temp/uploads").isEmpty }
        }
    }

    @Test
    func `An upload in several requests keeps its bytes when a connection breaks or the gateway restarts`() async throws
    {
        let folder = try TemporaryFolder()
        let bytes = RandomBytes.make(count: 900_000)
        let (place, kept) = try await RealGateway.run(in: folder) { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let begun = try await uploadFile(
                client,
                [],
                "name=r.bin",
                headers: [("Upload-Complete", "?0"), ("Upload-Length", "900000")]
            )
            #expect(begun.status == 201 && begun.header("upload-offset") == "0", "\(begun.text)")
            let place = try #require(begun.header("location"))
            try await client.send(
                "PATCH",
                place,
                headers: [("Upload-Offset", "0"), ("Upload-Complete", "?0")],
                body: Array(bytes[..<100_001])
            )
            let first = try await client.receiveAnswer()
            #expect(first.status == 200 && first.header("upload-offset") == "100001")
            try await client.send("PATCH", place, headers: [("Upload-Offset", "5")], body: [1])
            let wrong = try await client.receiveAnswer()
            #expect(wrong.status == 409 && wrong.header("upload-offset") == "100001")
            let broken = try await gateway.connectClient()
            let head =
                "PATCH \(place) HTTP/1.1\r\nHost: 127.0.0.1:\(gateway.port)\r\nAuthorization: Bearer \(gateway.key)\r\nUpload-Offset: 100001\r\n"
            try await broken.connection.send(
                Array((head + "Content-Length: 799999\r\n\r\n").utf8) + bytes[100_001..<600_000]
            )
            try await broken.connection.finishSending()
            // A request for the offset ends the upload request that is still sending, so the offset is final.
            try await waitUntil("a part of the upload has arrived") { try uploadedSize(gateway, place) > 200_000 }
            let answer = try await client.call("HEAD", place)
            return (place, try #require(answer.header("upload-offset").flatMap { Int($0) }))
        }
        #expect((200_000...600_000).contains(kept))
        try await RealGateway.run(in: folder) { gateway in
            let client = try await gateway.connectClient()
            let state = try await client.call("GET", place)
            #expect(try state.json["offset"] == .integer(Int64(kept)) && state.json["length"] == 900_000)
            let digest = "sha-256=:\(Base64.encode(Digest.sha256(bytes))):"
            try await client.send(
                "PATCH",
                place,
                headers: [("Upload-Offset", "\(kept)"), ("Repr-Digest", digest)],
                body: Array(bytes[kept...])
            )
            let uploaded = try await client.receiveAnswer()
            #expect(uploaded.status == 201, "\(uploaded.text)")
            #expect(try await client.call("GET", place).status == 404)
            let target = "/v1/users/1/files/\(try await postNote(client, uploaded))/content"
            #expect(try await client.call("GET", target).body == bytes)
            let other = try await uploadFile(client, [1], "name=o", headers: [("Upload-Complete", "?0")])
            let otherPlace = try #require(other.header("location"))
            #expect(try await client.call("DELETE", otherPlace).status == 204)
            #expect(try await client.call("GET", otherPlace).status == 404)
            #expect(listFiles(gateway, "temp/uploads").isEmpty)
        }
    }

    @Test(arguments: ["HEAD", "PATCH", "DELETE"])
    func `A client can continue an upload although the connection of its earlier request is still open`(
        _ method: String
    ) async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let bytes = RandomBytes.make(count: 300_000)
            let begun = try await uploadFile(
                client,
                [],
                "name=r.bin",
                headers: [("Upload-Complete", "?0"), ("Upload-Length", "300000")]
            )
            let place = try #require(begun.header("location"))
            let lost = try await gateway.connectClient()
            let head =
                "PATCH \(place) HTTP/1.1\r\nHost: 127.0.0.1:\(gateway.port)\r\nAuthorization: Bearer \(gateway.key)\r\nUpload-Offset: 0\r\n"
            try await lost.connection.send(Array((head + "Content-Length: 300000\r\n\r\n").utf8) + bytes[..<200_000])
            try await waitUntil("a part of the upload has arrived") { try uploadedSize(gateway, place) > 0 }
            if method == "PATCH" {
                // The client continues with a wrong offset, and gets the right one.
                try await client.send("PATCH", place, headers: [("Upload-Offset", "0")], body: bytes)
                let refused = try await client.receiveAnswer()
                let offset = try #require(refused.header("upload-offset").flatMap { Int($0) }, "\(refused.text)")
                #expect(refused.status == 409 && (1...200_000).contains(offset))
                try await client.send(
                    "PATCH",
                    place,
                    headers: [("Upload-Offset", "\(offset)")],
                    body: Array(bytes[offset...])
                )
                #expect(try await client.receiveAnswer().status == 201)
            } else {
                #expect(try await client.call(method, place).status == (method == "HEAD" ? 200 : 204))
            }
            try await lost.connection.send(Array(bytes[200_000...]))
            let ended = try await lost.receiveAnswer()
            #expect(ended.status == 409 && ended.text.contains("continues the upload"), "\(ended.text)")
        }
    }
}
