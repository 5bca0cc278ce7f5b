internal import Files
internal import NIOCore
package import Transport

/// The reason why a relay does not start.
package enum RelayError: StorageError, CustomStringConvertible {
    case storeFailed(RelayStoreError)
    case credentialsUnusable(CredentialsFileError)
    case tlsUnusable(TLSError)
    /// The relay cannot listen on the address.
    case cannotListen(String)
    /// The configured host is not valid in an address.
    case invalidHost(String)
    /// The relay listens on all addresses of the machine, so clients need a public name.
    case noPublicHost(String)

    package var isStorageFull: Bool {
        switch self {
        case .storeFailed(let error): error.isStorageFull
        case .credentialsUnusable(let error): error.isStorageFull
        case .tlsUnusable, .cannotListen, .invalidHost, .noPublicHost: false
        }
    }

    package var description: String {
        switch self {
        case .storeFailed(let error): error.description
        case .credentialsUnusable(let error): error.description
        case .tlsUnusable(let error): "the certificate cannot be used: \(error)"
        case .cannotListen(let reason): reason
        case .invalidHost(let host): "\(host) is not a name or address of a relay"
        case .noPublicHost(let host): "a relay on \(host) needs a public name for its links"
        }
    }

    /// Makes the error of a relay that cannot listen, with the system's reason.
    /// - Parameter error: the error of the attempt to listen.
    package init(notListening error: any Error) {
        self = .cannotListen((error as? IOError)?.reason ?? "\(error)")
    }
}
