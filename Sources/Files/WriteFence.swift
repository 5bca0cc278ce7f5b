import Glibc
import Synchronization

/// Prevents a process from writing to files that another process has taken over.
///
/// A file beside the protected files contains a number. A process that takes the files over writes a greater number.
/// Each write of the former holder locks this file and compares the number with its own number. So the takeover comes
/// either before the write, which is then refused, or after it. This also holds for a process that was stopped for any
/// time between its decision to write and the write.
package struct WriteFence: Sendable {
    /// The reason why this process may not write to the protected files.
    package enum Refusal: Error, Hashable, CustomStringConvertible {
        /// Another process has taken over the protected files.
        case takenOver(by: UInt64)
        /// The time for which this process may write is over.
        case timeExpired
        /// Another process has begun a write to the protected files, and has not ended it within the waiting time.
        case writeInProgress
        /// The fence file does not contain a number.
        case fenceDamaged(path: String)

        package var description: String {
            switch self {
            case .takenOver: "another process has taken over"
            case .timeExpired: "the time for writing is over"
            case .writeInProgress: "another process has not finished a write to these files"
            case .fenceDamaged(let path): "\(path) does not contain a number"
            }
        }
    }

    /// A flag that is set when another number was found in the fence file. All copies of a fence share one flag.
    private final class TakeoverFlag: Sendable {
        let isTakenOver = Atomic(false)
    }

    package let fencingToken: UInt64
    private let path: String
    private let isValid: @Sendable () -> Bool
    private let takeoverFlag = TakeoverFlag()

    /// Returns the number in the fence file at `path`; 0 when there is no file.
    package static func readToken(at path: String) throws -> UInt64 {
        let file: OpenFile
        do throws(FileSystemError) { file = try OpenFile(path, O_RDONLY) } catch {
            guard error.errnoCode == ENOENT else { throw error }
            return 0
        }
        return try readToken(in: file, path)
    }

    /// Takes the protected files over: writes a greater number into the fence file. Waits for a write in progress.
    /// - Parameters:
    ///   - path: the path of the fence file. A missing file is created.
    ///   - token: a number greater than all earlier numbers in the fence file.
    ///   - patience: maximal time to wait for a write in progress, in milliseconds.
    ///   - isValid: returns whether this process may still write. It is called before each write, on any thread.
    /// - Throws: ``Refusal``, `FileSystemError`. Blocks the thread.
    package static func claimFiles(
        _ path: String,
        token: UInt64,
        patience: Int = 5_000,
        isValid: @escaping @Sendable () -> Bool
    ) throws -> WriteFence {
        let file = try OpenFile(path, O_RDWR | O_CREAT)
        var left = patience
        while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw FileSystemError(.lock, path) }
            guard left > 0 else { throw Refusal.writeInProgress }
            usleep(20_000)
            left -= 20
        }
        let before = try self.readToken(in: file, path)
        guard before < token else { throw Refusal.takenOver(by: before) }
        // The text always has the same length and is written in place, because processes that wait for the lock have
        // this file open.
        let digits = String(token)
        let text = Array((String(repeating: "0", count: tokenLength - 1 - digits.utf8.count) + digits + "\n").utf8)
        var failure: FileSystemError?
        text.withUnsafeBytes { bytes in
            do throws(FileSystemError) { try file.write(bytes, at: 0) } catch { failure = error }
        }
        if let failure { throw failure }
        try file.sync()
        DiskFiles.syncParentFolder(of: path)
        return WriteFence(fencingToken: token, path: path, isValid: isValid)
    }

    /// Runs `body`, which writes to the protected files. Throws instead if another process has taken the files over, or
    /// if this process's time to write is over.
    /// - Throws: ``Refusal``, `FileSystemError`, and errors of `body`.
    package func runIfValid<T>(_ body: () throws -> T) throws -> T {
        let file = try OpenFile(path, O_RDONLY)
        while flock(file.descriptor, LOCK_SH) != 0 {
            if errno != EINTR { throw FileSystemError(.lock, path) }
        }
        let present = try Self.readToken(in: file, path)
        guard present == fencingToken else {
            takeoverFlag.isTakenOver.store(true, ordering: .relaxed)
            throw Refusal.takenOver(by: present)
        }
        guard isValid() else { throw Refusal.timeExpired }
        let result = try body()
        withExtendedLifetime(file) {}
        return result
    }

    /// Whether this process has already found that another process has taken the files over. No file is read.
    package var isTakenOver: Bool { takeoverFlag.isTakenOver.load(ordering: .relaxed) }

    /// Reads the fence file, and records whether another process has taken over the protected files. Blocks the thread.
    package func checkTakeover() {
        guard let present = try? Self.readToken(at: path), present != fencingToken else { return }
        takeoverFlag.isTakenOver.store(true, ordering: .relaxed)
    }

    private static let tokenLength = 21

    private static func readToken(in file: borrowing OpenFile, _ path: String) throws -> UInt64 {
        guard try file.readSize() > 0 else { return 0 }
        let text: [UInt8]
        do throws(FileSystemError) { text = try file.read(tokenLength, at: 0) } catch {
            guard error.errnoCode == ENODATA else { throw error }
            throw Refusal.fenceDamaged(path: path)
        }
        guard text.last == UInt8(ascii: "\n"), text.dropLast().allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt64(String(decoding: text.dropLast(), as: UTF8.self))
        else { throw Refusal.fenceDamaged(path: path) }
        return number
    }
}

extension WriteFence? {
    /// Runs `body`, which writes, after the check of ``WriteFence/runIfValid(_:)``. Without a fence `body` always runs.
    package func runIfValid<T>(_ body: () throws -> T) throws -> T {
        if let self { try self.runIfValid(body) } else { try body() }
    }
}
