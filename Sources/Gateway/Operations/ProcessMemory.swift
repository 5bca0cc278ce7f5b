internal import CMicrohttpd
internal import Concurrency
internal import Files

#if canImport(Glibc)
internal import Glibc
#endif

/// Gives memory that the process has freed back to the system.
public enum ProcessMemory {
    /// Few arenas of `malloc`: with one for each thread, memory that was freed stays with threads that are done with it. To be called
    /// before threads are made.
    public static func limitArenas() { sxgw_limit_arenas(2) }

    /// Gives freed memory back to the system. Takes milliseconds, so not on a thread that others wait for.
    static func trim() { BlockingThread.run { sxgw_trim_memory() } }

    /// Gives freed memory back whenever the process was busy, has grown, and is at rest again: a post that a chat relay passes on to thousands takes megabytes for a
    /// moment. Runs until the task is cancelled.
    public static func trimAtRest(every interval: Duration = .seconds(5)) async {
        var used = processorSeconds(), least = await residentNow()
        while (try? await Task.sleep(for: interval)) != nil {
            let now = processorSeconds(), size = await residentNow()
            defer { used = now }
            least = min(least, size)
            guard now - used < busy, size > least + growth else { continue }
            trim()
            // As it is now is the least that it can be, until there is less.
            least = .max
        }
    }

    /// Processor time between two measurements below which the process counts as idle, in seconds.
    private static let busy = 0.25
    /// Growth that is worth a walk through all memory, in bytes.
    private static let growth: Int64 = 8 << 20

    private static func processorSeconds() -> Double {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func residentNow() async -> Int64 { (try? await blocking { resident() }) ?? 0 }

    /// It reads a file, and blocks. Bytes of the resident set, by `/proc/self/statm`; 0 when unknown.
    static func resident() -> Int64 {
        guard let content = try? DiskFiles.read("/proc/self/statm"),
            let text = String(validating: content, as: UTF8.self)
        else { return 0 }
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int64(fields[1]) else { return 0 }
        return pages &* Int64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
