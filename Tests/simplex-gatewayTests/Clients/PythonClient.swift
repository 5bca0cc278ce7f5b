import Foundation

/// Python programs of other authors, written for the interfaces of the original.
enum PythonClient {
    private static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path
    private static let installation = Task { () async throws -> String in
        let script = try Program(
            "/bin/sh",
            [repository + "/deploy/python-clients"],
            ProcessInfo.processInfo.environment
        )
        let ending = await script.waitForEnd()
        guard ending.exitCode == 0 else {
            throw Program.UnexpectedOutput(description: "the clients cannot be installed: \(ending.errors)")
        }
        return repository + "/.build/python-clients/bin/python"
    }

    /// Starts a script of `Fixtures/clients`. Installs the clients if necessary.
    static func start(
        _ script: String,
        _ arguments: [String],
        environment: [String: String] = [:]
    ) async throws -> Program {
        let python = try await installation.value
        let path = repository + "/Tests/Fixtures/clients/" + script
        return try Program(python, ["-u", path] + arguments, environment)
    }

    /// Runs `body` with a started script, and ends the script afterwards.
    static func withScript<T>(
        _ script: String,
        _ arguments: [String],
        environment: [String: String] = [:],
        _ body: (Program) async throws -> T
    ) async throws -> T {
        let program = try await start(script, arguments, environment: environment)
        do {
            let value = try await body(program)
            program.signal(SIGKILL)
            _ = await program.waitForEnd()
            return value
        } catch {
            program.signal(SIGKILL)
            let ending = await program.waitForEnd()
            throw Program.UnexpectedOutput(description: "\(error)\n\(script) said: \(ending.output)\n\(ending.errors)")
        }
    }
}
