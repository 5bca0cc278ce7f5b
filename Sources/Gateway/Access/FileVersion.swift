#if canImport(Glibc)
    internal import Glibc
#endif

/// The version of the file at a path. Links are followed. A different version means that the file was replaced or
/// written to. A missing file has a version too.
package struct FileVersion: Sendable, Hashable {
    private var device: UInt64 = 0
    private var inode: UInt64 = 0
    private var size: Int64 = -1
    private var modifiedSeconds: Int64 = 0
    private var modifiedNanoseconds: Int64 = 0

    package init(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        (device, inode, size) = (UInt64(status.st_dev), UInt64(status.st_ino), Int64(status.st_size))
        (modifiedSeconds, modifiedNanoseconds) = (Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec))
    }
}
