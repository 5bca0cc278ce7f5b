import Foundation

/// A server that the benchmark starts as a separate process, so that its memory and start time can be measured.
final class MeasuredProcess {
    private let process = Process()
    let output = Pipe()

    /// Starts `executable` with `arguments`. The standard error of the process is written to the file `log`.
    init(_ executable: String, _ arguments: [String], log: String) throws {
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.standardOutput = output
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        process.standardError = FileHandle(forWritingAtPath: log)
        // A thread of the pool blocks signals, and the new process would inherit this block. Then SIGTERM would not end
        // mosquitto. So no signal is blocked during the start.
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try process.run()
    }

    /// The error of a server that has ended too early. It contains the end of the server's log.
    struct EndedEarly: Error, CustomStringConvertible { let description: String }

    /// Checks whether the process is still running.
    /// - Throws: when it has ended, with the end of its log.
    func checkRunning(log: String) throws {
        guard !process.isRunning else { return }
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        throw EndedEarly(description: "a measured server has ended: \(text.suffix(500))")
    }

    var processID: Int32 { process.processIdentifier }

    /// Waits for a line of the standard output that contains `text`, and returns the line; nil if the process ended
    /// without it.
    func waitForLine(containing text: String) -> String? {
        var pending = [UInt8]()
        while true {
            let chunk = output.fileHandleForReading.availableData
            if chunk.isEmpty { return nil }
            pending.append(contentsOf: chunk)
            let lines = String(decoding: pending, as: UTF8.self).split(
                separator: "\n",
                omittingEmptySubsequences: false
            )
            if let found = lines.dropLast().first(where: { $0.contains(text) }) { return String(found) }
        }
    }

    /// The resident memory of the process in bytes, as the kernel reports it (VmRSS).
    var residentBytes: Int { readMemoryBytes("VmRSS:") }
    /// The peak of the resident memory of the process in bytes (VmHWM).
    var peakResidentBytes: Int { readMemoryBytes("VmHWM:") }

    /// Makes the kernel forget the peak of resident memory, so that ``peakResidentBytes`` starts from the present
    /// value.
    func resetPeakResidentBytes() throws {
        try "5".write(toFile: "/proc/\(processID)/clear_refs", atomically: false, encoding: .utf8)
    }

    var threadCount: Int { readStatusNumber("Threads:") }

    /// The number of memory mappings of the process, which the kernel limits (`vm.max_map_count`).
    var mappingCount: Int {
        ((try? String(contentsOfFile: "/proc/\(processID)/maps", encoding: .utf8)) ?? "").split(separator: "\n").count
    }

    /// The number of files and sockets that the process has open.
    var descriptorCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/fd").count) ?? 0
    }

    private func readMemoryBytes(_ name: String) -> Int { readStatusNumber(name) * 1024 }

    private func readStatusNumber(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)) ?? ""
        for line in status.split(separator: "\n") where line.hasPrefix(name) {
            return Int(line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? 0
        }
        return 0
    }

    /// The processor time of the process until now, user and system together, in seconds.
    var processorSeconds: Double {
        let stat = (try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8)) ?? ""
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    func waitUntilEnd() { process.waitUntilExit() }

    func terminateProcess() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// Ends a server that is still running because its measurement has failed. Otherwise it would disturb the next
    /// measurement.
    deinit {
        guard process.isRunning else { return }
        process.terminate()
        let deadline = ContinuousClock.now + .seconds(Self.secondsToEnd)
        while process.isRunning, ContinuousClock.now < deadline { usleep(10_000) }
        if process.isRunning { killProcess() }
    }

    /// Number of seconds after which a server that does not end by itself is killed.
    private static let secondsToEnd: Int64 = 10

    func killProcess() {
        Foundation.kill(processID, SIGKILL)
        process.waitUntilExit()
    }
}
