internal import CCrashMarks
internal import Files
internal import Glibc

/// Counts crashes of the process in files.
package enum CrashMarks {
    /// Installs the signal handlers that record crashes. Other handlers of the same signals must be installed before.
    package static func installHandlers() { sxgw_crash_marks_begin() }
}

/// While this object exists, a crash of the process makes a file one byte longer. SIGKILL and a loss of power leave the
/// file as it is.
final class CrashMark: Sendable {
    private let file: OpenFile
    private let slot: Int32

    /// Opens the file, or makes it.
    /// - Returns: nil when the file cannot be opened, for example on a full disk.
    init?(_ path: String) {
        do throws(FileSystemError) { file = try OpenFile(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW) } catch {
            return nil
        }
        slot = sxgw_crash_mark_add(file.descriptor)
    }

    deinit { if slot >= 0 { sxgw_crash_mark_remove(slot) } }
}
