import CFileCalls
import Glibc

/// An open file. The file is closed when this value is destroyed.
package struct OpenFile: ~Copyable, Sendable {
    /// The file descriptor. It is valid during the lifetime of this value. Only this value may close it.
    package let descriptor: Int32
    let path: String

    /// Opens a file. A new file is accessible only by its owner (mode 0600). Opening a pipe does not wait for its
    /// writer; see ``openForReading(_:patience:)``.
    /// - Parameter flags: the flags of `open(2)`; `O_CLOEXEC` is added.
    package init(_ path: String, _ flags: Int32) throws(FileSystemError) {
        descriptor = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw FileSystemError(.open, path) }
        self.path = path
    }

    /// Opens a file neither for reading nor for writing (`O_PATH`). While it is open, no other file gets its inode
    /// number. Closing it releases none of the locks that the process has on the file.
    package init(holding path: String) throws(FileSystemError) { try self.init(path, SXGW_O_PATH) }

    /// Opens a file by its name in an open folder. A new file is accessible only by its owner (mode 0600).
    init(_ name: String, in folder: Int32, path: String, _ flags: Int32) throws(FileSystemError) {
        descriptor = openat(folder, name, flags | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw FileSystemError(.open, path) }
        self.path = path
    }

    /// Takes ownership of an open descriptor, and closes it later.
    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens a file for reading from its beginning. The file may be a pipe from a shell. A pipe that has no writer for
    /// the time of `patience` is read as an empty file, because a writer may never come.
    static func openForReading(_ path: String, patience: Duration = .seconds(1)) throws(FileSystemError) -> OpenFile {
        let file = try OpenFile(path, O_RDONLY)
        var status = stat()
        if fstat(file.descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO {
            var event = pollfd(fd: file.descriptor, events: Int16(POLLIN), revents: 0)
            poll(&event, 1, Int32(patience / .milliseconds(1)))
        }
        // This call makes later reads wait for the writers of the pipe.
        guard fcntl(file.descriptor, F_SETFL, O_RDONLY) == 0 else { throw FileSystemError(.open, path) }
        return file
    }

    deinit { close(descriptor) }

    /// Reads into `buffer`.
    /// - Returns: the number of bytes that were read; 0 at the end of the file.
    package borrowing func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            if errno != EINTR { throw FileSystemError(.read, path) }
        }
    }

    /// Reads at most `limit` bytes from the present position. Returns an empty array at the end of the file.
    package borrowing func read(upTo limit: Int) throws(FileSystemError) -> [UInt8] {
        var failure: FileSystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            do throws(FileSystemError) { count = try read(into: UnsafeMutableRawBufferPointer(buffer)) } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes all of `bytes` at the present position in the file.
    package borrowing func write(_ bytes: some Collection<UInt8>) throws(FileSystemError) {
        let failure =
            bytes.withContiguousStorageIfAvailable { writeBytes(UnsafeRawBufferPointer($0)) }
            ?? Array(bytes).withUnsafeBytes { writeBytes($0) }
        if let failure { throw failure }
    }

    private borrowing func writeBytes(_ bytes: UnsafeRawBufferPointer) -> FileSystemError? {
        var written = 0
        while written < bytes.count {
            let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return FileSystemError(.write, path) }
            written += count
        }
        return nil
    }

    /// Fills `buffer` with the bytes at an offset. Throws `ENODATA` if the file ends before the buffer is full.
    package borrowing func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileSystemError) {
        var done = 0
        while done < buffer.count {
            let count = pread(
                descriptor,
                buffer.baseAddress.map { $0 + done },
                buffer.count - done,
                off_t(offset) + done
            )
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileSystemError(.read, path, code: count == 0 ? ENODATA : errno) }
            done += count
        }
    }

    /// Returns the `count` bytes at an offset. Throws `ENODATA` if the file ends earlier.
    package borrowing func read(_ count: Int, at offset: Int64) throws(FileSystemError) -> [UInt8] {
        var failure: FileSystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(FileSystemError) {
                try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
                filled = count
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes all of `bytes` at an offset of the file.
    package borrowing func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileSystemError) {
        var done = 0
        while done < bytes.count {
            let count = pwrite(
                descriptor,
                bytes.baseAddress.map { $0 + done },
                bytes.count - done,
                off_t(offset) + done
            )
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileSystemError(.write, path) }
            done += count
        }
    }

    /// Returns the size of the file in bytes.
    package borrowing func readSize() throws(FileSystemError) -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileSystemError(.open, path) }
        return Int64(status.st_size)
    }

    /// Returns whether this file is at a path. Returns false if another file has replaced it there.
    package borrowing func isAt(_ path: String) -> Bool {
        var (own, named) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && lstat(path, &named) == 0 && own.st_dev == named.st_dev
            && own.st_ino == named.st_ino
    }

    /// Waits until the contents of a file, or the names in a folder, are on the disk.
    package borrowing func sync() throws(FileSystemError) {
        guard fsync(descriptor) == 0 else { throw FileSystemError(.sync, path) }
    }
}
