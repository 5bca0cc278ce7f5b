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

    /// Returns freed memory to the system whenever the process is idle again after it has grown, or after databases
    /// have given back their memory. For example, a post that a chat relay forwards to thousands of members needs
    /// megabytes for a moment. Runs until the task is cancelled.
    package static func trimWhenIdle(every interval: Duration = .seconds(5)) async {
        var rest = TrimSchedule(await measureState())
        while (try? await Task.sleep(for: interval)) != nil {
            guard rest.shouldTrim(await measureState()) else { continue }
            let time = try? await runBlocking { ContinuousClock().measure { sxgw_trim_memory() } }
            rest.recordTrim(at: .now, within: time ?? .zero)
        }
    }

    private static func measureState() async -> TrimSchedule.State {
        TrimSchedule.State(
            processorSeconds: readProcessorSeconds(),
            residentBytes: (try? await runBlocking { readResidentBytes() }) ?? 0,
            databaseReleaseCount: ChatController.databaseReleaseCount
        )
    }

    private static func readProcessorSeconds() -> Double {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Returns the bytes of the resident set, from `/proc/self/statm`; 0 when they are unknown. Reads a file, and
    /// blocks.
    static func readResidentBytes() -> Int64 {
        guard let content = try? DiskFiles.readFile("/proc/self/statm"),
            let text = String(validating: content, as: UTF8.self)
        else { return 0 }
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int64(fields[1]) else { return 0 }
        return pages &* Int64(sysconf(Int32(_SC_PAGESIZE)))
    }
}

/// Decides when an idle process returns freed memory to the system.
struct TrimSchedule {
    struct State {
        /// Seconds of processor time that the process has used.
        var processorSeconds: Double
        /// Bytes of the resident set.
        var residentBytes: Int64
        /// Number of times that databases have given back memory (`ChatController.databaseReleaseCount`).
        var databaseReleaseCount: Int
        var time = ContinuousClock.now
    }

    /// Seconds of processor time. A process that has used less time between two measurements counts as idle.
    static let busyProcessorSeconds = 0.25
    /// Growth in bytes above which returning memory is worth its cost.
    static let minGrowthBytes: Int64 = 8 << 20
    /// The pause after a trim, in multiples of its duration. During a trim, other threads wait for memory.
    static let trimDurationsPerPause = 100

    private var lastState: State
    private var leastResidentBytes: Int64
    private var databaseReleaseCount: Int
    private var nextTrimTime: ContinuousClock.Instant

    init(_ state: State) {
        (lastState, leastResidentBytes, databaseReleaseCount, nextTrimTime) = (
            state, state.residentBytes, state.databaseReleaseCount, state.time
        )
    }

    /// Returns whether freed memory should be returned to the system now. Compares the present state with the state at
    /// the last call.
    mutating func shouldTrim(_ state: State) -> Bool {
        defer { lastState = state }
        leastResidentBytes = min(leastResidentBytes, state.residentBytes)
        guard state.processorSeconds - lastState.processorSeconds < Self.busyProcessorSeconds,
            state.time >= nextTrimTime,
            state.residentBytes > leastResidentBytes + Self.minGrowthBytes
                || state.databaseReleaseCount != databaseReleaseCount
        else { return false }
        databaseReleaseCount = state.databaseReleaseCount
        return true
    }

    mutating func recordTrim(at time: ContinuousClock.Instant, within duration: Duration) {
        nextTrimTime = time + duration * Self.trimDurationsPerPause
        // The next measurement replaces this value, so the memory after the trim becomes the new `leastResidentBytes`.
        leastResidentBytes = .max
    }
}
