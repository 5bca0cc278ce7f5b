import Foundation
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore
@testable import SQLCipher

/// Own pictures as wallpapers in the chat database.
@Suite(.socketTimeLimit) struct WallpapersTests {
    private static func picture(_ number: Int) -> [UInt8] { [0xFF, 0xD8, 0xFF] + Array("picture \(number)".utf8) }

    private func countPictures(_ core: Core) async throws -> Int64 {
        try await core.controller.store.read { db in
            try db.queryFirst("SELECT count(*) AS n FROM wallpapers", [])?.readCount("n") ?? 0
        }
    }

    @Test
    func `A profile with the maximum number of wallpapers cannot store another wallpaper`() async throws {
        let core = try await World().core("wallpapers")
        try await core.createUser("alice")
        let wallpapers = core.controller.chatWallpapers
        try await core.controller.store.write { tx in
            for number in 1..<ChatWallpapers.maxPicturesPerUser {
                try tx.db.insert(
                    into: "wallpapers",
                    [
                        "user_id": 1, "file_name": "\(number).jpg", "content": Self.picture(0),
                        "created_at": tx.now.nanoseconds,
                    ]
                )
            }
        }
        try await wallpapers.storePicture(Self.picture(1), user: 1)
        await #expect(throws: ChatWallpapers.Refusal.tooManyPictures) {
            try await wallpapers.storePicture(Self.picture(2), user: 1)
        }
        // The same picture needs no further place.
        try await wallpapers.storePicture(Self.picture(1), user: 1)
        #expect(try await countPictures(core) == ChatWallpapers.maxPicturesPerUser)
        await core.controller.close()
    }

    @Test
    func `A wallpaper that no theme uses for a day is deleted at the next upload`() async throws {
        let core = try await World().core("wallpapers")
        try await core.createUser("alice")
        let wallpapers = core.controller.chatWallpapers
        let (named, waiting) = (Self.picture(1), Self.picture(2))
        for content in [named, waiting] { try await wallpapers.storePicture(content, user: 1) }
        let name = try ChatWallpapers.makeName(of: named)
        try await core.run(
            #"/_set theme user 1 {"light":{"mode":"light","colors":{},"wallpaper":{"imageFile":"\#(name)"}}}"#
        )
        try await core.controller.store.write { tx in
            let seconds = ChatWallpapers.unusedPictureLifetimeSeconds + 1
            try tx.db.execute("UPDATE wallpapers SET created_at = ?", [tx.now.adding(seconds: -seconds).nanoseconds])
        }
        try await wallpapers.storePicture(Self.picture(3), user: 1)
        #expect(try await wallpapers.readPicture(name, user: 1).content == named)
        #expect(try await countPictures(core) == 2)
        let checks: Int64? = try await core.controller.store.read { db in
            try db.queryFirst("SELECT sum(checks) AS n FROM wallpapers", [])?.int64("n")
        }
        #expect(checks == 0, "The upload has written another picture again.")
        await core.controller.close()
    }

    @Test
    func `If a wallpaper is uploaded twice, removing one theme keeps it, and removing the next theme deletes it`()
        async throws
    {
        let core = try await World().core("wallpapers")
        try await core.createUser("alice")
        let wallpapers = core.controller.chatWallpapers
        let name = try ChatWallpapers.makeName(of: Self.picture(1))
        let themes = #"{"dark":{"mode":"dark","colors":{},"wallpaper":{"imageFile":"\#(name)"}}}"#
        try await wallpapers.storePicture(Self.picture(1), user: 1)
        try await core.run("/_set theme user 1 \(themes)")
        try await wallpapers.storePicture(Self.picture(1), user: 1)
        try await core.run("/_set theme user 1")
        #expect(try await wallpapers.readPicture(name, user: 1).content == Self.picture(1))
        try await core.run("/_set theme user 1 \(themes)")
        try await core.run("/_set theme user 1")
        #expect(try await countPictures(core) == 0)
        await core.controller.close()
    }

    @Test
    func `If an imported database has no table of wallpapers, the wallpapers stay in files on the disk`() async throws {
        let core = try await World().core("wallpapers")
        try await core.createUser("alice")
        try await core.run(
            #"/_set theme user 1 {"light":{"mode":"light","colors":{},"wallpaper":{"imageFile":"own.jpg"}}}"#
        )
        let folder = FileManager.default.temporaryDirectory.appending(path: "wallpapers-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = folder + "/own.jpg"
        try Data(Self.picture(1)).write(to: URL(filePath: file))
        try await core.controller.store.write { tx in
            try tx.db.execute("DROP TABLE wallpapers", [])
            #expect(try ChatWallpapers.importPictures(in: folder, to: tx.db, at: tx.now).isEmpty)
        }
        #expect(FileManager.default.fileExists(atPath: file))
        await core.controller.close()
    }

    @Test
    func `The deletion of a profile or of a chat deletes its wallpapers`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let wallpapers = alice.controller.chatWallpapers
        let name = try ChatWallpapers.makeName(of: Self.picture(1))
        try await wallpapers.storePicture(Self.picture(1), user: 1)
        try await alice.run(
            #"/_set theme @1 {"dark":{"mode":"dark","colors":{},"wallpaper":{"imageFile":"\#(name)"}}}"#
        )
        #expect(try await countPictures(alice) == 1)
        #expect(try await alice.run("/_delete @1 full notify=off")["type"] == "contactDeleted")
        #expect(try await countPictures(alice) == 0)
        try await alice.createUser("second")
        try await wallpapers.storePicture(Self.picture(2), user: 2)
        #expect(try await alice.run("/_user 1")["type"] == "activeUser")
        #expect(try await alice.run("/_delete user 2 del_smp=off")["type"] == "cmdOk")
        #expect(try await countPictures(alice) == 0)
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `Each picture format is recognized by the first bytes of a file, and other bytes have no format`() {
        #expect(PictureFormat(of: [0xFF, 0xD8, 0xFF, 0xDB]) == .jpeg)
        #expect(PictureFormat(of: [0x89, 0x50, 0x4E, 0x47, 0x0D]) == .png)
        #expect(PictureFormat(of: Array("GIF89a".utf8)) == .gif)
        #expect(PictureFormat(of: Array("RIFF0000WEBPVP8".utf8)) == .webp)
        for other in ["", "RIFF", "RIFF0000WAVE", "<svg", "%PDF"] {
            #expect(PictureFormat(of: Array(other.utf8)) == nil)
        }
    }
}
