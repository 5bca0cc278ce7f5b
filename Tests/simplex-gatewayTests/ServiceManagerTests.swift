import Foundation
import Glibc
import TestSupport
import Testing

/// Tests with a simulated service manager: a socket for messages, and a folder with credentials.
@Suite(.socketTimeLimit) struct ServiceManagerTests {
    /// The socket for messages, at a path or, with `@`, in the abstract namespace.
    private final class ManagerSocket: Sendable {
        private let descriptor: Int32

        init(_ name: String) throws {
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var limit = timeval(tv_sec: 60, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = name.utf8.map { $0 == UInt8(ascii: "@") ? 0 : $0 }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
            let code = withUnsafeBytes(of: address) {
                bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, length)
            }
            guard code == 0 else { throw Program.UnexpectedOutput(description: String(cString: strerror(errno))) }
        }

        deinit { close(descriptor) }

        /// Returns the next message; nil if none arrives within a minute.
        func nextMessage() async -> String? {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    var buffer = [UInt8](repeating: 0, count: 4096)
                    let count = recv(self.descriptor, &buffer, buffer.count, 0)
                    continuation.resume(returning: count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil)
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `The gateway sends READY, watchdog and STOPPING messages to systemd`(isAbstract: Bool) async throws {
        try await Folder.withNewFolder { folder in
            let name = isAbstract ? "@" + folder.path : folder.path + "/notify"
            let manager = try ManagerSocket(name)
            let program = try Program(
                ["serve", "--data", folder.path + "/data", "--port", "0", "--relay-port", "0"],
                environment: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "300000"]
            )
            #expect(await manager.nextMessage() == "READY=1")
            _ = try await program.waitForLine("URL:")
            for _ in 0..<3 { #expect(await manager.nextMessage() == "WATCHDOG=1") }
            program.signal(SIGTERM)
            var last = await manager.nextMessage()
            while last == "WATCHDOG=1" { last = await manager.nextMessage() }
            #expect(last == "STOPPING=1")
            #expect(await program.waitForEnd().exitCode == 0)
        }
    }

    @Test(arguments: ["", "nowhere", "/", "@", String(repeating: "/x", count: 90)])
    func `The gateway starts despite an invalid notify socket and systemd watchdog settings of another process`(
        name: String
    ) async throws {
        try await Folder.withNewFolder { folder in
            let program = try Program(
                ["serve", "--data", folder.path + "/data", "--port", "0", "--relay-port", "0"],
                environment: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"]
            )
            _ = try await program.waitForLine("URL:")
            program.signal(SIGTERM)
            #expect(await program.waitForEnd().exitCode == 0)
        }
    }

    @Test
    func `A systemd credential sets the option of the same name, unless the option is set`() async throws {
        try await Folder.withNewFolder { folder in
            let credentials = folder.path + "/credentials"
            try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: false)
            try "a passphrase\n".write(toFile: credentials + "/database-key-file", atomically: true, encoding: .utf8)
            let environment = ["CREDENTIALS_DIRECTORY": credentials]
            let arguments = ["serve", "--data", folder.path + "/data", "--port", "0", "--relay-port", "0"]
            let program = try Program(arguments, environment: environment)
            _ = try await program.waitForLine("URL:")
            program.signal(SIGTERM)
            #expect(await program.waitForEnd().exitCode == 0)
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/data/database.key"))
            let wrong = try await Program.run(
                arguments + ["--database-key-file", folder.writeFile("key", "another one")],
                environment: environment
            )
            #expect(wrong.exitCode == 3, "\(wrong)")
            let none = try await Program.run(arguments, environment: ["CREDENTIALS_DIRECTORY": folder.path + "/none"])
            #expect(none.exitCode == 3 && none.errors.contains("database.key"), "\(none)")
        }
    }
}
