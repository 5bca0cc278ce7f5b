#if canImport(Glibc)
    internal import Glibc
#endif

/// Reasons why the server could not start.
package enum HTTPServerError: Error, Sendable, Equatable {
    /// The text is neither an IPv4 or IPv6 address nor `localhost`.
    case invalidAddress(String)
    case addressInUse(host: String, port: Int)
    case cannotBind(host: String, port: Int, reason: String)
    /// The TLS certificate or the key cannot be used. The text is the reason.
    case unusableCertificate(String)
    /// The HTTP library did not start.
    case cannotStart
}

/// Listening sockets. The gateway binds the socket itself, because the HTTP library does not report the reason of a
/// failure.
package enum ListenSocket {
    /// Opens a listening socket.
    /// - Returns: the socket and its port.
    static func openListening(
        host: String,
        port: Int,
        backlog: Int32 = 4096
    ) throws(HTTPServerError) -> (descriptor: Int32, port: Int) {
        guard (0...65535).contains(port) else { throw .invalidAddress("\(host):\(port)") }
        let name = host == "localhost" ? "127.0.0.1" : host
        var v4 = sockaddr_in()
        v4.sin_family = sa_family_t(AF_INET)
        v4.sin_port = in_port_t(port).bigEndian
        if inet_pton(AF_INET, name, &v4.sin_addr) == 1 {
            return try bindAndListen(AF_INET, host, port, backlog) { descriptor in
                withUnsafeBytes(of: v4) {
                    bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t($0.count))
                }
            }
        }
        var v6 = sockaddr_in6()
        v6.sin6_family = sa_family_t(AF_INET6)
        v6.sin6_port = in_port_t(port).bigEndian
        guard inet_pton(AF_INET6, name, &v6.sin6_addr) == 1 else { throw .invalidAddress(host) }
        return try bindAndListen(AF_INET6, host, port, backlog) { descriptor in
            withUnsafeBytes(of: v6) {
                bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t($0.count))
            }
        }
    }

    /// Whether another process listens at the address. If the check fails for another reason, the result is false,
    /// because opening the port later reports the error.
    package static func isAddressInUse(host: String, port: Int) -> Bool {
        do throws(HTTPServerError) {
            close(try openListening(host: host, port: port, backlog: 1).descriptor)
            return false
        } catch {
            if case .addressInUse = error { return true }
            return false
        }
    }

    private static func bindAndListen(
        _ family: Int32,
        _ host: String,
        _ port: Int,
        _ backlog: Int32,
        bind: (Int32) -> Int32
    ) throws(HTTPServerError) -> (descriptor: Int32, port: Int) {
        let descriptor = socket(
            family,
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue),
            0
        )
        guard descriptor >= 0 else { throw .cannotBind(host: host, port: port, reason: errorText(errno)) }
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor) == 0, Glibc.listen(descriptor, backlog) == 0 else {
            let code = errno
            close(descriptor)
            throw code == EADDRINUSE
                ? .addressInUse(host: host, port: port) : .cannotBind(host: host, port: port, reason: errorText(code))
        }
        return (descriptor, readBoundPort(descriptor) ?? port)
    }

    /// Prepares a listening socket that another process has opened, and finds its address.
    /// - Returns: nil for a descriptor that is no listening TCP socket.
    package static func prepareInheritedSocket(_ descriptor: Int32) -> (host: String, port: Int)? {
        func readSocketOption(_ name: Int32) -> Int32? {
            var (value, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
            return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
        }
        guard readSocketOption(SO_TYPE) == Int32(SOCK_STREAM.rawValue), readSocketOption(SO_ACCEPTCONN) == 1,
            let place = readBoundAddress(descriptor)
        else { return nil }
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
            fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0
        else { return nil }
        return place
    }

    /// Closes a listening socket by replacing it with a socket that receives nothing.
    /// - Parameter isShared: whether another process continues to listen on the socket. New connections then wait for
    ///   that process.
    static func stopListening(_ descriptor: Int32, isShared: Bool) {
        let silent = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        // If no descriptor is free for the replacement, the socket is shut down instead. Threads that wait for the
        // socket then wake up again and again.
        if silent < 0 || dup2(silent, descriptor) < 0, !isShared { shutdown(descriptor, Int32(SHUT_RDWR)) }
        if silent >= 0 { close(silent) }
    }

    private static func readBoundPort(_ descriptor: Int32) -> Int? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { bytes -> Int? in
            guard getsockname(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &length) == 0 else {
                return nil
            }
            // Both address families have the port in bytes 2 and 3, most significant byte first.
            return Int(bytes[2]) << 8 | Int(bytes[3])
        }
    }

    private static func readBoundAddress(_ descriptor: Int32) -> (host: String, port: Int)? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { bytes -> (host: String, port: Int)? in
            guard let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                getsockname(descriptor, address, &length) == 0,
                [sa_family_t(AF_INET), sa_family_t(AF_INET6)].contains(address.pointee.sa_family),
                let port = readBoundPort(descriptor)
            else { return nil }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
                return nil
            }
            return (String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self), port)
        }
    }

    private static func errorText(_ code: Int32) -> String {
        String(cString: strerror(code))
    }
}
