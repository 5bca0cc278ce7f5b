import DequeModule
import RelayBase
import SMP
import SimpleXCrypto

/// All files, found by the sender's id or by a recipient's id. This is a value type, so a copy is a snapshot.
struct FileTable: Sendable {
    private(set) var files: [RelayFileID: StoredFile] = [:]
    private(set) var recipients: [RelayFileID: FileRecipient] = [:]
    /// The files by age, the oldest first. A deleted file stays in this list until the time at which it would have
    /// expired.
    private var filesByAge: Deque<(created: Int64, id: RelayFileID)> = []
    /// Number of files whose complete contents are in the folder.
    private(set) var uploadedFileCount = 0
    /// Total size in bytes of all uploaded contents.
    private(set) var uploadedBytes: Int64 = 0
    /// Total size in bytes of the uploads in progress, for which space is reserved.
    var reservedBytes: Int64 = 0

    /// Adds a file. Returns false when the id is in use.
    mutating func insertFile(_ file: StoredFile, id: RelayFileID) -> Bool {
        guard files.index(forKey: id) == nil, recipients.index(forKey: id) == nil else { return false }
        files[id] = file
        filesByAge.append((file.createdHourSeconds, id))
        return true
    }

    /// Adds a recipient to a file. Returns false when the recipient's id is in use or the file does not exist.
    mutating func addRecipient(_ id: RelayFileID, _ key: AuthorizationKey, to file: RelayFileID) -> Bool {
        guard files.index(forKey: id) == nil, recipients.index(forKey: id) == nil, let place = files.index(forKey: file)
        else { return false }
        files.values[place].recipients.append(id)
        recipients[id] = FileRecipient(fileID: file, key: key)
        return true
    }

    mutating func removeRecipient(_ id: RelayFileID) {
        guard let recipient = recipients.removeValue(forKey: id) else { return }
        files[recipient.fileID]?.recipients.removeAll { $0 == id }
    }

    @discardableResult mutating func removeFile(_ id: RelayFileID) -> StoredFile? {
        guard let file = files.removeValue(forKey: id) else { return nil }
        for recipient in file.recipients { recipients[recipient] = nil }
        if file.isUploaded { adjustUploadedTotals(for: file, by: -1) }
        return file
    }

    mutating func setUploaded(_ id: RelayFileID, _ isUploaded: Bool) {
        guard let place = files.index(forKey: id), files.values[place].isUploaded != isUploaded else { return }
        files.values[place].isUploaded = isUploaded
        adjustUploadedTotals(for: files.values[place], by: isUploaded ? 1 : -1)
    }

    /// Returns whether the complete contents of a file are in the folder.
    func isUploaded(_ id: RelayFileID) -> Bool { files.index(forKey: id).map { files.values[$0].isUploaded } ?? false }

    private mutating func adjustUploadedTotals(for file: StoredFile, by amount: Int) {
        uploadedFileCount += amount
        uploadedBytes += Int64(amount) * Int64(file.byteCount)
    }

    mutating func setBlocking(_ id: RelayFileID, _ blocking: SMPBlockingInfo?) { files[id]?.blocking = blocking }

    // MARK: Files by age

    /// Sorts the files by age after the log was replayed, because a compacted log has files in any order.
    mutating func sortByAge() { filesByAge.sort { $0.created < $1.created } }

    /// Removes up to `count` files that were created before `limit` from ``filesByAge``, and returns their ids. The
    /// caller removes the files from the table.
    mutating func removeFromAgeList(before limit: Int64, count: Int) -> [RelayFileID] {
        var old: [RelayFileID] = []
        while old.count < count, let first = filesByAge.first, first.created < limit {
            filesByAge.removeFirst()
            if files[first.id] != nil { old.append(first.id) }
        }
        return old
    }

    /// Puts files back into ``filesByAge``, for a later attempt to remove them.
    mutating func returnToAgeList(_ old: [RelayFileID]) {
        for id in old.reversed() {
            if let file = files[id] { filesByAge.prepend((file.createdHourSeconds, id)) }
        }
    }

    // MARK: The log

    /// Applies a log record to the table. A change of a missing file has no effect.
    mutating func applyRecord(_ record: FileLogRecord) {
        switch record {
        case .fileCreated(let id, let file): _ = insertFile(file, id: id)
        case .recipientsAdded(let id, let keys):
            for (recipient, key) in keys { _ = addRecipient(recipient, key, to: id) }
        case .fileUploaded(let id): setUploaded(id, true)
        case .fileDeleted(let id): removeFile(id)
        case .fileAcknowledged(let id): removeRecipient(id)
        case .fileBlocked(let id, let blocking):
            setBlocking(id, blocking)
            if blocking != nil { setUploaded(id, false) }
        }
    }

    /// The estimated size in bytes of a log that contains only the data in the table.
    var estimatedLogBytes: Int64 {
        Int64(files.count) * 155 + Int64(recipients.count) * 70 + Int64(uploadedFileCount) * 33
    }

    /// Reserves memory for the files of a log, but for at most `maxFiles` files. Their number is estimated from the
    /// size of the log in bytes. The estimate assumes that each file is uploaded and has one recipient.
    mutating func reserveMemory(logSize: Int64, maxFiles: Int) {
        let count = min(Int(clamping: logSize / (155 + 70 + 33)), maxFiles)
        files.reserveCapacity(count)
        recipients.reserveCapacity(count)
        filesByAge.reserveCapacity(count)
    }
}
