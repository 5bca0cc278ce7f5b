internal import CMicrohttpd
internal import ChatCore
internal import Concurrency
internal import Files

#if canImport(Glibc)
    internal import Glibc
#endif

/// Returns freed memory of the process to the system.
package enum ProcessMemory {
    /// Limits the number of arenas of `malloc` to 2. With one arena for each thread, freed memory would stay with idle
    /// threads. Must be called before threads are made.
    package static func limitArenas() { sxgw_limit_arenas(2) }

    /// Returns freed memory to the system, on another thread, since this takes milliseconds.
    static func trim() { BlockingThread.run { sxgw_trim_memory() } }

    /// Returns freed memory to the system whenever the process is idle again after it has grown, or after databases have
    /// given back their memory. For example, a post that a chat relay forwards to thousands of members needs megabytes
    /// for a moment. Runs until the task is cancelled.
    package static func trimAtRest(every interval: Duration = .seconds(5)) async {
        var rest = MemoryRest(await state())
        while (try? await Task.sleep(for: interval)) != nil {
            guard rest.isDue(await state()) else { continue }
            let time = try? await blocking { ContinuousClock().measure { sxgw_trim_memory() } }
            rest.trimmed(at: .now, within: time ?? .zero)
        }
    }

    private static func state() async -> MemoryRest.State {
        MemoryRest.State(
            processor: processorSeconds(),
            resident: (try? await blocking { resident() }) ?? 0,
            releases: ChatController.databaseReleases
        )
    }

    private static func processorSeconds() -> Double {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

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

/// Decides when an idle process returns freed memory to the system.
struct MemoryRest {
    struct State {
        /// Seconds of processor time that the process has used.
        var processor: Double
        /// Bytes of the resident set.
        var resident: Int64
        /// See `ChatController.databaseReleases`.
        var releases: Int
        var time = ContinuousClock.now
    }

    /// Seconds of processor time between two measurements. A process that uses less counts as idle.
    static let busy = 0.25
    /// Growth in bytes above which returning memory is worth its cost.
    static let growth: Int64 = 8 << 20
    /// The pause after a trim, in multiples of its duration. During a trim, other threads wait for memory.
    static let pause = 100

    private var last: State
    private var least: Int64
    private var releases: Int
    private var next: ContinuousClock.Instant

    init(_ state: State) {
        (last, least, releases, next) = (state, state.resident, state.releases, state.time)
    }

    /// Returns whether to return memory, from the present state and the state of the last call.
    mutating func isDue(_ state: State) -> Bool {
        defer { last = state }
        least = min(least, state.resident)
        guard state.processor - last.processor < Self.busy, state.time >= next,
            state.resident > least + Self.growth || state.releases != releases
        else { return false }
        releases = state.releases
        return true
    }

    mutating func trimmed(at time: ContinuousClock.Instant, within duration: Duration) {
        next = time + duration * Self.pause
        // The next measurement sets the new least size, so that it is the size after the trim.
        least = .max
    }
}
