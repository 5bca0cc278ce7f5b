internal import Glibc
public import NIOCore

extension IOError {
    /// The system's description of the error code, without the name of the call.
    public var reason: String { String(cString: strerror(errnoCode)) }
}
