import Foundation

/// Libraries that change the system calls of processes.
enum PreloadedLibrary {
    /// - Parameter source: the path of a C file in the project.
    static func compile(_ source: String, to library: String) async throws {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../../" + source
        ).path
        let options = #"-shared -fPIC -O1 -o "$1" "$0" -ldl"#
        let compiling = try Program(
            "/bin/sh",
            ["-c", "cc \(options) || clang \(options)", source, library],
            ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
        )
        let ending = await compiling.waitForEnd()
        guard ending.exitCode == 0 else { throw Program.UnexpectedOutput(description: ending.errors) }
    }
}
