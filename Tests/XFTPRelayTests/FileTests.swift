import Clocks
import Foundation
import RelayBase
import SMP
import SimpleXCrypto
import TestSupport
import Testing
import XFTP

@testable import XFTPRelay

@Suite("File relay: files", .socketTimeLimit)
struct FileTests {
    @Test(arguments: [65536, 262_144, 1_048_576, 4_194_304])
    func `A recipient can download a file until the recipient acknowledges it or the sender deletes it`(
        size: Int
    ) async throws {
        try await withFileRelay { relay in
            let session = try await relay.connect()
            #expect(session.parameters.version == XFTPVersion(3))
            try await session.sendPing()
            var file = try await TestFile.createFile(session, size: size)
            #expect(try await catchRefusal { try await file.checkDownload(session) } == .noFile)
            try await file.upload(session)
            try await file.checkDownload(session)
            let keys = try (0..<100).map { _ in AuthorizationPrivateKey.ed25519(try .init()) }
            let more = try await session.addRecipients(keys.map(\.publicKey), to: file.senderID, key: file.sender)
            #expect(Set(more).count == 100)
            let second = try await session.downloadChunk(more[99], size: size, digest: file.digest, key: keys[99])
            #expect(second == file.contents)
            try await session.acknowledgeChunk(more[99], key: keys[99])
            #expect(try await catchRefusal { try await session.acknowledgeChunk(more[99], key: keys[99]) } == .auth)
            // The other recipient still gets the file.
            try await file.checkDownload(session)
            #expect(relay.contentPaths.count == 1)
            try await file.delete(session)
            try await waitUntil("the contents are gone") { relay.contentPaths.isEmpty }
            #expect(try await catchRefusal { try await file.checkDownload(session) } == .auth)
            #expect(try await catchRefusal { try await file.delete(session) } == .auth)
            file.senderID = []
            #expect(relay.incomingPaths.isEmpty)
        }
    }

    @Test
    func `Concurrent uploads and downloads of two file relay sessions succeed`() async throws {
        try await withFileRelay({ $0.maxUploads = 3 }) { relay in
            let sessions = [try await relay.connect(), try await relay.connect()]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let session = sessions[number % 2]
                        let file = try await TestFile.createAndUpload(
                            session,
                            size: number % 4 == 0 ? 1_048_576 : 65536
                        )
                        try await file.checkDownload(sessions[1 - number % 2])
                    }
                }
                try await group.waitForAll()
            }
            #expect(relay.contentPaths.count == 40 && relay.incomingPaths.isEmpty)
            #expect(relay.relay.statistics["bytes_stored"] == 10 * 1_048_576 + 30 * 65536)
            #expect(relay.relay.statistics["bytes_reserved"] == 0)
        }
    }

    @Test
    func `Files with wrong sizes, contents, keys or passwords are refused by the file relay`() async throws {
        try await withFileRelay({ $0.createPassword = "secret" }) { relay in
            let session = try await relay.connect()
            for password in [nil, "wrong"] {
                #expect(
                    try await catchRefusal { _ = try await TestFile.createFile(session, password: password) } == .auth
                )
            }
            for size in [1000, 65535, 65537, 131_072] {
                #expect(
                    try await catchRefusal {
                        _ = try await TestFile.createFile(session, size: size, password: "secret")
                    }
                        == .size
                )
            }
            var wrong = try TestFile()
            wrong.digest[0] ^= 1
            try await wrong.create(session, password: "secret")
            #expect(try await catchRefusal { try await wrong.upload(session) } == .digest)
            var odd = try TestFile()
            odd.digest.removeLast()
            try await odd.create(session, password: "secret")
            #expect(try await catchRefusal { try await odd.upload(session) } == .digest)
            let file = try await TestFile.createFile(session, password: "secret")
            let other = try await TestFile.createFile(session, password: "secret")
            #expect(
                try await catchRefusal {
                    try await session.uploadChunk(file.contents, to: file.senderID, key: other.sender)
                }
                    == .auth
            )
            #expect(
                try await catchRefusal {
                    try await session.uploadChunk(file.contents, to: file.recipientID, key: file.recipient)
                }
                    == .auth
            )
            #expect(
                try await catchRefusal {
                    try await session.uploadChunk(file.contents, to: [1, 2, 3], key: file.sender)
                } == .auth
            )
            for part in [
                [1, 2, 3], Array(file.contents.dropLast()), file.contents + [1], file.contents + file.contents,
            ] as [[UInt8]] {
                #expect(
                    try await catchRefusal { try await session.uploadChunk(part, to: file.senderID, key: file.sender) }
                        == .size
                )
            }
            try await file.upload(session)
            #expect(
                try await catchRefusal { try await session.deleteChunk(file.recipientID, key: file.recipient) } == .auth
            )
            #expect(
                try await catchRefusal { try await session.deleteChunk(file.senderID, key: file.recipient) } == .auth
            )
            #expect(
                try await catchRefusal { try await session.acknowledgeChunk(file.senderID, key: file.sender) } == .auth
            )
            try await file.checkDownload(session)
            try await waitUntil("no partial upload is left") { relay.incomingPaths.isEmpty }
            #expect(relay.contentPaths.count == 1)
            #expect(relay.relay.statistics["bytes_reserved"] == 0)
        }
    }

    @Test
    func `A repeated upload of a file does not change the stored file`() async throws {
        try await withFileRelay { relay in
            let session = try await relay.connect()
            let file = try await TestFile.createAndUpload(session)
            try await file.upload(session)
            #expect(
                try await catchRefusal { try await session.uploadChunk([1, 2], to: file.senderID, key: file.sender) }
                    == .size
            )
            #expect(
                try await catchRefusal {
                    try await session.uploadChunk(file.contents + [1], to: file.senderID, key: file.sender)
                }
                    == .size
            )
            // Other contents of the same size are read and ignored.
            try await session.uploadChunk(RandomBytes.make(count: 65536), to: file.senderID, key: file.sender)
            try await file.checkDownload(session)
            #expect(relay.relay.statistics["files_uploaded"] == 1)
        }
    }

    @Test
    func `Two simultaneous uploads of one file both succeed, and the file is stored once`() async throws {
        try await withFileRelay { relay in
            let sessions = [try await relay.connect(), try await relay.connect()]
            let file = try await TestFile.createFile(sessions[0], size: 1_048_576)
            async let one: Void = file.upload(sessions[0])
            async let other: Void = file.upload(sessions[1])
            _ = try await (one, other)
            try await file.checkDownload(sessions[0])
            #expect(
                relay.relay.statistics["bytes_stored"] == 1_048_576 && relay.contentPaths.count == 1
                    && relay.incomingPaths.isEmpty
            )
        }
    }

    @Test
    func `An upload above the file relay's quota is refused until a stored file is deleted`() async throws {
        try await withFileRelay({ $0.maxTotalBytes = 200_000 }) { relay in
            let session = try await relay.connect()
            let files = [
                try await TestFile.createFile(session), try await TestFile.createFile(session),
                try await TestFile.createFile(session), try await TestFile.createFile(session),
            ]
            for file in files.prefix(3) { try await file.upload(session) }
            #expect(try await catchRefusal { try await files[3].upload(session) } == .quota)
            #expect(relay.relay.statistics["uploads_refused_quota"] == 1)
            try await files[0].delete(session)
            try await files[3].upload(session)
            try await files[3].checkDownload(session)
            // A large upload is refused immediately, and the session stays usable.
            let large = try await TestFile.createFile(session, size: 4_194_304)
            #expect(try await catchRefusal { try await large.upload(session) } == .quota)
            try await session.sendPing()
        }
    }

    @Test
    func `Files and recipients above the limits of a file relay are refused with QUOTA`() async throws {
        try await withFileRelay({ ($0.maxFiles, $0.maxTotalRecipients) = (3, 5) }) { relay in
            let session = try await relay.connect()
            let file = try await TestFile.createFile(session)
            _ = try await TestFile.createFile(session)
            let keys = try (0..<4).map { _ in AuthorizationPrivateKey.ed25519(try .init()).publicKey }
            #expect(
                try await catchRefusal {
                    _ = try await session.addRecipients(keys, to: file.senderID, key: file.sender)
                }
                    == .quota
            )
            _ = try await session.addRecipients(Array(keys.prefix(2)), to: file.senderID, key: file.sender)
            _ = try await TestFile.createFile(session)
            #expect(try await catchRefusal { _ = try await TestFile.createFile(session) } == .quota)
            try await file.delete(session)
            _ = try await TestFile.createFile(session)
        }
    }

    @Test
    func `An expired file is removed from the file relay with its contents`() async throws {
        try await withFileRelay { relay in
            let session = try await relay.connect()
            let files = [try await TestFile.createAndUpload(session), try await TestFile.createFile(session)]
            let now = WallClock.seconds()
            relay.relay.context.expireFiles(now: now + 47 * 3600, on: TestFileRelay.group.next())
            try await files[0].checkDownload(session)
            relay.relay.context.expireFiles(now: now + 49 * 3600, on: TestFileRelay.group.next())
            try await waitUntil("the contents are gone") { relay.contentPaths.isEmpty }
            for file in files { #expect(try await catchRefusal { try await file.checkDownload(session) } == .auth) }
            #expect(relay.relay.statistics["files_expired"] == 2 && relay.relay.statistics["bytes_stored"] == 0)
            try await relay.restart()
            #expect(relay.relay.statistics["files"] == 0)
        }
    }

    @Test
    func `A blocked file is refused with the reason, even after a restart of the file relay`() async throws {
        try await withFileRelay { relay in
            var session = try await relay.connect()
            let (file, other) = (
                try await TestFile.createAndUpload(session), try await TestFile.createAndUpload(session)
            )
            let info = SMPBlockingInfo(reason: .spam, notice: #"{"ttl":1}"#)
            #expect(try !relay.relay.blockOrUnblock(info, file: file.senderID))
            #expect(try relay.relay.blockOrUnblock(info, file: file.recipientID))
            #expect(throws: XFTPServerError.size) {
                try relay.relay.blockOrUnblock(
                    SMPBlockingInfo(reason: .spam, notice: String(repeating: "x", count: 1025)),
                    file: file.recipientID
                )
            }
            for _ in 0..<2 {
                #expect(try await catchRefusal { try await file.checkDownload(session) } == .blocked(info))
                #expect(try await catchRefusal { try await file.upload(session) } == .blocked(info))
                #expect(
                    try await catchRefusal { try await session.deleteChunk(file.senderID, key: other.sender) } == .auth
                )
                try await waitUntil("the contents are gone") { relay.contentPaths.count == 1 }
                try await other.checkDownload(session)
                try await relay.restart()
                session = try await relay.connect()
            }
            #expect(try relay.relay.blockOrUnblock(nil, file: file.recipientID))
            #expect(try await catchRefusal { try await file.checkDownload(session) } == .noFile)
        }
    }
}
