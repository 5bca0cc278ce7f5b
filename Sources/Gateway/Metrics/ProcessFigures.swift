internal import Files

#if canImport(Glibc)
    internal import Glibc
#endif

/// Figures about this process, such as its memory and its processor time, from the operating system. Reading the
/// figures opens files, so it must not happen on a thread for which other work waits.
struct ProcessFigures {
    var residentBytes: Int64 = 0
    var cpuSeconds: Double = 0
    var openDescriptors: Int64 = 0
    var maxDescriptors: Int64 = 0
    var threadCount: Int64 = 0

    static func readFigures() -> ProcessFigures {
        var figures = ProcessFigures()
        figures.residentBytes = ProcessMemory.readResidentBytes()
        var usage = rusage()
        if getrusage(Int32(RUSAGE_SELF.rawValue), &usage) == 0 {
            func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }
            figures.cpuSeconds = seconds(usage.ru_utime) + seconds(usage.ru_stime)
        }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            figures.maxDescriptors = Int64(clamping: limit.rlim_cur)
        }
        figures.openDescriptors = Int64(DiskFiles.listEntries("/proc/self/fd").count)
        figures.threadCount = Int64(DiskFiles.listEntries("/proc/self/task").count)
        return figures
    }
}
