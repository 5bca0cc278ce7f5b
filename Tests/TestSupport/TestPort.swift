import Glibc
import Synchronization

/// Ports for servers that a test stops and starts again at the same address.
///
/// They lie below those that the system gives to outgoing connections: one of these, in this process or another, would
/// take the port while its server is away. And above those of the recordings (17,000 to 17,999), at which nobody is to
/// be found.
public enum TestPort {
    private static let range = 18_000..<32_000
    private static let next = Atomic<Int>(Int(getpid()) &* 97)

    /// One that nobody listens on now, and that no other test of this process is given.
    public static func unused() -> Int {
        for _ in range {
            let port = range.lowerBound + next.wrappingAdd(1, ordering: .relaxed).newValue.magnitudeModulo(range.count)
            if isFree(port) { return port }
        }
        return 0
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
