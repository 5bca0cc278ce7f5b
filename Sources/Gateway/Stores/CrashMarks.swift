internal import CCrashMarks
internal import Files
internal import Glibc

/// Crashes of the process, noted in files.
public enum CrashMarks {
    /// From here on crashes are noted. Other handlers of their signals are set before.
    public static func begin() { sxgw_crash_marks_begin() }
}

/// As long as this lives, a crash of the process makes a file one byte longer. SIGKILL and a loss of power do not.
final class CrashMark: Sendable {
    private let file: OpenFile
    private let place: Int32

    /// - Returns: nil where the file cannot be made, as on a full disk.
    init?(_ path: String) {
        do throws(FileSystemError) { file = try OpenFile(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW) } catch { return nil }
        place = sxgw_crash_mark_add(file.descriptor)
    }

    deinit { if place >= 0 { sxgw_crash_mark_remove(place) } }
}
