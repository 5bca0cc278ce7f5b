import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of a listening socket that the gateway gets from a service manager.
@Suite(.socketTimeLimit) struct InheritedSocketTests {
    /// A script that works like systemd with a socket unit: it listens, starts the program for a waiting connection,
    /// and starts it again for the next one.
    private static let managerScript = """
        import os, select, socket, sys
        one = socket.socket()
        one.bind(("127.0.0.1", 0))
        one.listen(64)
        print("PORT:", one.getsockname()[1], flush=True)
        for number in (1, 2):
            select.select([one], [], [])
            child = os.fork()
            if child == 0:
                os.dup2(one.fileno(), 3)
                os.set_inheritable(3, True)
                os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
                os.execv(sys.argv[1], sys.argv[1:])
            print(f"CHILD {number}:", child, flush=True)
            print(f"ENDED {number}:", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        """

    private func startCurl(_ port: String) throws -> Program {
        try Program("/usr/bin/curl", ["-sS", "-m", "60", "http://127.0.0.1:\(port)/livez"])
    }

    @Test
    func `A connection to the socket of systemd starts the gateway, at first and again after a stop`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            // The configured port cannot be used, so the gateway can only listen on the given socket.
            let arguments = [
                "-c", Self.managerScript, Program.path, "serve", "--data", folder.path + "/data", "--port", "1",
                "--relay-port", "0", "--file-relay-port", "0",
            ]
            let manager = try Program("/usr/bin/python3", arguments)
            let port = try await manager.waitForLine("PORT:")
            let first = try await startCurl(port).waitForEnd()
            #expect(first.output == "ok\n", "\(first)")
            #expect(try await manager.waitForLine("URL:").hasSuffix(":" + port))
            let child = try #require(Int32(try await manager.waitForLine("CHILD 1:")))
            kill(child, SIGTERM)
            #expect(try await manager.waitForLine("ENDED 1:") == "0")
            let second = try await startCurl(port).waitForEnd()
            #expect(second.output == "ok\n", "\(second)")
            kill(try #require(Int32(try await manager.waitForLine("CHILD 2:"))), SIGTERM)
            #expect(await manager.waitForEnd().exitCode == 0)
        }
    }

    @Test
    func `If systemd does not pass exactly one listening socket, the program ends with exit code 2`() async throws {
        try await Folder.withNewFolder { folder in
            let serve = [
                "serve", "--data", folder.path + "/data", "--port", "0", "--relay-port", "0", "--file-relay-port", "0",
            ]
            let program = #"LISTEN_PID=$$ exec "$0" "$@""#
            for (count, redirection) in [("1", "3</dev/null"), ("1", "3>&-"), ("2", "3</dev/null")] {
                let ending = try await Program(
                    "/bin/bash",
                    ["-c", "export LISTEN_FDS=\(count); exec \(redirection); " + program, Program.path] + serve
                ).waitForEnd()
                #expect(ending.exitCode == 2 && ending.errors.contains("LISTEN_FDS"), "\(redirection): \(ending)")
            }
            let other = try Program(serve, environment: ["LISTEN_FDS": "1", "LISTEN_PID": "1"])
            _ = try await other.waitForLine("URL:")
            other.signal(SIGTERM)
            #expect(await other.waitForEnd().exitCode == 0)
        }
    }
}
