package import SMP
package import SimpleXCrypto

/// The reason why a command to a file server has failed.
package enum XFTPClientError: Error, Hashable, Sendable {
    /// The server answered with an error (ERR).
    case xftp(XFTPServerError)
    /// The server could not be reached, or its data is not a valid answer.
    case broker(SMPBrokerError)
    case crypto(CryptoError)

    /// Makes the error for a malformed answer. `error` names the fault as a server would name it.
    static func malformedAnswer(_ error: XFTPServerError) -> XFTPClientError { .broker(.response(error.text)) }

    /// Converts an error of TCP, TLS or HTTP/2.
    init(transportFailure error: any Error) {
        self =
            error as? XFTPClientError
            ?? .broker(SMPClientError(transportFailure: error).brokerError ?? .network(.failed))
    }
}
