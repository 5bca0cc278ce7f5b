internal import CMicrohttpd
import Foundation
import Glibc
import Synchronization

/// Finds free ports of this machine for the measured servers.
enum FreePort {
    struct NoFreePort: Error, CustomStringConvertible {
        var description: String { "no port from \(portRange.lowerBound) to \(portRange.upperBound) is free" }
    }

    /// The ports from which a free one is taken. They are below the ports that the system gives to outgoing
    /// connections, so no outgoing connection takes a free port before the server uses it.
    private static let portRange = 15_200...32_000
    private struct State {
        var last = portRange.lowerBound - 1
        /// The ports of an earlier run that this run uses again.
        var kept: Set<Int> = []
    }
    private static let state = Mutex(State())

    /// Returns a port on which no process listens. The port was not returned by an earlier call of this function or of
    /// ``readKeptPort(in:)``.
    static func takeNext() throws(NoFreePort) -> Int {
        let found = state.withLock { state in
            while state.last < portRange.upperBound {
                state.last += 1
                if !state.kept.contains(state.last), isFree(state.last) { return state.last as Int? }
            }
            return nil
        }
        guard let found else { throw NoFreePort() }
        return found
    }

    /// Returns the port that an earlier run has stored, if the port is free, otherwise a new one. The port is kept,
    /// because relay addresses in the databases of the earlier run contain it.
    /// - Parameter file: the path of the file that stores the port.
    static func readKeptPort(in file: String) throws -> Int {
        let text = try? String(contentsOfFile: file, encoding: .utf8)
        if let port = text.flatMap({ Int($0) }), portRange.contains(port), isFree(port) {
            state.withLock { _ = $0.kept.insert(port) }
            return port
        }
        let port = try takeNext()
        try String(port).write(toFile: file, atomically: true, encoding: .utf8)
        return port
    }

    private static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var (address, isReused) = (sockaddr_in(), Int32(1))
        // With this option, a port is free again immediately after its connections have ended.
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(clamping: port)).bigEndian
        address.sin_addr.s_addr = INADDR_ANY
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 && listen(descriptor, 1) == 0
            }
        }
    }
}
