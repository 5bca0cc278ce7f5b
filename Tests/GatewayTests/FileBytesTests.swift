import Foundation
import JSON
import SimpleXCrypto
import TestSupport
import Testing

@testable import ChatCore
@testable import Gateway

/// Files as bytes over HTTP: uploads for messages, and the contents of files that messages have.
@Suite(.socketTimeLimit) struct FileBytesTests {
    func uploadFile(
        _ client: HTTPClient,
        _ body: [UInt8],
        _ query: String = "name=x.bin",
        headers: [(String, String)] = [],
        user: Int64 = 1
    ) async throws -> HTTPClient.Answer {
        try await client.send("POST", "/v1/users/\(user)/files?\(query)", headers: headers, body: body)
        return try await client.receiveAnswer()
    }

    /// Posts a note with the uploaded file, and returns the id of the file.
    func postNote(_ client: HTTPClient, _ uploaded: HTTPClient.Answer) async throws -> Int64 {
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

    func listFiles(_ gateway: RealGateway, _ folder: String = "files") -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: gateway.folder + "/" + folder)) ?? []
    }

    /// Returns the number of bytes of an upload on disk.
    func uploadedSize(_ gateway: RealGateway, _ place: String) throws -> Int {
        try FileManager.default.attributesOfItem(
            atPath: gateway.folder + "/temp/uploads/" + (place.split(separator: "/").last ?? "")
        )[.size] as? Int ?? 0
    }

    func readFile(_ gateway: RealGateway, _ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: gateway.folder + "/files/" + name)))
    }

    @Test
    func `The deletion of all files keeps all messages, and keeps uploads that are in no message`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let amount = #"sxgw_store_used_bytes{store="default",resource="files"} "#
            func used() async throws -> Int {
                let lines = try await client.call("GET", "/metrics").text.split(separator: "\n")
                let line = try #require(lines.first { $0.hasPrefix(amount) })
                return try #require(Int(line.dropFirst(amount.count)))
            }
            let bytes = Array("the contents".utf8)
            let (first, second) = (
                try await postNote(client, uploadFile(client, bytes, "name=a.bin")),
                try await postNote(client, uploadFile(client, bytes, "name=b.bin&encrypted=false"))
            )
            let waiting = try await uploadFile(client, bytes, "name=c.bin&encrypted=false")
            let usedBefore = try await used()
            let before = try await client.call("GET", "/v1/users/1/chats/local/1").json["chat"]?["chatItems"]?
                .arrayValue
            let deleted = try await client.call("DELETE", "/v1/database/files")
            #expect(try deleted.status == 200 && deleted.json == ["files": 2], "\(deleted.text)")
            for file in [first, second] {
                #expect(try await client.call("GET", "/v1/users/1/files/\(file)/content").status == 404)
            }
            try await waitUntil("the files are gone from the disk") { listFiles(gateway) == ["c.bin"] }
            let after = try await client.call("GET", "/v1/users/1/chats/local/1").json["chat"]?["chatItems"]?.arrayValue
            #expect(after?.map { $0["meta"]?["itemId"] } == before?.map { $0["meta"]?["itemId"] })
            #expect(after?.contains { $0["file"]?["fileSource"] != nil } == false)
            let usedAfter = try await used()
            #expect(usedAfter < usedBefore, "\(usedAfter) of \(usedBefore) bytes")
            #expect(try await client.call("DELETE", "/v1/database/files").json == ["files": 0])
            // The upload can still be sent, and its name is not taken by another file.
            let third = try await postNote(client, waiting)
            #expect(try await client.call("GET", "/v1/users/1/files/\(third)/content").body == bytes)
        }
    }

    @Test
    func `Files are listed by chat with their sizes, and the deletion of the files of a chat keeps its messages`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            _ = try await client.createUser("bob")
            let bytes = Array("the contents".utf8), chat = "/v1/users/1/chats/local/1"
            let (first, second) = (
                try await postNote(client, uploadFile(client, bytes, "name=a.bin")),
                try await postNote(client, uploadFile(client, bytes, "name=b.bin"))
            )
            let use: JSONValue = ["chatType": "local", "chatId": 1, "files": 2, "bytes": 24]
            let list = try await client.call("GET", "/v1/users/1/file-sizes")
            #expect(
                try list.status == 200 && list.json == ["chats": [use], "next": .null, "prev": .null],
                "\(list.text)"
            )
            #expect(try await client.call("GET", "/v1/users/2/file-sizes").json["chats"] == [])
            #expect(try await client.call("GET", "\(chat)/files").json == use)
            for path in [
                "/v1/users/1/chats/local/9/files", "/v1/users/2/chats/direct/1/files", "/v1/users/9/file-sizes",
            ] {
                #expect(try await client.call("GET", path).status == 404, "\(path)")
            }
            #expect(try await client.call("GET", "/v1/users/1/chats/contactConnection/1/files").status == 404)
            // A key with the scope `read` deletes nothing, and a key of one chat reads only this chat.
            let keys = KeyFile(folder: gateway.folder)
            let reader = try await gateway.connectClient(key: keys.addKey(name: "reader", scopes: [.read]).key.text)
            try await reader.waitForStatus(200, at: "\(chat)/files")
            #expect(try await reader.call("DELETE", "\(chat)/files").status == 403)
            let chats: Set = [try #require(KeyChat("local/1"))]
            let bound = try await gateway.connectClient(
                key: keys.addKey(name: "bound", scopes: [.read, .write], userId: 1, chats: chats).key.text
            )
            try await bound.waitForStatus(200, at: "\(chat)/files")
            #expect(try await bound.call("GET", "/v1/users/1/file-sizes").status == 403)
            #expect(try await bound.call("DELETE", "\(chat)/files").status == 403)
            let before = try await client.call("GET", chat).json["chat"]?["chatItems"]?.arrayValue
            let deleted = try await client.call("DELETE", "\(chat)/files")
            #expect(try deleted.status == 200 && deleted.json == ["files": 2], "\(deleted.text)")
            for file in [first, second] {
                #expect(try await client.call("GET", "/v1/users/1/files/\(file)/content").status == 404)
            }
            let after = try await client.call("GET", chat).json["chat"]?["chatItems"]?.arrayValue
            #expect(after?.map { $0["meta"]?["itemId"] } == before?.map { $0["meta"]?["itemId"] })
            #expect(after?.contains { $0["file"]?["fileSource"] != nil } == false)
            #expect(try await client.call("GET", "/v1/users/1/file-sizes").json["chats"] == [])
            try await waitUntil("the files are gone from the disk") { listFiles(gateway).isEmpty }
        }
    }

    @Test
    func `No path lets a client read, send or delete a file of another profile or of the store's space folder`()
        async throws
    {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            _ = try await admin.createUser("alice")
            _ = try await admin.createUser("bob")
            let secret = Array("the secret of bob".utf8)
            #expect(try await uploadFile(admin, secret, "name=secret.txt&encrypted=false", user: 2).status == 201)
            try FileManager.default.createDirectory(
                atPath: gateway.folder + "/space",
                withIntermediateDirectories: true
            )
            try Data("an archive".utf8).write(to: URL(filePath: gateway.folder + "/space/e.zip"))
            let key = try KeyFile(folder: gateway.folder).addKey(
                name: "alice",
                scopes: [.read, .write, .events],
                userId: 1
            ).key.text
            let alice = try await gateway.connectClient(key: key)
            try await alice.waitForStatus(200, at: "/v1/users/1")
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
            try await worker.removeLeftoverFiles()
            #expect(try await admin.call("GET", "/v1/users/2/files/\(file)/content").body == secret)
        }
    }

    @Test(
        arguments: [true, false],
        [1, 700_000]
    )
    func `An uploaded file of a message is downloaded unchanged, completely or in parts`(
        isEncrypted: Bool,
        size: Int
    ) async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let bytes = RandomBytes.make(count: size)
            let digest = "sha-256=:\(Base64.encode(Digest.sha256(bytes))):"
            let uploaded = try await uploadFile(
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
            let onDisk = try readFile(gateway, "photo.jpg")
            #expect(
                isEncrypted
                    ? onDisk.count == size + 16 && (size == 1 || onDisk.prefix(size) != bytes[...]) : onDisk == bytes
            )
            let target = "/v1/users/1/files/\(try await postNote(client, uploaded))/content"
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
            #expect(listFiles(gateway, "temp/uploads").isEmpty)
        }
    }

    @Test
    func `A request for a file that was changed on disk gets an error and no bytes of the file`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let uploaded = try await uploadFile(client, RandomBytes.make(count: 200_000))
            let target = "/v1/users/1/files/\(try await postNote(client, uploaded))/content"
            #expect(try await client.call("GET", target).status == 200)
            var bytes = try readFile(gateway, "x.bin")
            bytes[150_000] ^= 1
            try Data(bytes).write(to: URL(fileURLWithPath: gateway.folder + "/files/x.bin"))
            #expect(try await client.call("GET", target, headers: [("Range", "bytes=0-9")]).status == 500)
            try FileManager.default.removeItem(atPath: gateway.folder + "/files/x.bin")
            #expect(try await client.call("GET", target).status == 404)
            // A symbolic link must not lead to a file outside of the folder, so its content is not read.
            try FileManager.default.createSymbolicLink(
                atPath: gateway.folder + "/files/x.bin",
                withDestinationPath: gateway.folder + "/admin.key"
            )
            #expect(try await client.call("GET", target).status == 404)
            #expect(try await client.call("GET", "/v1/users/1/files/99/content").status == 404)
        }
    }

    @Test
    func `A key for chats gets no names of files, and cannot continue uploads of other keys`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            #expect(try await uploadFile(client, [1], "name=plan.txt").status == 201)
            let keys = KeyFile(folder: gateway.folder)
            func bound(_ name: String) async throws -> HTTPClient {
                let chat = try #require(KeyChat("local/1"))
                let key = try keys.addKey(name: name, scopes: [.read, .write], userId: 1, chats: [chat]).key.text
                let other = try await gateway.connectClient(key: key)
                try await other.waitForStatus(200, at: "/v1/users/1/chats/local/1")
                return other
            }
            let (one, two) = (try await bound("one"), try await bound("two"))
            let begun = try await uploadFile(
                one,
                [1],
                "name=plan.txt&encrypted=true",
                headers: [("Upload-Complete", "?0")]
            )
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

    @Test
    func `A file is accessible only to keys of its profile with the needed scope`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            _ = try await client.createUser("bob")
            let target =
                "/v1/users/1/files/\(try await postNote(client, try await uploadFile(client, [1, 2, 3])))/content"
            let begun = try await uploadFile(client, [1], "name=o", headers: [("Upload-Complete", "?0")])
            let place = try #require(begun.header("location"))
            #expect(try await client.call("GET", target.replacing("users/1", with: "users/2")).status == 404)
            #expect(try await client.call("GET", place.replacing("users/1", with: "users/2")).status == 404)
            let keys = KeyFile(folder: gateway.folder)
            for (scopes, user, reads, writes) in [
                (["read"], nil, 200, 403), (["write"], nil, 403, 201), (["read", "write"], 2, 403, 403),
            ] as [([String], Int64?, Int, Int)] {
                var stranger = try await gateway.connectClient()
                stranger.key = try keys.addKey(name: "k", scopes: try #require(Scopes(names: scopes)), userId: user).key
                    .text
                try await stranger.waitForStatus(reads, at: target)
                #expect(try await uploadFile(stranger, [1]).status == writes, "\(scopes)")
            }
        }
    }
}
