import Foundation
import JSON
import SimpleXCrypto
import TestSupport
import Testing

@testable import ChatCore
@testable import Gateway

/// Files as bytes over HTTP: uploads for messages, and the contents of files that messages have.
@Suite(.overSockets) struct FileBytesTests {
    private func upload(
        _ client: HTTPClient,
        _ body: [UInt8],
        _ query: String = "name=x.bin",
        headers: [(String, String)] = [],
        user: Int64 = 1
    ) async throws -> HTTPClient.Answer {
        try await client.send("POST", "/v1/users/\(user)/files?\(query)", headers: headers, body: body)
        return try await client.answer()
    }

    /// Posts a note with the uploaded file, and returns the id of the file.
    private func note(_ client: HTTPClient, _ uploaded: HTTPClient.Answer) async throws -> Int64 {
        let message: JSONValue = [
            "fileSource": try #require(try uploaded.json["fileSource"]), "msgContent": ["type": "file", "text": ""],
            "mentions": [:],
        ]
        let answer = try await client.post("/v1/users/1/chats/local/1/messages", ["composedMessages": [message]])
        return try #require(
            try answer.json["chatItems"]?[0]?["chatItem"]?["file"]?["fileId"]?.integerValue,
            "\(answer.text)"
        )
    }

    private func files(_ gateway: RealGateway, _ folder: String = "files") -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: gateway.folder + "/" + folder)) ?? []
    }

    /// Returns the number of bytes of an upload on disk.
    private func arrived(_ gateway: RealGateway, _ place: String) throws -> Int {
        try FileManager.default.attributesOfItem(
            atPath: gateway.folder + "/temp/uploads/" + (place.split(separator: "/").last ?? "")
        )[.size] as? Int ?? 0
    }

    private func stored(_ gateway: RealGateway, _ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: gateway.folder + "/files/" + name)))
    }

    @Test("The deletion of all files keeps the messages, files of others, and uploads without a message")
    func deletion() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            _ = try await client.user("alice")
            let amount = #"sxgw_store_used_bytes{store="default",resource="files"} "#
            func used() async throws -> Int {
                let lines = try await client.call("GET", "/metrics").text.split(separator: "\n")
                let line = try #require(lines.first { $0.hasPrefix(amount) })
                return try #require(Int(line.dropFirst(amount.count)))
            }
            let bytes = Array("the contents".utf8)
            let (first, second) = (
                try await note(client, upload(client, bytes, "name=a.bin")),
                try await note(client, upload(client, bytes, "name=b.bin&encrypted=false"))
            )
            let waiting = try await upload(client, bytes, "name=c.bin&encrypted=false")
            let usedBefore = try await used()
            let before = try await client.call("GET", "/v1/users/1/chats/local/1").json["chat"]?["chatItems"]?
                .arrayValue
            let deleted = try await client.call("DELETE", "/v1/database/files")
            #expect(try deleted.status == 200 && deleted.json == ["files": 2], "\(deleted.text)")
            for file in [first, second] {
                #expect(try await client.call("GET", "/v1/users/1/files/\(file)/content").status == 404)
            }
            try await eventually("the files are gone from the disk") { files(gateway) == ["c.bin"] }
            let after = try await client.call("GET", "/v1/users/1/chats/local/1").json["chat"]?["chatItems"]?.arrayValue
            #expect(after?.map { $0["meta"]?["itemId"] } == before?.map { $0["meta"]?["itemId"] })
            #expect(after?.contains { $0["file"]?["fileSource"] != nil } == false)
            let usedAfter = try await used()
            #expect(usedAfter < usedBefore, "\(usedAfter) of \(usedBefore) bytes")
            #expect(try await client.call("DELETE", "/v1/database/files").json == ["files": 0])
            // The upload can still be sent, and its name is not taken by another file.
            let third = try await note(client, waiting)
            #expect(try await client.call("GET", "/v1/users/1/files/\(third)/content").body == bytes)
        }
    }

    @Test("A client cannot read, send or delete, by any path, a file of another profile or in the space of the store")
    func foreignPaths() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.client()
            _ = try await admin.user("alice")
            _ = try await admin.user("bob")
            let secret = Array("the secret of bob".utf8)
            #expect(try await upload(admin, secret, "name=secret.txt&encrypted=false", user: 2).status == 201)
            try FileManager.default.createDirectory(
                atPath: gateway.folder + "/space",
                withIntermediateDirectories: true
            )
            try Data("an archive".utf8).write(to: URL(filePath: gateway.folder + "/space/e.zip"))
            let key = try KeyFile(folder: gateway.folder).add(
                name: "alice",
                scopes: [.read, .write, .events],
                userId: 1
            ).key.text
            let alice = try await gateway.client(key: key)
            try await alice.until(200, at: "/v1/users/1")
            func folder(_ user: Int64) async throws -> Int64 {
                let chats = try await admin.call("GET", "/v1/users/\(user)/chats").json["chats"]?.arrayValue ?? []
                return chats.compactMap { $0["chatInfo"]?["noteFolder"]?["noteFolderId"]?.integerValue }.first ?? 0
            }
            func send(_ client: HTTPClient, _ path: String, user: Int64 = 1) async throws -> HTTPClient.Answer {
                let message: JSONValue = [
                    "fileSource": ["filePath": .string(path)], "msgContent": ["type": "file", "text": ""],
                    "mentions": [:],
                ]
                return try await client.post(
                    "/v1/users/\(user)/chats/local/\(try await folder(user))/messages",
                    ["composedMessages": [message]]
                )
            }
            let paths = [
                "secret.txt", gateway.folder + "/files/secret.txt", gateway.folder + "/space/e.zip",
                gateway.folder + "/space/../files/secret.txt",
            ]
            for path in paths {
                let status = try await send(alice, path).status
                #expect([403, 404].contains(status), "\(path): \(status)")
                let standalone = try await alice.post(
                    "/v1/users/1/standalone-files",
                    ["file": ["filePath": .string(path)]]
                ).status
                #expect([403, 404].contains(standalone), "\(path): \(standalone)")
            }
            // A key that may name any path cannot send a file of another profile either, with any spelling of the path.
            for path in paths.prefix(2) { #expect(try await send(admin, path).status == 404, "\(path)") }
            // The owner can name the file in different ways. When the second item is deleted, the first item still has
            // the file.
            let items = [try await send(admin, paths[0], user: 2), try await send(admin, paths[1], user: 2)]
            let ids = try items.compactMap {
                try $0.json["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue
            }
            let file = try #require(
                try items[0].json["chatItems"]?[0]?["chatItem"]?["file"]?["fileId"]?.integerValue,
                "\(items[0].text)"
            )
            #expect(ids.count == 2)
            #expect(
                try await admin.call(
                    "DELETE",
                    "/v1/users/2/chats/local/\(try await folder(2))/messages?itemIds=\(ids[1])&mode=internal"
                ).status == 200
            )
            let worker = try #require(gateway.core.workers.lazy.compactMap { $0 as? FileWorker }.first)
            try await worker.clear()
            #expect(try await admin.call("GET", "/v1/users/2/files/\(file)/content").body == secret)
        }
    }

    @Test(
        "An uploaded file of a message is downloaded unchanged, completely or in parts",
        arguments: [true, false],
        [1, 700_000]
    )
    func roundTrip(isEncrypted: Bool, size: Int) async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            _ = try await client.user("alice")
            let bytes = RandomBytes.make(count: size)
            let digest = "sha-256=:\(Base64.encode(Digest.sha256(bytes))):"
            let uploaded = try await upload(
                client,
                bytes,
                "name=photo.jpg&encrypted=\(isEncrypted)",
                headers: [("Repr-Digest", digest), ("Content-Type", "image/jpeg")]
            )
            #expect(uploaded.status == 201, "\(uploaded.text)")
            #expect(
                try uploaded.json["fileSource"]?["filePath"] == "photo.jpg"
                    && uploaded.json["fileSize"] == .integer(Int64(size))
            )
            #expect(try (uploaded.json["fileSource"]?["cryptoArgs"] != nil) == isEncrypted)
            let onDisk = try stored(gateway, "photo.jpg")
            #expect(
                isEncrypted
                    ? onDisk.count == size + 16 && (size == 1 || onDisk.prefix(size) != bytes[...]) : onDisk == bytes
            )
            let target = "/v1/users/1/files/\(try await note(client, uploaded))/content"
            let whole = try await client.call("GET", target)
            #expect(whole.status == 200 && whole.body == bytes)
            #expect(whole.header("content-type") == "image/jpeg" && whole.header("x-content-type-options") == "nosniff")
            #expect(whole.header("content-disposition")?.hasPrefix("attachment; filename=\"photo.jpg\"") == true)
            let tag = try #require(whole.header("etag"))
            #expect(try await client.call("GET", target, headers: [("If-None-Match", tag)]).status == 304)
            let head = try await client.call("HEAD", target)
            #expect(head.status == 200 && head.header("content-length") == String(size) && head.header("etag") == tag)
            var random = SeededRandom()
            for _ in 0..<20 {
                let first = Int.random(in: 0..<size, using: &random)
                let last = Int.random(in: first..<(size + 10), using: &random)
                let part = try await client.call("GET", target, headers: [("Range", "bytes=\(first)-\(last)")])
                let end = min(last, size - 1)
                #expect(part.status == 206 && part.body[...] == bytes[first...end], "\(first)-\(last)")
                #expect(part.header("content-range") == "bytes \(first)-\(end)/\(size)")
            }
            #expect(try await client.call("GET", target, headers: [("Range", "bytes=-1")]).body == [bytes[size - 1]])
            for odd in [
                "bytes=", "bytes=x", "bytes=5-2,7", "bytes=2-1", "items=0-1", "bytes=0-0,0-0", "bytes=--1",
                "bytes=+1-2",
            ] {
                let answer = try await client.call("GET", target, headers: [("Range", odd)])
                #expect(answer.status == 200 && answer.body == bytes, "\(odd)")
            }
            for beyond in ["bytes=\(size)-", "bytes=99999999999999999999-", "bytes=-0"] {
                let answer = try await client.call("GET", target, headers: [("Range", beyond)])
                #expect(answer.status == 416 && answer.header("content-range") == "bytes */\(size)", "\(beyond)")
            }
            #expect(
                try await client.call("GET", target, headers: [("Range", "bytes=0-0"), ("If-Range", tag)]).status == 206
            )
            #expect(
                try await client.call("GET", target, headers: [("Range", "bytes=0-0"), ("If-Range", "\"other\"")])
                    .status == 200
            )
            #expect(files(gateway, "temp/uploads").isEmpty)
        }
    }

    @Test("A file that was changed on disk is not returned, not even in part")
    func damaged() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            _ = try await client.user("alice")
            let uploaded = try await upload(client, RandomBytes.make(count: 200_000))
            let target = "/v1/users/1/files/\(try await note(client, uploaded))/content"
            #expect(try await client.call("GET", target).status == 200)
            var bytes = try stored(gateway, "x.bin")
            bytes[150_000] ^= 1
            try Data(bytes).write(to: URL(fileURLWithPath: gateway.folder + "/files/x.bin"))
            #expect(try await client.call("GET", target, headers: [("Range", "bytes=0-9")]).status == 500)
            try FileManager.default.removeItem(atPath: gateway.folder + "/files/x.bin")
            #expect(try await client.call("GET", target).status == 404)
            // A file behind a symbolic link is not read either.
            try FileManager.default.createSymbolicLink(
                atPath: gateway.folder + "/files/x.bin",
                withDestinationPath: gateway.folder + "/admin.key"
            )
            #expect(try await client.call("GET", target).status == 404)
            #expect(try await client.call("GET", "/v1/users/1/files/99/content").status == 404)
        }
    }

    @Test("A form with a file may contain any other parts")
    func form() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            _ = try await client.user("alice")
            let contents =
                Array("\r\n--x\r\n--xy-\r\n\r\n--".utf8) + RandomBytes.make(count: 100_000) + Array("\r\n--xyzz".utf8)
            let head =
                "preamble\r\n--xyz \r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nsome text\r\n--xyz\r\n"
                + "Content-Disposition: form-data; name=\"file\"; filename=\"../../a\\\"b.png\"\r\nContent-Type: image/png\r\n\r\n"
            let body =
                Array(head.replacing("xyz", with: "xyzw").utf8) + contents + Array("\r\n--xyzw--\r\nepilogue".utf8)
            let answer = try await upload(
                client,
                body,
                "encrypted=false",
                headers: [("Content-Type", "multipart/form-data; boundary=\"xyzw\"")]
            )
            #expect(answer.status == 201, "\(answer.text)")
            let name = try #require(try answer.json["fileSource"]?["filePath"]?.stringValue)
            #expect(name == "a_b.png")
            #expect(try stored(gateway, name) == contents)
            let withoutFile = Array("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--b--".utf8)
            let withoutEnd = Array("--b\r\n".utf8) + [UInt8](repeating: 65, count: 20_000)
            let wrong: [([UInt8], String)] = [
                (Array(body.dropLast(20)), "multipart/form-data; boundary=xyzw"), (body, "multipart/form-data"),
                (body, "multipart/form-data; boundary="),
                (withoutFile, "multipart/form-data; boundary=b"), (withoutEnd, "multipart/form-data; boundary=b"),
                ([], "multipart/form-data; boundary=b"),
            ]
            for (body, type) in wrong {
                #expect(try await upload(client, body, "", headers: [("Content-Type", type)]).status == 400, "\(type)")
            }
            #expect(files(gateway) == [name] && files(gateway, "temp/uploads").isEmpty)
        }
    }

    @Test("An invalid or too large upload is refused and leaves no file")
    func refusals() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            _ = try await client.user("alice")
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
                let answer = try await upload(client, bytes, query, headers: headers)
                #expect(answer.status == status, "\(query) \(headers): \(answer.text)")
            }
            #expect(try await upload(client, []).status == 422)
            #expect(try await upload(client, bytes, user: 7).status == 404)
            let large = try await gateway.client()
            try await large.connection.send(
                "POST /v1/users/1/files?name=a HTTP/1.1\r\nHost: 127.0.0.1:\(gateway.port)\r\nAuthorization: Bearer \(gateway.key)\r\nContent-Length: 2000000000\r\n\r\n"
            )
            #expect(try await large.head().status == 413)
            #expect(files(gateway).isEmpty)
            try await eventually("no partial upload is left") { files(gateway, "temp/uploads").isEmpty }
        }
    }

    @Test(
        "A file name that leads out of the folder or exists already is replaced by another name",
        arguments: [
            ("name=../../etc/passwd", "passwd"), ("name=..", "_"), ("name=a%2Fb", "b"),
            ("name=%E2%80%AEgpj.exe", "_gpj.exe"), ("name=CON.txt", "_CON.txt"),
        ]
    )
    func names(query: String, name: String) async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            _ = try await client.user("alice")
            for expected in [name, nil] {
                let answer = try await upload(client, [1, 2, 3], query)
                let given = try #require(try answer.json["fileSource"]?["filePath"]?.stringValue, "\(answer.text)")
                #expect(expected == nil ? given != name : given == name)
                #expect(files(gateway).contains(given))
            }
        }
    }

    @Test("A chunked upload is stored, and an interrupted upload leaves no file")
    func chunks() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            _ = try await client.user("alice")
            let head =
                "POST /v1/users/1/files?name=c.bin&encrypted=false HTTP/1.1\r\nHost: 127.0.0.1:\(gateway.port)\r\nAuthorization: Bearer \(gateway.key)\r\n"
            let broken = try await gateway.client()
            try await broken.connection.send(
                Array((head + "Content-Length: 1000000\r\n\r\n").utf8) + RandomBytes.make(count: 500_000)
            )
            try await eventually("a part of the upload has arrived") { !files(gateway, "temp/uploads").isEmpty }
            await broken.connection.close()
            try await eventually("no partial upload is left") { files(gateway, "temp/uploads").isEmpty }
            #expect(files(gateway).isEmpty)
            let chunked = try await gateway.client()
            let parts = (0..<30).map { _ in RandomBytes.make(count: 30_000) }
            try await chunked.connection.send(head + "Transfer-Encoding: chunked\r\n\r\n")
            for part in parts {
                try await chunked.connection.send(Array("\(String(part.count, radix: 16))\r\n".utf8) + part + [13, 10])
            }
            try await chunked.connection.send("0\r\n\r\n")
            let answer = try await chunked.head()
            #expect(answer.status == 201)
            #expect(try stored(gateway, "c.bin") == parts.flatMap { $0 })
        }
    }

    @Test("Refused uploads do not count toward the limit of uploads")
    func refusedMidway() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            _ = try await client.user("alice")
            let body = [UInt8](repeating: 0, count: 900_000)
            // More requests than the permitted number of uploads at the same time.
            for _ in 0..<80 {
                try await client.send(
                    "PATCH",
                    "/v1/users/1/uploads/zzzzzzzzzzzzzzzzzzzzzzzz",
                    headers: [("Upload-Offset", "0"), ("Upload-Complete", "?0")],
                    body: body
                )
                #expect(try await client.answer().status == 404)
            }
            #expect(try await upload(client, [1]).status == 201)
        }
    }

    @Test("An upload above the limit gets 503 until another upload ends")
    func noPlace() async throws {
        // At most a quarter of the connections may be uploads.
        try await RealGateway.run(serving: { $0.http.connectionLimit = 7 }) { gateway in
            let client = try await gateway.client()
            _ = try await client.user("alice")
            let first = try await gateway.client()
            let head =
                "POST /v1/users/1/files?name=c.bin HTTP/1.1\r\nHost: 127.0.0.1:\(gateway.port)\r\nAuthorization: Bearer \(gateway.key)\r\nContent-Length: 400000\r\n\r\n"
            let bytes = RandomBytes.make(count: 400_000)
            try await first.connection.send(Array(head.utf8) + bytes[..<300_000])
            try await eventually("the first upload has begun") { !files(gateway, "temp/uploads").isEmpty }
            let second = try await upload(gateway.client(), [1])
            #expect(second.status == 503 && second.header("retry-after") == "5", "\(second.text)")
            #expect(try second.json["detail"] == "Too many files are being uploaded at the same time.")
            try await first.connection.send(Array(bytes[300_000...]))
            #expect(try await first.answer().status == 201)
            #expect(try await upload(client, [1]).status == 201)
        }
    }

    @Test("A new upload may begin only at offset 0, which may be omitted")
    func beginning() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            _ = try await client.user("alice")
            let begun = try await upload(
                client,
                [1, 2, 3],
                "name=r",
                headers: [("Upload-Complete", "?0"), ("Upload-Offset", "0")]
            )
            #expect(begun.status == 201 && begun.header("upload-offset") == "3", "\(begun.text)")
            #expect(try await client.call("DELETE", try #require(begun.header("location"))).status == 204)
            let wrong = try await upload(
                client,
                [1, 2, 3],
                "name=r",
                headers: [("Upload-Complete", "?0"), ("Upload-Offset", "5")]
            )
            #expect(wrong.status == 400, "\(wrong.text)")
            #expect(files(gateway, "temp/uploads").isEmpty)
        }
    }

    @Test("An upload whose client stops sending is ended and leaves no file")
    func silent() async throws {
        try await RealGateway.run(serving: { $0.http.requestTimeout = 1 }) { gateway in
            let client = try await gateway.client()
            _ = try await client.user("alice")
            let head =
                "POST /v1/users/1/files?name=c.bin HTTP/1.1\r\nHost: 127.0.0.1:\(gateway.port)\r\nAuthorization: Bearer \(gateway.key)\r\nContent-Length: 1000000\r\n\r\n"
            try await withThrowingTaskGroup { group in
                for count in stride(from: 260_000, to: 340_000, by: 10_000) {
                    group.addTask {
                        let silent = try await gateway.client()
                        try await silent.connection.send(Array(head.utf8) + RandomBytes.make(count: count))
                        _ = try? await silent.connection.rest()
                        await silent.connection.close()
                    }
                }
                try await group.waitForAll()
            }
            try await eventually("no partial upload is left") { files(gateway, "temp/uploads").isEmpty }
        }
    }

    @Test("An upload in several requests keeps its bytes when a connection breaks or the gateway restarts")
    func resumed() async throws {
        let folder = try TemporaryFolder()
        let bytes = RandomBytes.make(count: 900_000)
        let (place, kept) = try await RealGateway.run(in: folder) { gateway in
            let client = try await gateway.client()
            _ = try await client.user("alice")
            let begun = try await upload(
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
            let first = try await client.answer()
            #expect(first.status == 200 && first.header("upload-offset") == "100001")
            try await client.send("PATCH", place, headers: [("Upload-Offset", "5")], body: [1])
            let wrong = try await client.answer()
            #expect(wrong.status == 409 && wrong.header("upload-offset") == "100001")
            let broken = try await gateway.client()
            let head =
                "PATCH \(place) HTTP/1.1\r\nHost: 127.0.0.1:\(gateway.port)\r\nAuthorization: Bearer \(gateway.key)\r\nUpload-Offset: 100001\r\n"
            try await broken.connection.send(
                Array((head + "Content-Length: 799999\r\n\r\n").utf8) + bytes[100_001..<600_000]
            )
            try await broken.connection.finishSending()
            // A request for the offset ends the request that is still sending.
            try await eventually("a part of the upload has arrived") { try arrived(gateway, place) > 200_000 }
            let answer = try await client.call("HEAD", place)
            return (place, try #require(answer.header("upload-offset").flatMap { Int($0) }))
        }
        #expect((200_000...600_000).contains(kept))
        try await RealGateway.run(in: folder) { gateway in
            let client = try await gateway.client()
            let state = try await client.call("GET", place)
            #expect(try state.json["offset"] == .integer(Int64(kept)) && state.json["length"] == 900_000)
            let digest = "sha-256=:\(Base64.encode(Digest.sha256(bytes))):"
            try await client.send(
                "PATCH",
                place,
                headers: [("Upload-Offset", "\(kept)"), ("Repr-Digest", digest)],
                body: Array(bytes[kept...])
            )
            let uploaded = try await client.answer()
            #expect(uploaded.status == 201, "\(uploaded.text)")
            #expect(try await client.call("GET", place).status == 404)
            let target = "/v1/users/1/files/\(try await note(client, uploaded))/content"
            #expect(try await client.call("GET", target).body == bytes)
            let other = try await upload(client, [1], "name=o", headers: [("Upload-Complete", "?0")])
            let otherPlace = try #require(other.header("location"))
            #expect(try await client.call("DELETE", otherPlace).status == 204)
            #expect(try await client.call("GET", otherPlace).status == 404)
            #expect(files(gateway, "temp/uploads").isEmpty)
        }
    }

    @Test(
        "A client can continue its upload while an earlier request of the upload is still open",
        arguments: ["HEAD", "PATCH", "DELETE"]
    )
    func takenOver(_ method: String) async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            _ = try await client.user("alice")
            let bytes = RandomBytes.make(count: 300_000)
            let begun = try await upload(
                client,
                [],
                "name=r.bin",
                headers: [("Upload-Complete", "?0"), ("Upload-Length", "300000")]
            )
            let place = try #require(begun.header("location"))
            let lost = try await gateway.client()
            let head =
                "PATCH \(place) HTTP/1.1\r\nHost: 127.0.0.1:\(gateway.port)\r\nAuthorization: Bearer \(gateway.key)\r\nUpload-Offset: 0\r\n"
            try await lost.connection.send(Array((head + "Content-Length: 300000\r\n\r\n").utf8) + bytes[..<200_000])
            try await eventually("a part of the upload has arrived") { try arrived(gateway, place) > 0 }
            if method == "PATCH" {
                // The client continues with a wrong offset.
                try await client.send("PATCH", place, headers: [("Upload-Offset", "0")], body: bytes)
                let refused = try await client.answer()
                let offset = try #require(refused.header("upload-offset").flatMap { Int($0) }, "\(refused.text)")
                #expect(refused.status == 409 && (1...200_000).contains(offset))
                try await client.send(
                    "PATCH",
                    place,
                    headers: [("Upload-Offset", "\(offset)")],
                    body: Array(bytes[offset...])
                )
                #expect(try await client.answer().status == 201)
            } else {
                #expect(try await client.call(method, place).status == (method == "HEAD" ? 200 : 204))
            }
            try await lost.connection.send(Array(bytes[200_000...]))
            let ended = try await lost.answer()
            #expect(ended.status == 409 && ended.text.contains("continues the upload"), "\(ended.text)")
        }
    }

    @Test("A key limited to some chats gets no names of files, sends its upload once, and continues only its uploads")
    func chatKeys() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            _ = try await client.user("alice")
            #expect(try await upload(client, [1], "name=plan.txt").status == 201)
            let keys = KeyFile(folder: gateway.folder)
            func bound(_ name: String) async throws -> HTTPClient {
                let chat = try #require(KeyChat("local/1"))
                let key = try keys.add(name: name, scopes: [.read, .write], userId: 1, chats: [chat]).key.text
                let other = try await gateway.client(key: key)
                try await other.until(200, at: "/v1/users/1/chats/local/1")
                return other
            }
            let (one, two) = (try await bound("one"), try await bound("two"))
            let begun = try await upload(one, [1], "name=plan.txt&encrypted=true", headers: [("Upload-Complete", "?0")])
            let place = try #require(begun.header("location"), "\(begun.text)")
            let rest = [("Upload-Complete", "?1"), ("Upload-Offset", "1")]
            for (method, body) in [("HEAD", nil), ("DELETE", nil), ("PATCH", "b")] {
                #expect(try await two.call(method, place, headers: rest, body: body).status == 404, "\(method)")
            }
            let ended = try await one.call("PATCH", place, headers: rest, body: "b")
            let path = try #require(try ended.json["fileSource"]?["filePath"]?.stringValue, "\(ended.text)")
            #expect(path.hasPrefix("plan_") && path.hasSuffix(".txt") && path.utf8.count == 21, "\(path)")
            let message: JSONValue = [
                "fileSource": try #require(try ended.json["fileSource"]), "msgContent": ["type": "file", "text": ""],
                "mentions": [:],
            ]
            let messages = "/v1/users/1/chats/local/1/messages"
            let twice = try await one.post(messages, ["composedMessages": [message, message]])
            #expect(twice.status == 403 && twice.text.contains("each in one message"), "\(twice.text)")
            let sent = try await one.post(messages, ["composedMessages": [message]])
            #expect(try sent.json["chatItems"]?[0]?["chatItem"]?["file"]?["fileName"] == "plan.txt", "\(sent.text)")
            let again = try await one.post(messages, ["composedMessages": [message]])
            #expect(again.status == 403 && again.text.contains("each in one message"), "\(again.text)")
        }
    }

    @Test("A file is accessible only to keys of its profile with the needed scope")
    func scopes() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            _ = try await client.user("alice")
            _ = try await client.user("bob")
            let target = "/v1/users/1/files/\(try await note(client, try await upload(client, [1, 2, 3])))/content"
            let begun = try await upload(client, [1], "name=o", headers: [("Upload-Complete", "?0")])
            let place = try #require(begun.header("location"))
            #expect(try await client.call("GET", target.replacing("users/1", with: "users/2")).status == 404)
            #expect(try await client.call("GET", place.replacing("users/1", with: "users/2")).status == 404)
            let keys = KeyFile(folder: gateway.folder)
            for (scopes, user, reads, writes) in [
                (["read"], nil, 200, 403), (["write"], nil, 403, 201), (["read", "write"], 2, 403, 403),
            ] as [([String], Int64?, Int, Int)] {
                var stranger = try await gateway.client()
                stranger.key = try keys.add(name: "k", scopes: try #require(Scopes(names: scopes)), userId: user).key
                    .text
                try await stranger.until(reads, at: target)
                #expect(try await upload(stranger, [1]).status == writes, "\(scopes)")
            }
        }
    }
}

@Suite struct ByteRangeTests {
    @Test(
        "A Range header with several or malformed ranges returns the whole file",
        arguments: [
            (nil, .all), ("bytes=0-", .part(0..<10)), ("bytes=3-5", .part(3..<6)), ("bytes=3-99", .part(3..<10)),
            ("bytes=-3", .part(7..<10)),
            ("bytes=-99", .part(0..<10)), ("bytes=10-", .none), ("bytes=-0", .none), ("bytes=5-3", .all),
            ("bytes=1-2,4-5", .all), ("bytes=a-b", .all),
            ("bytes=-", .all), ("bytes 1-2", .all), ("BYTES= 1 - 2 ", .part(1..<3)),
            ("bytes=9223372036854775807-9223372036854775807", .none),
            ("bytes=0-9223372036854775807", .part(0..<10)), ("bytes=-9223372036854775808", .part(0..<10)),
        ] as [(String?, ByteRange)]
    )
    func range(field: String?, expected: ByteRange) {
        #expect(ByteRange(field, size: 10) == expected)
    }
}

@Suite struct MultipartReaderTests {
    @Test("A form is read in the same way for any division into chunks")
    func parts() throws {
        var random = SeededRandom()
        let contents = Array("a\r\n--x\r\n-b\r\n--\r\n".utf8)
        let form =
            Array("--b\r\nContent-Disposition: form-data; name=f; filename=n\r\n\r\n".utf8) + contents
            + Array("\r\n--b--\r\n".utf8)
        for round in 0..<500 {
            var bytes = form
            if round >= 100 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            var reader = try #require(MultipartReader(contentType: "multipart/form-data; boundary=b"))
            var found: [UInt8] = []
            var rest = bytes[...]
            do {
                while !rest.isEmpty {
                    let part = rest.prefix(Int.random(in: 1...20, using: &random))
                    rest = rest.dropFirst(part.count)
                    found += try reader.read(Array(part))
                }
                try reader.end()
                if round < 100 { #expect(found == contents && reader.fileName == "n") }
            } catch {
                #expect(round >= 100)
            }
        }
    }
}
