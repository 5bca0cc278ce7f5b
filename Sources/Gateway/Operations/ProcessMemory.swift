internal import CMicrohttpd
internal import Concurrency
internal import Files

#if canImport(Glibc)
    internal import Glibc
#endif

/// Gives freed memory of the process back to the system.
public enum ProcessMemory {
    /// Limits the number of arenas of `malloc` to 2. With one arena for each thread, freed memory stays with idle
    /// threads. It is called before threads are made.
    public static func limitArenas() { sxgw_limit_arenas(2) }

    /// Gives freed memory back to the system, on another thread: it takes milliseconds.
    static func trim() { BlockingThread.run { sxgw_trim_memory() } }

    /// Gives freed memory back to the system whenever the process has grown and is idle again. For example, a post that
    /// a chat relay forwards to thousands of members takes megabytes for a moment. Runs until the task is cancelled.
    public static func trimAtRest(every interval: Duration = .seconds(5)) async {
        var used = processorSeconds(), least = await residentNow()
        while (try? await Task.sleep(for: interval)) != nil {
            let now = processorSeconds(), size = await residentNow()
            defer { used = now }
            least = min(least, size)
            guard now - used < busy, size > least + growth else { continue }
            trim()
            // The size after the trim becomes the new least size at the next measurement.
            least = .max
        }
    }

    /// Processor time between two measurements below which the process counts as idle, in seconds.
    private static let busy = 0.25
    /// Growth in bytes above which a trim is worth its cost.
    private static let growth: Int64 = 8 << 20

    private static func processorSeconds() -> Double {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func residentNow() async -> Int64 { (try? await blocking { resident() }) ?? 0 }

    /// Bytes of the resident set, from `/proc/self/statm`; 0 when unknown. It reads a file, and blocks.
    static func resident() -> Int64 {
        guard let content = try? DiskFiles.read("/proc/self/statm"),
            let text = String(validating: content, as: UTF8.self)
        else { return 0 }
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int64(fields[1]) else { return 0 }
        return pages &* Int64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
