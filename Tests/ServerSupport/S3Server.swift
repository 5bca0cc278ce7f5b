import Foundation

/// An object storage for a test: moto's S3 server (Apache License), which checks signatures, with one bucket and one
/// key. The objects exist as long as the server.
package final class S3Server: @unchecked Sendable {
    // Threads can share this class without races, since its pipes are used only under the lock `commandLock`.
    package struct ServerFailure: Error, CustomStringConvertible {
        package let description: String
    }

    private static let pythonPath = FileManager.default.currentDirectoryPath + "/.build/object-storage/bin/python"
    /// Whether moto is installed. `deploy/object-storage` installs it.
    package static var isInstalled: Bool {
        FileManager.default.fileExists(
            atPath: FileManager.default.currentDirectoryPath + "/.build/object-storage/packages"
        )
    }

    package let port: Int
    package let accessKey: String
    package let secret: String
    private let process = Process()
    private let commandPipe = Pipe()
    private let answerPipe = Pipe()
    private let commandLock = NSLock()

    package init() throws {
        process.executableURL = URL(fileURLWithPath: Self.pythonPath)
        process.arguments = ["-c", Self.programText]
        process.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
        (process.standardInput, process.standardOutput, process.standardError) = (
            commandPipe, answerPipe, FileHandle.nullDevice
        )
        try process.run()
        let first = try Self.readLine(of: answerPipe).split(separator: " ").map(String.init)
        guard first.count == 3, let port = Int(first[0]) else {
            throw ServerFailure(description: "the object storage does not start")
        }
        (self.port, accessKey, secret) = (port, first[1], first[2])
    }

    /// Returns the URL of the bucket, with the access key.
    /// - Parameter secret: the secret of the key; nil for the correct secret.
    package func url(prefix: String = "", secret: String? = nil) -> String {
        let secret = (secret ?? self.secret).replacing("/", with: "%2F").replacing("+", with: "%2B")
        return
            "s3+http://\(accessKey):\(secret)@127.0.0.1:\(port)/files\(prefix.isEmpty ? "" : "/\(prefix)")?region=us-east-1"
    }

    /// Returns the keys of all objects in the bucket, in order.
    package func listKeys() throws -> [String] { try sendCommand("keys").split(separator: "\t").map(String.init) }

    /// Returns the bytes of an object; nil if the object does not exist.
    package func readContent(_ key: String) throws -> [UInt8]? {
        let answer = try sendCommand("read \(key)")
        guard answer != "none" else { return nil }
        return Data(base64Encoded: answer).map { Array($0) }
    }

    /// Changes one byte in the middle of an object.
    package func alterObject(_ key: String) throws { _ = try sendCommand("alter \(key)") }

    package func removeObject(_ key: String) throws { _ = try sendCommand("remove \(key)") }

    /// Stops accepting connections, and keeps the objects.
    package func closePort() throws { _ = try sendCommand("close") }
    package func openPort() throws { _ = try sendCommand("open") }

    /// Returns the number of received requests with an HTTP method.
    package func readRequestCount(_ method: String) throws -> Int { Int(try sendCommand("count \(method)")) ?? 0 }

    /// Sends a signal to the process. SIGSTOP stops the server, and SIGCONT continues it.
    package func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    package func endProcess() {
        signal(SIGCONT)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private func sendCommand(_ text: String) throws -> String {
        try commandLock.withLock {
            try commandPipe.fileHandleForWriting.write(contentsOf: Data((text + "\n").utf8))
            return try Self.readLine(of: answerPipe)
        }
    }

    private static func readLine(of pipe: Pipe) throws -> String {
        var (bytes, byte) = ([UInt8](), UInt8(0))
        while true {
            let count = read(pipe.fileHandleForReading.fileDescriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { throw ServerFailure(description: "the process of the object storage has ended") }
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
    }

    /// The server's program in Python. Its first four actions need no key: they create the user, its key and rights,
    /// and the bucket.
    private static let programText = """
        import base64, json, logging, os, sys
        os.environ.update(INITIAL_NO_AUTH_ACTION_COUNT="4", AWS_ACCESS_KEY_ID="x", AWS_SECRET_ACCESS_KEY="x", AWS_DEFAULT_REGION="us-east-1")
        logging.disable(logging.CRITICAL)
        import boto3
        from moto.core import DEFAULT_ACCOUNT_ID
        from moto.s3.models import s3_backends
        from moto.server import DomainDispatcherApplication, create_backend_app
        from threading import Thread
        from werkzeug.serving import make_server

        counts, servers, inner = {}, [], DomainDispatcherApplication(create_backend_app)

        def app(environ, start):
            counts[environ["REQUEST_METHOD"]] = counts.get(environ["REQUEST_METHOD"], 0) + 1
            return inner(environ, start)

        def serve(port):
            server = make_server("127.0.0.1", port, app, threaded=True)
            servers.append(server)
            Thread(target=server.serve_forever, daemon=True).start()
            return server.server_port

        port = serve(0)
        def client(name): return boto3.client(name, endpoint_url=f"http://127.0.0.1:{port}", region_name="us-east-1")
        iam = client("iam")
        iam.create_user(UserName="gateway")
        key = iam.create_access_key(UserName="gateway")["AccessKey"]
        allow = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
        iam.put_user_policy(UserName="gateway", PolicyName="all", PolicyDocument=json.dumps(allow))
        client("s3").create_bucket(Bucket="files")
        counts.clear()
        print(port, key["AccessKeyId"], key["SecretAccessKey"], flush=True)
        keys = s3_backends[DEFAULT_ACCOUNT_ID]["aws"].buckets["files"].keys
        for line in sys.stdin:
            words, answer = line.split(), "ok"
            if words[0] == "keys": answer = "\\t".join(sorted(keys.keys()))
            elif words[0] == "read": answer = base64.b64encode(keys[words[1]].value).decode() if words[1] in keys else "none"
            elif words[0] == "alter":
                content = bytearray(keys[words[1]].value)
                content[len(content) // 2] ^= 1
                keys[words[1]].value = bytes(content)
            elif words[0] == "remove": keys.pop(words[1])
            elif words[0] == "count": answer = str(counts.get(words[1], 0))
            elif words[0] == "close":
                server = servers.pop()
                server.shutdown()
                server.server_close()
            elif words[0] == "open": serve(port)
            print(answer, flush=True)
        """
}
