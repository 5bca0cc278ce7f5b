internal import CMicrohttpd
internal import Concurrency
internal import Files

#if canImport(Glibc)
    internal import Glibc
#endif

/// Returns freed memory of the process to the system.
public enum ProcessMemory {
    /// Limits the number of arenas of `malloc` to 2. With one arena for each thread, freed memory would stay with idle
    /// threads. Must be called before threads are made.
    public static func limitArenas() { sxgw_limit_arenas(2) }

    /// Returns freed memory to the system, on another thread, since this takes milliseconds.
    static func trim() { BlockingThread.run { sxgw_trim_memory() } }

    /// Returns freed memory to the system whenever the process has grown and is idle again. For example, a post that a
    /// chat relay forwards to thousands of members needs megabytes for a moment. Runs until the task is cancelled.
    public static func trimAtRest(every interval: Duration = .seconds(5)) async {
        var used = processorSeconds(), least = await residentNow()
        while (try? await Task.sleep(for: interval)) != nil {
            let now = processorSeconds(), size = await residentNow()
            defer { used = now }
            least = min(least, size)
            guard now - used < busy, size > least + growth else { continue }
            trim()
            // The next measurement sets the new least size, so that it is the size after the trim.
            least = .max
        }
    }

    /// Seconds of processor time between two measurements. A process that uses less counts as idle.
    private static let busy = 0.25
    /// Growth in bytes above which returning memory is worth its cost.
    private static let growth: Int64 = 8 << 20

    private static func processorSeconds() -> Double {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func residentNow() async -> Int64 { (try? await blocking { resident() }) ?? 0 }

    /// Returns the bytes of the resident set, from `/proc/self/statm`; 0 when they are unknown. Reads a file, and
    /// blocks.
    static func resident() -> Int64 {
        guard let content = try? DiskFiles.read("/proc/self/statm"),
            let text = String(validating: content, as: UTF8.self)
        else { return 0 }
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int64(fields[1]) else { return 0 }
        return pages &* Int64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
