internal import Files
internal import NIOCore
package import Transport

/// The reason why a relay does not start.
package enum RelayError: StorageError, CustomStringConvertible {
    case store(RelayStoreError)
    case credentials(CredentialsFileError)
    case tls(TLSError)
    /// The relay cannot listen on the address.
    case listen(String)
    /// The configured host is not valid in an address.
    case invalidHost(String)
    /// The relay listens on all addresses of the machine, so clients need a public name.
    case noPublicHost(String)

    package var isStorageFull: Bool {
        switch self {
        case .store(let error): error.isStorageFull
        case .credentials(let error): error.isStorageFull
        case .tls, .listen, .invalidHost, .noPublicHost: false
        }
    }

    package var description: String {
        switch self {
        case .store(let error): error.description
        case .credentials(let error): error.description
        case .tls(let error): "the certificate cannot be used: \(error)"
        case .listen(let reason): reason
        case .invalidHost(let host): "\(host) is not a name or address of a relay"
        case .noPublicHost(let host): "a relay on \(host) needs a public name for its links"
        }
    }

    /// Makes the error with the system's reason.
    /// - Parameter error: the error of the attempt to listen.
    package init(notListening error: any Error) {
        self = .listen((error as? IOError)?.reason ?? "\(error)")
    }
}
