internal import CMicrohttpd
internal import Concurrency
internal import Files

#if canImport(Glibc)
internal import Glibc
#endif

public enum ProcessMemory {
    /// Few arenas of `malloc`: with one for each thread, memory that was freed stays with threads that are done with it. To be called
    /// before threads are made.
    public static func limitArenas() { sxgw_limit_arenas(2) }

    /// Gives freed memory back to the system. Takes milliseconds, so not on a thread that others wait for.
    static func trim() { BlockingThread.run { sxgw_trim_memory() } }

    /// Bytes of the resident set, by `/proc/self/statm`; 0 when unknown.
    static func resident() -> Int64 {
        guard let content = try? DiskFiles.read("/proc/self/statm"),
            let text = String(validating: content, as: UTF8.self)
        else { return 0 }
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int64(fields[1]) else { return 0 }
        return pages &* Int64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
