internal import Glibc
package import NIOCore

extension IOError {
    /// The system's description of the error code, without the name of the call.
    package var reason: String { String(cString: strerror(errnoCode)) }
}
