public import SMP
public import SimpleXCrypto

/// Why a command to a server of files had no good answer.
public enum XFTPClientError: Error, Hashable, Sendable {
    /// The server answered ERR.
    case xftp(XFTPErrorType)
    /// The server could not be talked to, or what it sent is no answer.
    case broker(BrokerErrorType)
    case crypto(CryptoError)

    /// An answer that is not what it should be; told in the words that a server would have for it.
    static func response(_ error: XFTPErrorType) -> XFTPClientError { .broker(.response(error.text)) }

    /// What an error of the layers below means.
    init(transportFailure error: any Error) {
        self = error as? XFTPClientError ?? .broker(SMPClientError(transportFailure: error).brokerError ?? .network(.failed))
    }
}
