import Foundation
import Testing

/// The program itself in a process of its own, which can be killed and started again in the same folder.
actor GatewayProcess {
    private let folder: String
    private var process: Process?
    private var relayPort = 0
    private(set) var port = 0
    private(set) var kills = 0

    init(folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        self.folder = folder
    }

    /// Waits until it says where it is.
    func start() async throws {
        let binaries = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let output = folder + "/output"
        try #require(FileManager.default.createFile(atPath: output, contents: nil))
        let process = Process()
        process.executableURL = binaries.appending(path: "simplex-gateway")
        process.arguments = ["serve", "--data", folder + "/data", "--port", "0", "--relay-port", "\(relayPort)"]
        let file = try #require(FileHandle(forWritingAtPath: output))
        process.standardOutput = file
        process.standardError = file
        try process.run()
        self.process = process
        for _ in 0..<2_000 {
            let text = try String(contentsOfFile: output, encoding: .utf8)
            if let port = Self.number(text, after: "http://127.0.0.1:"), let relay = Self.number(text, after: "@127.0.0.1:") {
                (self.port, relayPort) = (port, relay)
                return
            }
            guard process.isRunning else { break }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("it did not start: \((try? String(contentsOfFile: output, encoding: .utf8)) ?? "")")
    }

    private static func number(_ text: String, after prefix: String) -> Int? {
        // A line is whole when another follows it, or its end.
        text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().lazy.compactMap { line in
            line.range(of: prefix).flatMap { Int(line[$0.upperBound...]) }
        }.first
    }

    func kill() {
        guard let process else { return }
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        self.process = nil
        kills += 1
    }

    func restart() async throws {
        kill()
        try await start()
    }

    func client() async throws -> HTTPClient {
        let key = try String(contentsOfFile: folder + "/data/admin.key", encoding: .utf8).trimmingNewline
        return try await .connect(port: port, key: key)
    }
}
