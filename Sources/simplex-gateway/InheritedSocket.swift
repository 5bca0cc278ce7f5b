import Gateway
import Glibc

/// A listening socket that the service manager (systemd) has opened, see sd_listen_fds(3). While the gateway is
/// stopped, the service manager listens on the socket, and starts the gateway at the first connection.
struct InheritedSocket {
    let descriptor: Int32
    let host: String
    let port: Int

    /// The number of the first file descriptor that the service manager passes.
    private static let firstDescriptor: Int32 = 3

    /// Takes the listening socket that the service manager has passed.
    /// - Returns: nil when this process has got no socket.
    static func takeSocket() throws -> InheritedSocket? {
        guard let count = readVariable("LISTEN_FDS").flatMap({ Int32($0) }), count > 0,
            readVariable("LISTEN_PID").flatMap({ Int32($0) }) == getpid()
        else { return nil }
        guard count == 1 else {
            throw Failure.configurationFailure(
                "LISTEN_FDS gives \(count) sockets, but only one can be used: the socket of HTTP"
            )
        }
        guard let place = ListenSocket.prepareInheritedSocket(firstDescriptor) else {
            throw Failure.configurationFailure("LISTEN_FDS gives a descriptor that is not a listening TCP socket")
        }
        return InheritedSocket(descriptor: firstDescriptor, host: place.host, port: place.port)
    }

    private static func readVariable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
