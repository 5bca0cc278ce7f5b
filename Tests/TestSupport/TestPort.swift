import Glibc
import Synchronization

/// Ports for servers that a test stops and starts again at the same address.
///
/// The ports lie below the ports that the system gives to outgoing connections: while the server is stopped, no
/// connection takes its port. They lie above the ports of the recordings (17,000 to 17,999), at which no server
/// listens.
package enum TestPort {
    private static let portRange = 18_000..<32_000
    private static let nextPort = Atomic<Int>(Int(getpid()) &* 97)
    /// A file with one locked byte for each port of a process. The locks end with the process.
    private static let lockFile = open(
        "/tmp/simplex-gateway-test-ports-\(getuid())",
        O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
        0o600
    )

    /// Returns a port on which no process listens, and which no other test gets, in this process or another one;
    /// 0 when there is none.
    package static func takeUnused() -> Int {
        for _ in portRange {
            let port =
                portRange.lowerBound
                + nextPort.wrappingAdd(1, ordering: .relaxed).newValue.magnitudeModulo(portRange.count)
            if lockPort(port), isFree(port) { return port }
        }
        return 0
    }

    /// Takes a port for this process.
    /// - Returns: false if another process has taken the port.
    private static func lockPort(_ port: Int) -> Bool {
        var byte = flock()
        byte.l_type = Int16(F_WRLCK)
        byte.l_whence = Int16(SEEK_SET)
        byte.l_start = off_t(port)
        byte.l_len = 1
        return fcntl(lockFile, F_SETLK, &byte) == 0
    }

    private static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafeBytes(of: address) {
            bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t($0.count)) == 0
        }
    }
}

extension Int {
    fileprivate func magnitudeModulo(_ divisor: Int) -> Int { Int(magnitude % UInt(divisor)) }
}
