import Foundation
import JSON
import SQLCipher
import Testing

@testable import ChatCore
@testable import SimpleXFFI

@Suite
struct StoreTests {
    private static let newUser =
        #"/_create user {"profile":{"displayName":"alice","fullName":""},"pastTimestamp":false}"#

    @Test
    func `A core creates its databases, answers commands, and reopens after a close with its stored key`() async throws
    {
        try await Library.withFolder { folder in
            let (controller, answer) = try Library.open(folder + "/profile", key: "secret", keepKey: 1)
            #expect(answer == ["type": "ok"])
            #expect(FileManager.default.fileExists(atPath: folder + "/profile_chat.db"))
            #expect(FileManager.default.fileExists(atPath: folder + "/profile_agent.db"))
            #expect(
                try Library.send(controller, "/u") == [
                    "error": ["type": "error", "errorType": ["type": "noActiveUser"]]
                ]
            )
            #expect(try Library.send(controller, Self.newUser)["result"]?["type"] == "activeUser")
            #expect(try Library.send(controller, "/_start") == ["result": ["type": "chatStarted"]])
            #expect(try Library.send(controller, "/_start") == ["result": ["type": "chatRunning"]])
            #expect(try Library.send(controller, "/_stop") == ["result": ["type": "chatStopped"]])
            #expect(Library.take(chatCloseStore(controller)) == "")
            #expect(
                try Library.send(controller, "/u") == [
                    "error": ["type": "error", "errorType": ["type": "chatNotStarted"]]
                ]
            )
            #expect(Library.take(chatReopenStore(controller)) == "")
            #expect(try Library.send(controller, "/u")["result"]?["user"]?["localDisplayName"] == "alice")
            #expect(Library.take(chatCloseStore(controller)) == "")
        }
    }

    @Test
    func `A closed store without a stored key can be reopened only if the store is not encrypted`() async throws {
        try await Library.withFolder { folder in
            let encrypted = try Library.open(folder + "/a", key: "secret").controller
            #expect(Library.take(chatCloseStore(encrypted)) == "")
            #expect(Library.take(chatReopenStore(encrypted)) != "")
            let plain = try Library.open(folder + "/b").controller
            #expect(Library.take(chatCloseStore(plain)) == "")
            #expect(Library.take(chatReopenStore(plain)) == "")
            #expect(Library.take(chatCloseStore(plain)) == "")
        }
    }

    @Test
    func `A wrong key, an unknown confirmation and a missing folder return the results of the original`() async throws {
        try await Library.withFolder { folder in
            let first = try Library.open(folder + "/a", key: "secret").controller
            #expect(Library.take(chatCloseStore(first)) == "")
            let wrong = try Library.open(folder + "/a", key: "guess")
            #expect(wrong.controller == nil)
            #expect(wrong.answer == ["type": "errorNotADatabase", "dbFile": .string(folder + "/a_chat.db")])
            #expect(try Library.open(folder + "/a", confirm: "perhaps").answer == ["type": "invalidConfirmation"])
            #expect(try Library.open(folder + "/none/a").answer["type"] == "errorSQL")
        }
    }

    @Test
    func `An error lists the missing migrations of an older database, or the unknown migration of a newer database`()
        throws
    {
        #expect(
            try JSONEncoder().encodeValue(
                ChatOpenError.database(.olderSchema(migrations: ["next"])).migrationResult(prefix: "a")
            )["migrationError"]
                == ["type": "upgrade", "upMigrations": [["upName": "next", "withDown": false]]]
        )
        #expect(
            try JSONEncoder().encodeValue(
                ChatOpenError.database(.newerSchema(migration: "later")).migrationResult(prefix: "a")
            )[
                "migrationError"
            ]
                == ["type": "migrationError", "mtrError": ["type": "noDown", "dbMigrations": ["later"]]]
        )
    }

    @Test
    func `A database of a development version is refused with an explanation`() async throws {
        try await Library.withFolder { folder in
            let earlier = Migration(name: "earlier", sql: "CREATE TABLE earlier (id INTEGER)")
            runAndWait {
                _ = try? await Database.open(at: folder + "/a_chat.db", key: .none, migrations: [earlier]).close()
            }
            let refused = try Library.open(folder + "/a", confirm: "yesUp")
            #expect(refused.controller == nil)
            #expect(
                refused.answer["migrationSQLError"] == .string("\(DatabaseError.unknownSchema)"),
                "\(refused.answer)"
            )
        }
    }

    @Test
    func `Every call with a null or unknown controller returns an error`() throws {
        for wrong in [nil, UnsafeMutableRawPointer(bitPattern: 0xDEAD_BEEF)] {
            #expect(try Library.send(wrong, "/u")["error"]?["errorType"]?["type"] == "internalError")
            #expect(try Library.json(chatReceiveMessageWait(wrong, 0))["error"] != nil)
            #expect(try Library.json(chatSendRemoteCommand(wrong, 1, "/u"))["error"] != nil)
            #expect(Library.take(chatCloseStore(wrong)) != "")
            #expect(Library.take(chatReopenStore(wrong)) != "")
        }
    }

    @Test
    func `A command for a remote host that is not connected returns the error 'missing'`() async throws {
        try await Library.withFolder { folder in
            let controller = try Library.open(folder + "/a").controller
            let answer = try Library.json(chatSendRemoteCommandRetry(controller, 3, "/u", 1))
            #expect(answer["remoteHostId"] == 3)
            #expect(answer["error"]?["rhKey"] == ["type": "id", "remoteHostId": 3])
            #expect(answer["error"]?["remoteHostError"] == ["type": "missing"])
            #expect(Library.take(chatCloseStore(controller)) == "")
        }
    }

    @Test
    func `A malformed command returns the error of the core`() async throws {
        try await Library.withFolder { folder in
            let controller = try Library.open(folder + "/a").controller
            let error = try Library.send(controller, "/_send nobody")["error"]
            #expect(
                error == ["type": "error", "errorType": ["type": "commandError", "message": "Failed reading: empty"]]
            )
            #expect(Library.take(chatCloseStore(controller)) == "")
        }
    }
}
