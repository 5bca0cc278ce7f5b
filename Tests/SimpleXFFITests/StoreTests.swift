import Foundation
import JSON
import SQLCipher
import Testing

@testable import ChatCore
@testable import SimpleXFFI

@Suite
struct StoreTests {
    private static let createUserCommand =
        #"/_create user {"profile":{"displayName":"alice","fullName":""},"pastTimestamp":false}"#

    @Test
    func `A core creates its databases, answers commands, and reopens them after a close with its stored key`()
        async throws
    {
        try await Library.withFolder { folder in
            let (controller, answer) = try Library.openStore(folder + "/profile", key: "secret", keepKey: 1)
            #expect(answer == ["type": "ok"])
            #expect(FileManager.default.fileExists(atPath: folder + "/profile_chat.db"))
            #expect(FileManager.default.fileExists(atPath: folder + "/profile_agent.db"))
            #expect(
                try Library.sendCommand(controller, "/u") == [
                    "error": ["type": "error", "errorType": ["type": "noActiveUser"]]
                ]
            )
            #expect(try Library.sendCommand(controller, Self.createUserCommand)["result"]?["type"] == "activeUser")
            #expect(try Library.sendCommand(controller, "/_start") == ["result": ["type": "chatStarted"]])
            #expect(try Library.sendCommand(controller, "/_start") == ["result": ["type": "chatRunning"]])
            #expect(try Library.sendCommand(controller, "/_stop") == ["result": ["type": "chatStopped"]])
            #expect(Library.takeText(chatCloseStore(controller)) == "")
            #expect(
                try Library.sendCommand(controller, "/u") == [
                    "error": ["type": "error", "errorType": ["type": "chatNotStarted"]]
                ]
            )
            #expect(Library.takeText(chatReopenStore(controller)) == "")
            #expect(try Library.sendCommand(controller, "/u")["result"]?["user"]?["localDisplayName"] == "alice")
            #expect(Library.takeText(chatCloseStore(controller)) == "")
        }
    }

    @Test
    func `A closed store whose key was not kept can be reopened only if it is not encrypted`() async throws {
        try await Library.withFolder { folder in
            let encrypted = try Library.openStore(folder + "/a", key: "secret").controller
            #expect(Library.takeText(chatCloseStore(encrypted)) == "")
            #expect(Library.takeText(chatReopenStore(encrypted)) != "")
            let plain = try Library.openStore(folder + "/b").controller
            #expect(Library.takeText(chatCloseStore(plain)) == "")
            #expect(Library.takeText(chatReopenStore(plain)) == "")
            #expect(Library.takeText(chatCloseStore(plain)) == "")
        }
    }

    @Test
    func `Opening a store with a wrong key or unknown confirmation returns the result of the original`() async throws {
        try await Library.withFolder { folder in
            let first = try Library.openStore(folder + "/a", key: "secret").controller
            #expect(Library.takeText(chatCloseStore(first)) == "")
            let wrong = try Library.openStore(folder + "/a", key: "guess")
            #expect(wrong.controller == nil)
            #expect(wrong.answer == ["type": "errorNotADatabase", "dbFile": .string(folder + "/a_chat.db")])
            #expect(try Library.openStore(folder + "/a", confirm: "perhaps").answer == ["type": "invalidConfirmation"])
            #expect(try Library.openStore(folder + "/none/a").answer["type"] == "errorSQL")
        }
    }

    @Test
    func `The error for a database lists missing migrations of an older one, or the unknown one of a newer one`()
        throws
    {
        #expect(
            try JSONEncoder().encodeValue(
                ChatOpenError.database(.olderSchema(migrations: ["next"])).makeMigrationResult(prefix: "a")
            )["migrationError"]
                == ["type": "upgrade", "upMigrations": [["upName": "next", "withDown": false]]]
        )
        #expect(
            try JSONEncoder().encodeValue(
                ChatOpenError.database(.newerSchema(migration: "later")).makeMigrationResult(prefix: "a")
            )[
                "migrationError"
            ]
                == ["type": "migrationError", "mtrError": ["type": "noDown", "dbMigrations": ["later"]]]
        )
    }

    @Test
    func `A database of an unreleased development version is refused with an explanation`() async throws {
        try await Library.withFolder { folder in
            let earlier = Migration(name: "earlier", sql: "CREATE TABLE earlier (id INTEGER)")
            runAndWait {
                _ = try? await Database.open(at: folder + "/a_chat.db", key: .none, migrations: [earlier]).close()
            }
            let refused = try Library.openStore(folder + "/a", confirm: "yesUp")
            #expect(refused.controller == nil)
            #expect(
                refused.answer["migrationSQLError"] == .string("\(DatabaseError.unknownSchema)"),
                "\(refused.answer)"
            )
        }
    }

    @Test
    func `Every call of the C library with a null or unknown controller returns an error`() throws {
        for wrong in [nil, UnsafeMutableRawPointer(bitPattern: 0xDEAD_BEEF)] {
            #expect(try Library.sendCommand(wrong, "/u")["error"]?["errorType"]?["type"] == "internalError")
            #expect(try Library.takeJSON(chatReceiveMessageWait(wrong, 0))["error"] != nil)
            #expect(try Library.takeJSON(chatSendRemoteCommand(wrong, 1, "/u"))["error"] != nil)
            #expect(Library.takeText(chatCloseStore(wrong)) != "")
            #expect(Library.takeText(chatReopenStore(wrong)) != "")
        }
    }

    @Test
    func `A chat command for a remote host that is not connected returns the error 'missing'`() async throws {
        try await Library.withFolder { folder in
            let controller = try Library.openStore(folder + "/a").controller
            let answer = try Library.takeJSON(chatSendRemoteCommandRetry(controller, 3, "/u", 1))
            #expect(answer["remoteHostId"] == 3)
            #expect(answer["error"]?["rhKey"] == ["type": "id", "remoteHostId": 3])
            #expect(answer["error"]?["remoteHostError"] == ["type": "missing"])
            #expect(Library.takeText(chatCloseStore(controller)) == "")
        }
    }

    @Test
    func `A malformed chat command returns the error of the core`() async throws {
        try await Library.withFolder { folder in
            let controller = try Library.openStore(folder + "/a").controller
            let error = try Library.sendCommand(controller, "/_send nobody")["error"]
            #expect(
                error == ["type": "error", "errorType": ["type": "commandError", "message": "Failed reading: empty"]]
            )
            #expect(Library.takeText(chatCloseStore(controller)) == "")
        }
    }
}
