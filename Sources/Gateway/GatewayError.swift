package import ChatCore

/// Reasons why a gateway does not start.
package enum GatewayError: Error, Sendable, CustomStringConvertible {
    case http(HTTPServerError)
    case keyFile(KeyFileError)
    /// The first store cannot be opened.
    case coreNotOpened(ChatOpenError)
    case databaseKey(FirstStoreError)
    /// The folder of the stores cannot be read, or files that the last run has left cannot be removed.
    case unreadableStores(String)
    /// The address of the server is not loopback, and the server does not use TLS.
    case unsafeAddress(String)
    /// The WebSocket at `/` needs no key, although other machines can connect to the server.
    case unsafeOpenSocket(String)
    /// The settings for deliveries or link previews are invalid.
    case invalidSettings(String)

    package var description: String {
        switch self {
        case .http(.addressInUse(let host, let port)): "\(host):\(port) is in use by another process"
        case .http(.invalidAddress(let host)): "\(host) is not an IP address to listen on"
        case .http(.cannotBind(let host, let port, let reason)): "cannot listen on \(host):\(port): \(reason)"
        case .http(.unusableCertificate(let reason)): "the TLS certificate and key cannot be used: \(reason)"
        case .http(.cannotStart): "the HTTP server does not start"
        case .keyFile(let error): error.description
        case .coreNotOpened(let error): "the first store does not open: \(error)"
        case .databaseKey(let error): error.description
        case .unreadableStores(let reason): "the stores cannot be read: \(reason)"
        case .unsafeAddress(let host):
            "other machines can reach \(host): set --tls-certificate and --tls-key, or --insecure-remote"
        case .invalidSettings(let reason): reason
        case .unsafeOpenSocket(let host):
            "other machines can reach \(host): --open-socket is allowed only on a loopback address"
        }
    }
}
