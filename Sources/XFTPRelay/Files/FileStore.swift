import Clocks
import RelayBase
import SMP
import SimpleXCrypto
import Synchronization
import XFTP

/// The table of files and its log. Every change is made and logged under one lock, for about a microsecond. No
/// cryptography runs under the lock, and no contents of files are read or written.
///
/// Methods that make a change return the number of its log record. A client may get the answer when
/// ``LogWriter/lastCommittedRecordNumber`` has reached that number. Methods throw the error that the client gets.
final class FileStore: Sendable {
    let log: LogWriter
    let table: Mutex<FileTable>
    private let configuration: FileRelayConfiguration

    init(table: sending FileTable, log: LogWriter, configuration: FileRelayConfiguration) {
        self.table = Mutex(table)
        self.log = log
        self.configuration = configuration
    }

    private func writeRecord(_ record: FileLogRecord) throws(XFTPServerError) -> UInt64 {
        guard let number = log.appendRecord(record.encodeRecord()) else { throw .internal }
        return number
    }

    // MARK: Finding files

    /// The file that a command addresses, with the sender's id for it and the key that authorizes the command.
    struct CommandFile: Sendable {
        let id: RelayFileID
        let file: StoredFile
        let key: AuthorizationKey
    }

    /// Finds a file by the id in a command; nil if there is no such file. The sender and each recipient have different
    /// ids for a file, and an id is valid only for its role.
    func findFile(_ entityID: [UInt8], isRecipient: Bool) -> CommandFile? {
        guard let id = RelayFileID(entityID) else { return nil }
        return table.withLock { table in
            if isRecipient {
                guard let recipient = table.recipients[id], let file = table.files[recipient.fileID] else { return nil }
                return CommandFile(id: recipient.fileID, file: file, key: recipient.key)
            }
            return table.files[id].map { CommandFile(id: id, file: $0, key: $0.senderKey) }
        }
    }

    // MARK: Commands

    /// Executes FNEW, which creates a file without contents.
    func createFile(
        _ info: ChunkInfo,
        recipients keys: [AuthorizationKey],
        now: Int64 = WallClock.seconds()
    ) throws(XFTPServerError) -> (senderID: RelayFileID, recipientIDs: [RelayFileID], number: UInt64) {
        guard configuration.allowedFileSizes.contains(info.size) else { throw .size }
        let file = StoredFile(
            senderKey: info.senderKey,
            size: info.size,
            digest: Bytes32(info.digest),
            created: now - now % 3600
        )
        let id = RelayFileID.random()
        return try table.withLock { table throws(XFTPServerError) in
            guard table.files.count < configuration.maxFiles, hasRecipientRoom(for: keys.count, table) else {
                throw .quota
            }
            let recipients = Self.makeRecipients(keys)
            // The records of the file and of its recipients are appended together, so that they share one sync.
            let created = FileLogRecord.fileCreated(id, file).encodeRecord()
            let number = try writeRecipients(recipients, of: id, after: created)
            // An id that is already in use is an internal error: ids are 24 random bytes, which practically never
            // repeat.
            guard table.insertFile(file, id: id) else { throw .internal }
            try Self.insertRecipients(recipients, of: id, &table)
            return (id, recipients.map(\.id), number)
        }
    }

    /// Executes FADD, which adds recipients to a file.
    func addRecipients(
        _ keys: [AuthorizationKey],
        to id: RelayFileID
    ) throws(XFTPServerError) -> (recipientIDs: [RelayFileID], number: UInt64) {
        try table.withLock { table throws(XFTPServerError) in
            guard table.files[id] != nil else { throw .auth }
            guard hasRecipientRoom(for: keys.count, table) else { throw .quota }
            let recipients = Self.makeRecipients(keys)
            let number = try writeRecipients(recipients, of: id)
            try Self.insertRecipients(recipients, of: id, &table)
            return (recipients.map(\.id), number)
        }
    }

    private func hasRecipientRoom(for count: Int, _ table: borrowing FileTable) -> Bool {
        table.recipients.count + count <= configuration.maxTotalRecipients
    }

    private typealias NewRecipient = (id: RelayFileID, key: AuthorizationKey)

    private static func makeRecipients(_ keys: [AuthorizationKey]) -> [NewRecipient] {
        keys.map { (id: .random(), key: $0) }
    }

    /// Appends the records of new recipients to the log, and returns the number of the log record for which the answer
    /// must wait.
    /// - Parameter records: encoded records that are appended before the recipients.
    private func writeRecipients(
        _ recipients: [NewRecipient],
        of id: RelayFileID,
        after records: [UInt8] = []
    ) throws(XFTPServerError) -> UInt64 {
        var bytes = records
        for start in stride(from: 0, to: recipients.count, by: FileLogRecord.maxRecipients) {
            let part = Array(recipients[start..<min(start + FileLogRecord.maxRecipients, recipients.count)])
            FileLogRecord.recipientsAdded(id, part).append(to: &bytes)
        }
        guard !bytes.isEmpty else { return log.lastAwaitedRecordNumber }
        guard let number = log.appendRecord(bytes) else { throw .internal }
        return number
    }

    private static func insertRecipients(
        _ recipients: [NewRecipient],
        of id: RelayFileID,
        _ table: inout FileTable
    ) throws(XFTPServerError) {
        for (recipient, key) in recipients where !table.addRecipient(recipient, key, to: id) { throw .internal }
    }

    /// Executes FDEL, which deletes a file. The caller removes the contents when the log record is on the disk.
    func deleteFile(_ id: RelayFileID) throws(XFTPServerError) -> UInt64 {
        try table.withLock { table throws(XFTPServerError) in
            guard table.files[id] != nil else { throw .auth }
            let number = try writeRecord(.fileDeleted(id))
            table.removeFile(id)
            return number
        }
    }

    /// Executes FACK, with which a recipient confirms the download. The recipient is removed from the file.
    func acknowledgeFile(_ recipientID: [UInt8]) throws(XFTPServerError) -> UInt64 {
        guard let id = RelayFileID(recipientID) else { throw .auth }
        return try table.withLock { table throws(XFTPServerError) in
            guard table.recipients[id] != nil else { throw .auth }
            let number = try writeRecord(.fileAcknowledged(id))
            table.removeRecipient(id)
            return number
        }
    }

    /// Blocks a file; nil for `blocking` unblocks the file. The caller removes the contents of a blocked file, which
    /// cannot be restored.
    /// - Parameter recipientID: the id of any recipient of the file.
    /// - Returns: the sender's id of the file and the number of the log record; nil when there is no such file.
    func setBlocking(
        _ blocking: SMPBlockingInfo?,
        recipientID: [UInt8]
    ) throws(XFTPServerError) -> (id: RelayFileID, number: UInt64)? {
        guard let recipient = RelayFileID(recipientID) else { return nil }
        return try table.withLock { table throws(XFTPServerError) in
            guard let id = table.recipients[recipient]?.fileID else { return nil }
            let record = FileLogRecord.fileBlocked(id, blocking)
            let number = try writeRecord(record)
            table.applyRecord(record)
            return (id, number)
        }
    }

    // MARK: Contents

    /// Reserves space for an upload. Throws QUOTA when the relay is full.
    func reserveSpace(_ size: UInt32) throws(XFTPServerError) {
        try table.withLock { table throws(XFTPServerError) in
            guard table.uploadedBytes + table.reservedBytes + Int64(size) <= configuration.maxTotalBytes else {
                throw .quota
            }
            table.reservedBytes += Int64(size)
        }
    }

    /// Releases the space that was reserved for an upload, when the upload has ended.
    func releaseSpace(_ size: UInt32) { table.withLock { $0.reservedBytes -= Int64(size) } }

    /// Marks a file as uploaded, in the table and in the log. The caller releases the reserved space, even if this
    /// function throws.
    func recordUploadedFile(_ id: RelayFileID) throws(XFTPServerError) -> UInt64 {
        try table.withLock { table throws(XFTPServerError) in
            guard let file = table.files[id] else { throw .auth }
            if let blocking = file.blocking { throw .blocked(blocking) }
            // The file was uploaded twice at the same time. The other upload had the same contents, because the digest
            // of the file was checked for each upload.
            if file.isUploaded { return log.lastAwaitedRecordNumber }
            let number = try writeRecord(.fileUploaded(id))
            table.setUploaded(id, true)
            return number
        }
    }

    // MARK: Expiry

    /// Deletes up to `count` expired files, and returns their ids with the number of the log record; nil if no file was
    /// deleted. The caller removes the contents when the log record is on the disk.
    func deleteExpiredFiles(now: Int64, count: Int) -> (ids: [RelayFileID], number: UInt64)? {
        table.withLock { table in
            let old = table.removeFromAgeList(before: now - configuration.fileLifetimeSeconds, count: count)
            guard !old.isEmpty else { return nil }
            var bytes: [UInt8] = []
            for id in old { FileLogRecord.fileDeleted(id).append(to: &bytes) }
            // If the log refuses the records, nothing is removed, and a later call deletes the expired files.
            guard let number = log.appendRecord(bytes) else {
                table.returnToAgeList(old)
                return nil
            }
            for id in old { table.removeFile(id) }
            return (old, number)
        }
    }

    // MARK: Compaction

    /// The estimated size in bytes of a new log with only the present data.
    var estimatedLogBytes: Int64 { table.withLock { $0.estimatedLogBytes } }

    /// A snapshot of the present files, with which compaction begins a new log.
    var compactionSnapshot: LogCompaction.Snapshot {
        // Records are appended under the lock of the table, so the snapshot contains exactly the records before
        // `start`.
        let (files, recipients, start) = table.withLock { table in
            (table.files, table.recipients, log.sizeWithPendingRecords)
        }
        return LogCompaction.Snapshot(start: start) { writer throws(RelayStoreError) in
            for (id, file) in files {
                try writer.addRecords { bytes in
                    FileLogRecord.fileCreated(id, file).append(to: &bytes)
                    let keys = file.recipients.compactMap { recipient in
                        recipients[recipient].map { (id: recipient, key: $0.key) }
                    }
                    for start in stride(from: 0, to: keys.count, by: FileLogRecord.maxRecipients) {
                        FileLogRecord.recipientsAdded(
                            id,
                            Array(keys[start..<min(start + FileLogRecord.maxRecipients, keys.count)])
                        ).append(to: &bytes)
                    }
                    if file.isUploaded { FileLogRecord.fileUploaded(id).append(to: &bytes) }
                    if let blocking = file.blocking { FileLogRecord.fileBlocked(id, blocking).append(to: &bytes) }
                }
            }
        }
    }
}
