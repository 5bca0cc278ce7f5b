import Clocks
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
    func `Files, recipients and contents survive a restart and a log compaction of the file relay`() async throws {
        try await withFileRelay { relay in
            var session = try await relay.connect()
            let (file, gone) = (
                try await TestFile.createAndUpload(session), try await TestFile.createAndUpload(session)
            )
            let created = try await TestFile.createFile(session)
            let keys = try (0..<2).map { _ in AuthorizationPrivateKey.ed25519(try .init()) }
            let ids = try await session.addRecipients(keys.map(\.publicKey), to: file.senderID, key: file.sender)
            try await session.acknowledgeChunk(ids[0], key: keys[0])
            try await gone.delete(session)
            let address = relay.relay.address
            for round in 0..<3 {
                if round == 1 { await relay.relay.compactLog() }
                try await relay.restart()
                #expect(relay.relay.address == address && relay.relay.warnings.isEmpty)
                session = try await relay.connect()
                try await file.checkDownload(session)
                #expect(
                    try await session.downloadChunk(ids[1], size: 65536, digest: file.digest, key: keys[1])
                        == file.contents
                )
                #expect(
                    try await catchRefusal {
                        _ = try await session.downloadChunk(ids[0], size: 65536, digest: file.digest, key: keys[0])
                    } == .auth
                )
                #expect(try await catchRefusal { try await gone.checkDownload(session) } == .auth)
                #expect(try await catchRefusal { try await created.checkDownload(session) } == .noFile)
                #expect(relay.relay.statistics["bytes_stored"] == 65536 && relay.contentPaths.count == 1)
            }
            try await created.upload(session)
            try await created.checkDownload(session)
        }
    }

    @Test
    func `A kill of the file relay loses no upload that it has confirmed`() async throws {
        try await withFileRelay { relay in
            let session = try await relay.connect()
            var files: [TestFile] = []
            for index in 0..<10 {
                files.append(try await TestFile.createAndUpload(session))
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
                for file in files { try await file.checkDownload(reader) }
                #expect(other.statistics["files_stored"] == index + 1)
                await reader.close()
                await other.stopAndWait()
                try FileManager.default.removeItem(atPath: copy.directory)
            }
        }
    }

    @Test
    func `At its start, a file relay removes unknown files and warns about missing contents of known files`()
        async throws
    {
        try await withFileRelay { relay in
            var session = try await relay.connect()
            let (file, lost) = (
                try await TestFile.createAndUpload(session), try await TestFile.createAndUpload(session)
            )
            let created = try await TestFile.createFile(session)
            try await relay.restart {
                for name in ["files/stray", "files/" + Base64URL.encode(created.senderID), "incoming/half"] {
                    try Data([1]).write(to: URL(fileURLWithPath: relay.configuration.directory + "/" + name))
                }
                try FileManager.default.removeItem(
                    atPath: relay.configuration.directory + "/files/" + Base64URL.encode(lost.senderID)
                )
            }
            #expect(relay.relay.warnings == [.missingFiles(count: 1, folder: relay.configuration.directory + "/files")])
            #expect(relay.contentPaths.count == 1 && relay.incomingPaths.isEmpty)
            session = try await relay.connect()
            try await file.checkDownload(session)
            #expect(try await catchRefusal { try await created.checkDownload(session) } == .noFile)
            #expect(try await catchRefusal { try await lost.checkDownload(session) } == .noFile)
            try await lost.upload(session)
            try await lost.checkDownload(session)
        }
    }

    @Test
    func `A new file and its recipients are stored as one record of the file relay's log, with one sync`() async throws
    {
        try await withFileRelay { relay in
            let session = try await relay.connect()
            let log = relay.relay.context.store.log
            for number in 1...3 as ClosedRange<UInt64> {
                _ = try await TestFile.createFile(session)
                #expect(log.lastAwaitedRecordNumber == number && log.lastCommittedRecordNumber == number)
            }
            try await relay.restart()
            #expect(relay.relay.context.store.table.withLock { $0.files.count == 3 && $0.recipients.count == 3 })
        }
    }

    @Test
    func `A file whose contents were deleted from the disk is refused with AUTH`() async throws {
        try await withFileRelay { relay in
            let session = try await relay.connect()
            let file = try await TestFile.createAndUpload(session)
            for path in relay.contentPaths { try FileManager.default.removeItem(atPath: path) }
            #expect(try await catchRefusal { try await file.checkDownload(session) } == .auth)
            try await session.sendPing()
        }
    }

    @Test
    func `A file relay reads a truncated log up to the last complete record`() async throws {
        try await withFileRelay { relay in
            let session = try await relay.connect()
            let files = [try await TestFile.createAndUpload(session), try await TestFile.createAndUpload(session)]
            let whole = try Data(contentsOf: relay.logFile)
            var most = 0
            for end in stride(from: whole.count, through: 0, by: -7) {
                let cut = [UInt8](whole.prefix(end))
                try Data(cut).write(to: relay.logFile)
                var table = FileTable()
                _ = try LogFile.openLog(at: relay.logFile.path, FileLogRecord.logHeader) { payload in
                    guard let record = FileLogRecord(payload: payload) else { return false }
                    table.applyRecord(record)
                    return true
                }
                #expect(table.files.count <= 2 && table.uploadedFileCount <= table.files.count)
                most = max(most, table.uploadedFileCount)
            }
            #expect(most == 2 && files.count == 2)
        }
    }

    @Test
    func `A damaged record of the file relay's log does not crash the parser`() throws {
        var random = SeededRandom()
        let id = RelayFileID.random()
        let key = AuthorizationKey.ed25519(try Ed25519.PrivateKey().publicKey)
        let records: [FileLogRecord] = [
            .fileCreated(
                id,
                StoredFile(
                    senderKey: key,
                    size: 65536,
                    digest: Bytes32([UInt8](repeating: 1, count: 32)),
                    created: 3600
                )
            ),
            .recipientsAdded(id, [(.random(), key), (.random(), key)]), .fileUploaded(id), .fileDeleted(id),
            .fileAcknowledged(id),
            .fileBlocked(id, SMPBlockingInfo(reason: .content, notice: "{}")), .fileBlocked(id, nil),
        ]
        for record in records {
            let payload = record.encodeRecord().dropFirst(LogFile.recordHeaderBytes)
            #expect(FileLogRecord(payload: payload)?.encodeRecord().dropFirst(LogFile.recordHeaderBytes) == payload)
            for _ in 0..<500 {
                var damaged = Array(payload)
                let place = Int.random(in: 0..<damaged.count, using: &random)
                if Bool.random(using: &random) {
                    damaged[place] = UInt8.random(in: 0...255, using: &random)
                } else {
                    damaged.removeSubrange(place...)
                }
                var table = FileTable()
                if let record = FileLogRecord(payload: damaged[...]) { table.applyRecord(record) }
            }
        }
    }

    @Test
    func `A file relay with 100,000 files still has all of them after a restart`() async throws {
        try await withFileRelay { relay in
            let key = AuthorizationKey.ed25519(try Ed25519.PrivateKey().publicKey)
            var bytes = Array("simplex-gateway file relay log 1\n".utf8)
            for _ in 0..<100_000 {
                let id = RelayFileID.random()
                FileLogRecord.fileCreated(
                    id,
                    StoredFile(
                        senderKey: key,
                        size: 65536,
                        digest: Bytes32([UInt8](repeating: 1, count: 32)),
                        created: WallClock.seconds()
                    )
                ).append(to: &bytes)
                FileLogRecord.recipientsAdded(id, [(.random(), key)]).append(to: &bytes)
            }
            await relay.relay.stopAndWait()
            try Data(bytes).write(to: relay.logFile)
            var table = FileTable()
            _ = try LogFile.openLog(at: relay.logFile.path, FileLogRecord.logHeader) { payload in
                guard let record = FileLogRecord(payload: payload) else { return false }
                table.applyRecord(record)
                return true
            }
            table.sortByAge()
            #expect(table.files.count == 100_000)
            try await relay.restart()
            #expect(relay.relay.statistics["files"] == 100_000)
        }
    }
}
