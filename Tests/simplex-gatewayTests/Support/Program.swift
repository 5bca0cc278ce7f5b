import Foundation
import JSON
import Synchronization

/// The built executable, which runs as a separate process.
final class Program: Sendable {
    struct UnexpectedOutput: Error, CustomStringConvertible {
        var description: String
    }

    struct ProgramEnding: Sendable {
        var exitCode: Int32
        var output: String
        var errors: String
    }

    /// The whole output of the program, and tasks that wait for more output.
    private struct State: Sendable {
        var outputBytes = [Stream: [UInt8]]()
        var closedStreams = Set<Stream>()
        var waiters = [CheckedContinuation<Void, Never>]()
    }
    private enum Stream: Sendable { case output, errors }

    /// The path of the executable, which is beside the test bundle in the build folder.
    static let path: String = {
        let tests =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        let first =
            tests.hasSuffix(".xctest") ? tests : CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? tests
        return URL(fileURLWithPath: first).deletingLastPathComponent().appendingPathComponent("simplex-gateway").path
    }()

    private let state = Mutex(State())
    let processID: Int32
    private let exitTask: Task<Int32, Never>

    /// - Parameters:
    ///   - limit: the greatest size of a file, in units of 1024 bytes.
    ///   - descriptors: the greatest number of open descriptors.
    convenience init(
        _ arguments: [String],
        environment: [String: String] = [:],
        fileLimit limit: Int? = nil,
        descriptors: Int? = nil
    ) throws {
        let limits = (limit.map { "ulimit -f \($0); " } ?? "") + (descriptors.map { "ulimit -n \($0); " } ?? "")
        if !limits.isEmpty {
            try self.init("/bin/bash", ["-c", limits + "exec \"$0\" \"$@\"", Self.path] + arguments, environment)
        } else {
            try self.init(Self.path, arguments, environment)
        }
    }

    init(_ executable: String, _ arguments: [String], _ environment: [String: String] = [:]) throws {
        let child = try SpawnedProcess(
            executable,
            arguments,
            ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"].merging(environment) { $1 }
        )
        processID = child.processID
        let (exits, exit) = AsyncStream.makeStream(of: Int32.self)
        exitTask = Task {
            for await code in exits { return code }
            return -1
        }
        Thread.detachNewThread {
            exit.yield(child.waitForEnd())
            exit.finish()
        }
        Thread.detachNewThread { self.readOutput(child.outputDescriptor, .output) }
        Thread.detachNewThread { self.readOutput(child.errorDescriptor, .errors) }
    }

    private func readOutput(_ descriptor: Int32, _ stream: Stream) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            let waiters = state.withLock { state in
                if count > 0 {
                    state.outputBytes[stream, default: []] += buffer[..<count]
                } else {
                    state.closedStreams.insert(stream)
                }
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
            if count <= 0 { break }
        }
        close(descriptor)
    }

    private func waitForChange(unless isThere: @Sendable (State) -> Bool) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isNow = state.withLock { state in
                if isThere(state) { return true }
                state.waiters.append(continuation)
                return false
            }
            if isNow { continuation.resume() }
        }
    }

    /// Waits for a line of standard output that begins with `title`, and returns the remaining part, or the value of
    /// this title in a line of JSON. Throws if the program ends first.
    func waitForLine(_ title: String) async throws -> String {
        while true {
            let (output, errors, isClosed) = state.withLock {
                ($0.outputBytes[.output] ?? [], $0.outputBytes[.errors] ?? [], $0.closedStreams.contains(.output))
            }
            let lines = String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
                .dropLast()
            if let line = lines.first(where: { $0.hasPrefix(title) }) {
                return line.dropFirst(title.count).trimmingCharacters(in: .whitespaces)
            }
            // With `--log-format json`, one line contains all values, and the title is a key in it.
            let key = title.dropLast().lowercased().replacing(" ", with: "_")
            for line in lines where line.hasPrefix("{") {
                if let value = try JSONValue(parsing: Array(line.utf8))[key]?.stringValue { return value }
            }
            if isClosed {
                throw UnexpectedOutput(
                    description: "the output has no line \(title): \(String(decoding: errors, as: UTF8.self))"
                )
            }
            await waitForChange {
                ($0.outputBytes[.output] ?? []).count > output.count || $0.closedStreams.contains(.output)
            }
        }
    }

    /// Waits for a line of standard error that contains a text.
    @discardableResult
    func waitForError(with text: String) async throws -> String {
        while true {
            let (errors, isClosed) = state.withLock {
                ($0.outputBytes[.errors] ?? [], $0.closedStreams.contains(.errors))
            }
            let lines = String(decoding: errors, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
                .dropLast()
            if let line = lines.first(where: { $0.contains(text) }) { return String(line) }
            if isClosed {
                throw UnexpectedOutput(
                    description: "the errors have no line with \(text): \(String(decoding: errors, as: UTF8.self))"
                )
            }
            await waitForChange {
                ($0.outputBytes[.errors] ?? []).count > errors.count || $0.closedStreams.contains(.errors)
            }
        }
    }

    func signal(_ number: Int32) { kill(processID, number) }

    /// Waits until the process has ended. A signal is reported as 1000 plus its number.
    func waitForEnd() async -> ProgramEnding {
        let code = await exitTask.value
        while state.withLock({ $0.closedStreams.count < 2 }) { await waitForChange { $0.closedStreams.count == 2 } }
        return state.withLock {
            ProgramEnding(
                exitCode: code,
                output: String(decoding: $0.outputBytes[.output] ?? [], as: UTF8.self),
                errors: String(decoding: $0.outputBytes[.errors] ?? [], as: UTF8.self)
            )
        }
    }

    /// Runs the program until it ends.
    static func run(
        _ arguments: [String],
        environment: [String: String] = [:],
        descriptors: Int? = nil
    ) async throws -> ProgramEnding {
        try await Program(arguments, environment: environment, descriptors: descriptors).waitForEnd()
    }
}
