internal import Glibc
internal import NIOCore
public import Transport

/// Why a relay does not start.
public enum RelayError: Error, Sendable {
    case store(StoreError)
    case credentials(CredentialsFileError)
    case tls(TLSError)
    /// The address cannot be listened on.
    case listen(String)
    /// The host of the configuration is not one that an address can have.
    case invalidHost(String)
    /// The relay listens on all addresses of the machine, and clients need the name of one.
    case unnamed(String)

    /// - Parameter error: of the attempt to listen, with what the system says of it.
    public init(notListening error: any Error) {
        self = .listen((error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)")
    }
}
