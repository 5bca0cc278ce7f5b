package import ChatAPI
package import XRCP

extension XRCPError {
    /// The error in the form that commands and events report.
    var apiError: RCErrorType {
        switch self {
        case .identity: .identity
        case .noLocalAddress: .noLocalAddress
        case .newController: .newController
        case .notDiscovered: .notDiscovered
        case .tlsStartFailed: .tLSStartFailed
        case .timeout: .exception(exception: "timeout")
        case .exception(let text): .exception(exception: text)
        case .controllerAuth: .ctrlAuth
        case .controllerNotFound: .ctrlNotFound
        case .controllerError(let text): .ctrlError(ctrlErr: text)
        case .invitation: .invitation
        case .version: .version
        case .encrypt: .encrypt
        case .decrypt: .decrypt
        case .blockSize: .blockSize
        case .syntax(let text): .syntax(syntaxErr: text)
        }
    }

    /// The error in the form of the original, which reports it as an error of its agent.
    package var chatError: ChatError { .agentError(.rcp(rcpErr: apiError)) }
}

extension ExchangeError {
    package var apiError: RemoteProtocolError {
        switch self {
        case .invalidSize: .invalidSize
        case .invalidBody(let text): .invalidBody(invalidBody: text)
        case .sessionCode: .pRESessionCode
        case .noFile: .noFile
        case .fileSize: .fileSize
        case .fileDigest: .fileDigest
        case .manySkipped(let count): .manySkippedIds(data: Int(count))
        case .earlier(let count): .pREEarlierId(data: Int(count))
        case .duplicate: .pREDuplicateId
        case .timeout: .hTTP2(http2Error: "timeout")
        case .control(let error): .pRERemoteControl(rcError: error.apiError)
        case .http2(let text): .hTTP2(http2Error: text)
        }
    }
}

extension ChatFailure {
    package init(_ error: RemoteCtrlError) { self.init(ChatError.errorRemoteCtrl(remoteCtrlError: error)) }

    package init(_ error: RemoteHostError, _ key: RHKey) {
        self.init(ChatError.errorRemoteHost(rhKey: key, remoteHostError: error))
    }

    /// Converts any error of a remote control session to the failure that a client gets.
    package static func convertSessionError(_ error: any Error) -> ChatFailure {
        switch error {
        case let error as ChatFailure: error
        case let error as XRCPError: ChatFailure(error.chatError)
        default: ChatFailure(ChatErrorType.internalError(message: "\(error)"))
        }
    }
}
