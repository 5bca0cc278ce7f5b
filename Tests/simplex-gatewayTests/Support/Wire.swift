import Foundation
import Glibc

/// A TCP connection to a process of this machine, for details that an HTTP client hides, such as the end of a stream.
final class Wire: Sendable {
    private let descriptor: Int32

    init(url: String) throws {
        guard let port = url.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw Program.Unexpected(description: "no port: \(url)")
        }
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
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
        guard code == 0 else { throw Program.Unexpected(description: "\(url): \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

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
                    let count = recv(self.descriptor, &buffer, buffer.count, 0)
                    guard count > 0 else { break }
                    all += buffer[..<count]
                }
                continuation.resume(returning: all)
            }
        }
    }
}
