import Foundation
import Glibc

/// A TCP connection to a process of this machine, for details that an HTTP client hides, such as the end of a stream.
final class TCPConnection: Sendable {
    private let descriptor: Int32

    convenience init(url: String) throws {
        guard let port = url.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw Program.UnexpectedOutput(description: "no port: \(url)")
        }
        try self.init(port: port, seconds: 30)
    }

    /// - Parameter seconds: the longest wait for bytes of the other side.
    init(port: UInt16, seconds: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            throw Program.UnexpectedOutput(description: "port \(port): \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends bytes until the other side refuses them. A refusal is no error: a process may answer and close before it
    /// has read the whole request.
    func send(_ bytes: [UInt8]) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            done += count
        }
    }

    /// Reads the next bytes into a buffer, and waits for them.
    /// - Returns: the number of bytes; 0 at the end.
    func receive(into buffer: inout [UInt8]) throws -> Int {
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count >= 0 { return count }
            guard errno == EINTR else { throw Program.UnexpectedOutput(description: String(cString: strerror(errno))) }
        }
    }

    /// Ends the connection in both directions, also for a thread that waits for bytes.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Whether the other side has closed the connection.
    var isClosed: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count == 0 || count < 0 && errno == ECONNRESET
    }

    /// Reads until `isEnough` is true or the other side ends, on a separate thread.
    func read(until isEnough: @escaping @Sendable ([UInt8]) -> Bool) async -> [UInt8] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
                while !isEnough(all) {
                    guard let count = try? self.receive(into: &buffer), count > 0 else { break }
                    all += buffer[..<count]
                }
                continuation.resume(returning: all)
            }
        }
    }
}
