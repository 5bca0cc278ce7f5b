import Foundation
import SMP
import SimpleXCrypto
import TestSupport
import Testing
import XFTP

@testable import RelayBase
@testable import XFTPRelay

@Suite("File relay: persistence", .socketTimeLimit)
struct PersistenceTests {
    @Test
    func `Files, recipients and contents survive a restart and a compaction`() async throws {
        try await withFileRelay { relay in
            var session = try await relay.connect()
            let (file, gone) = (try await TestFile.uploaded(session), try await TestFile.uploaded(session))
            let created = try await TestFile.created(session)
            let keys = try (0..<2).map { _ in AuthorizationPrivateKey.ed25519(try .init()) }
            let ids = try await session.addRecipients(keys.map(\.publicKey), to: file.senderID, key: file.sender)
            try await session.acknowledge(ids[0], key: keys[0])
            try await gone.delete(session)
            let address = relay.relay.address
            for round in 0..<3 {
                if round == 1 { await relay.relay.compact() }
                try await relay.restart()
                #expect(relay.relay.address == address && relay.relay.warnings.isEmpty)
                session = try await relay.connect()
                try await file.check(session)
                #expect(
                    try await session.download(ids[1], size: 65536, digest: file.digest, key: keys[1]) == file.contents
                )
                #expect(
                    try await refusal {
                        _ = try await session.download(ids[0], size: 65536, digest: file.digest, key: keys[0])
                    } == .auth
                )
                #expect(try await refusal { try await gone.check(session) } == .auth)
                #expect(try await refusal { try await created.check(session) } == .noFile)
                #expect(relay.relay.statistics["bytes_stored"] == 65536 && relay.contents.count == 1)
            }
            try await created.upload(session)
            try await created.check(session)
        }
    }

    @Test
    func `An upload that was answered survives a kill of the relay`() async throws {
        try await withFileRelay { relay in
            let session = try await relay.connect()
            var files: [TestFile] = []
            for index in 0..<10 {
                files.append(try await TestFile.uploaded(session))
                // The copied files are equal to those of a process that is killed now.
                var copy = relay.configuration
                copy.directory += "-copy"
                copy.port = TestPort.takeUnused()
                try? FileManager.default.removeItem(atPath: copy.directory)
                try FileManager.default.copyItem(atPath: relay.configuration.directory, toPath: copy.directory)
                let other = try await FileRelay.start(
                    configuration: copy,
                    group: TestFileRelay.group,
                    logger: TestFileRelay.logger
                )
                let reader = try await XFTPSession.connect(to: other.address, group: TestFileRelay.group)
                for file in files { try await file.check(reader) }
                #expect(other.statistics["files_stored"] == index + 1)
                await reader.close()
                await other.stop()
                try FileManager.default.removeItem(atPath: copy.directory)
            }
        }
    }

    @Test
    func `A start removes unknown files and warns about missing contents`() async throws {
        try await withFileRelay { relay in
            var session = try await relay.connect()
            let (file, lost) = (try await TestFile.uploaded(session), try await TestFile.uploaded(session))
            let created = try await TestFile.created(session)
            try await relay.restart {
                for name in ["files/stray", "files/" + Base64URL.encode(created.senderID), "incoming/half"] {
                    try Data([1]).write(to: URL(fileURLWithPath: relay.configuration.directory + "/" + name))
                }
                try FileManager.default.removeItem(
                    atPath: relay.configuration.directory + "/files/" + Base64URL.encode(lost.senderID)
                )
            }
            #expect(relay.relay.warnings == [.missingFiles(count: 1, folder: relay.configuration.directory + "/files")])
            #expect(relay.contents.count == 1 && relay.incoming.isEmpty)
            session = try await relay.connect()
            try await file.check(session)
            #expect(try await refusal { try await created.check(session) } == .noFile)
            #expect(try await refusal { try await lost.check(session) } == .noFile)
            try await lost.upload(session)
            try await lost.check(session)
        }
    }

    @Test
    func `A file whose contents were deleted from the disk is refused with AUTH`() async throws {
        try await withFileRelay { relay in
            let session = try await relay.connect()
            let file = try await TestFile.uploaded(session)
            for path in relay.contents { try FileManager.default.removeItem(atPath: path) }
            #expect(try await refusal { try await file.check(session) } == .auth)
            try await session.ping()
        }
    }

    @Test
    func `A truncated log is read up to its last complete record`() async throws {
        try await withFileRelay { relay in
            let session = try await relay.connect()
            let files = [try await TestFile.uploaded(session), try await TestFile.uploaded(session)]
            let whole = try Data(contentsOf: relay.log)
            var most = 0
            for end in stride(from: whole.count, through: 0, by: -7) {
                let cut = [UInt8](whole.prefix(end))
                try Data(cut).write(to: relay.log)
                var table = FileTable()
                _ = try LogFile.open(at: relay.log.path, FileLogRecord.logHeader) { payload in
                    guard let record = FileLogRecord(payload: payload) else { return false }
                    table.apply(record)
                    return true
                }
                #expect(table.files.count <= 2 && table.uploadedCount <= table.files.count)
                most = max(most, table.uploadedCount)
            }
            #expect(most == 2 && files.count == 2)
        }
    }

    @Test
    func `A damaged record of the log does not crash the parser`() throws {
        var random = SeededRandom()
        let id = RelayFileID.random()
        let key = AuthorizationKey.ed25519(try Ed25519.PrivateKey().publicKey)
        let records: [FileLogRecord] = [
            .created(
                id,
                StoredFile(
                    senderKey: key,
                    size: 65536,
                    digest: Bytes32([UInt8](repeating: 1, count: 32)),
                    created: 3600
                )
            ),
            .recipients(id, [(.random(), key), (.random(), key)]), .uploaded(id), .deleted(id), .acknowledged(id),
            .blocked(id, SMPBlockingInfo(reason: .content, notice: "{}")), .blocked(id, nil),
        ]
        for record in records {
            let payload = record.encoded().dropFirst(LogFile.headerSize)
            #expect(FileLogRecord(payload: payload)?.encoded().dropFirst(LogFile.headerSize) == payload)
            for _ in 0..<500 {
                var damaged = Array(payload)
                let place = Int.random(in: 0..<damaged.count, using: &random)
                if Bool.random(using: &random) {
                    damaged[place] = UInt8.random(in: 0...255, using: &random)
                } else {
                    damaged.removeSubrange(place...)
                }
                var table = FileTable()
                if let record = FileLogRecord(payload: damaged[...]) { table.apply(record) }
            }
        }
    }

    @Test
    func `A relay still has all of its 100,000 files after a restart`() async throws {
        try await withFileRelay { relay in
            let key = AuthorizationKey.ed25519(try Ed25519.PrivateKey().publicKey)
            var bytes = Array("simplex-gateway file relay log 1\n".utf8)
            for _ in 0..<100_000 {
                let id = RelayFileID.random()
                FileLogRecord.created(
                    id,
                    StoredFile(
                        senderKey: key,
                        size: 65536,
                        digest: Bytes32([UInt8](repeating: 1, count: 32)),
                        created: RelayClock.now
                    )
                ).append(to: &bytes)
                FileLogRecord.recipients(id, [(.random(), key)]).append(to: &bytes)
            }
            await relay.relay.stop()
            try Data(bytes).write(to: relay.log)
            var table = FileTable()
            _ = try LogFile.open(at: relay.log.path, FileLogRecord.logHeader) { payload in
                guard let record = FileLogRecord(payload: payload) else { return false }
                table.apply(record)
                return true
            }
            table.sortByAge()
            #expect(table.files.count == 100_000)
            try await relay.restart()
            #expect(relay.relay.statistics["files"] == 100_000)
        }
    }
}
