internal import Agent
internal import ChatAPI
internal import JSON
internal import SMP
internal import XFTP

extension AgentError {
    /// The error in the form of the API.
    var apiError: AgentErrorType {
        switch self {
        case .command(let error, let context): .cmd(cmdErr: error.apiError, errContext: context)
        case .connection(let error, let context): .conn(connErr: error.apiError, errContext: context)
        case .noUser: .noUser
        case .smp(let server, let error): .smp(serverAddress: server, smpErr: error.apiError)
        case .ntf(let server, let error): .ntf(serverAddress: server, ntfErr: error.apiError)
        case .xftp(let server, let error): .xftp(serverAddress: server, xftpErr: error.apiError)
        case .file(let error): .file(fileErr: error.apiError)
        case .proxy(let failure):
            .proxy(
                proxyServer: failure.proxy.hosts.first?.str ?? "",
                relayServer: failure.relay.withoutPassword.str,
                proxyErr: failure.reason.apiError
            )
        case .broker(let server, let error): .broker(brokerAddress: server, brokerErr: error.apiError)
        case .agent(let error): .agent(agentErr: error.apiError)
        case .notice(let server, let isPreset, let expiresAt):
            .notice(server: server, preset: isPreset, expiresAt: expiresAt.map { Timestamp(seconds: $0).api })
        case .internal(let message): .internal(internalErr: message)
        case .inactive: .inactive
        }
    }

    /// The status of a message that could not be sent because of this error, in the form of the API.
    var sendingError: SndError {
        switch self {
        case .smp(_, .auth): .auth
        case .smp(_, .quota): .quota
        case .broker(_, .network), .broker(_, .timeout): .expired
        case .broker(_, .host): .relay(srvError: .host)
        case .broker(_, .transport(.version)): .relay(srvError: .version)
        case .smp(let proxy, .proxy(.broker(let error))):
            error.makeSendingError { .proxy(proxyServer: proxy, srvError: $0) }
        case .proxy(let failure):
            failure.brokerError?.makeSendingError {
                .proxyRelay(proxyServer: failure.proxy.withoutPassword.str, srvError: $0)
            }
                ?? .other(sndError: kindNames)
        default: .other(sndError: kindNames)
        }
    }

    /// The API names of the error and of the errors that it contains, such as `errorAgent CMD PROHIBITED`.
    private var kindNames: String { ChatFailure(ChatError.agentError(apiError)).description }
}

extension SMPBrokerError {
    /// Converts the error to the status of a message that a proxy could not forward.
    fileprivate func makeSendingError(_ error: (SrvError) -> SndError) -> SndError {
        switch self {
        case .network, .timeout: .expired
        case .host: error(.host)
        case .transport(.version): error(.version)
        default: error(.other(srvError: text))
        }
    }
}

extension AgentFileError {
    fileprivate var apiError: FileErrorType {
        switch self {
        case .notApproved: .notApproved
        case .size: .size
        case .redirect(let error): .redirect(redirectError: error)
        case .fileIO(let error): .fileIo(fileIOError: error)
        case .noFile: .noFile
        }
    }
}

extension AgentCommandError {
    fileprivate var apiError: CommandErrorType {
        switch self {
        case .prohibited: .prohibited
        case .syntax: .syntax
        case .noConnection: .noConn
        case .size: .size
        case .large: .large
        }
    }
}

extension AgentConnectionError {
    fileprivate var apiError: ConnectionErrorType {
        switch self {
        case .notFound: .notFound
        case .duplicate: .duplicate
        case .simplex: .simplex
        case .notAccepted: .notAccepted
        case .notAvailable: .notAvailable
        }
    }
}

extension AgentProtocolError {
    fileprivate var apiError: SMPAgentError {
        switch self {
        case .message: .aMessage
        case .prohibited(let error): .aProhibited(prohibitedErr: error)
        case .version: .aVersion
        case .crypto(let error): .aCrypto(cryptoErr: error.apiError)
        case .duplicate: .aDuplicate(droppedMsg_: nil)
        case .queue(let error): .aQueue(queueErr: error)
        case .link(let error): .aLink(linkErr: error)
        }
    }
}

extension AgentCryptoFailure {
    fileprivate var apiError: AgentCryptoError {
        switch self {
        case .decryptAES: .decryptAes
        case .decryptCB: .decryptCb
        case .ratchetHeader: .ratchetHeader
        case .ratchetEarlier(let number): .unrecognized(["type": "RATCHET_EARLIER", "data": .integer(Int64(number))])
        case .ratchetSkipped(let count):
            .unrecognized(["type": "RATCHET_SKIPPED", "data": .integer(Int64(clamping: count))])
        case .ratchetSync: .ratchetSync
        }
    }
}

extension SMPErrorType {
    fileprivate var apiError: ErrorType {
        switch self {
        case .block: .block
        case .session: .session
        case .cmd(let error): .cmd(cmdErr: error.apiError)
        case .proxy(let error): .proxy(proxyErr: error.apiError)
        case .auth: .auth
        case .blocked(let info): .blocked(blockInfo: info.apiInfo)
        case .service: .service
        case .crypto: .crypto
        case .quota: .quota
        case .store(let message): .store(storeErr: message)
        case .expired: .expired
        case .noMsg: .noMsg
        case .largeMsg: .largeMsg
        case .internal: .internal
        case .name(let error): .name(nameErr: error.apiError)
        case .duplicate: .duplicate
        }
    }
}

extension SMPBlockingInfo {
    var apiInfo: BlockingInfo {
        BlockingInfo(
            reason: BlockingReason(rawValue: reason.rawValue),
            notice: notice.flatMap { try? JSONDecoder().decode(ClientNotice.self, from: Array($0.utf8)) }
        )
    }
}

extension XFTPServerError {
    fileprivate var apiError: XFTPErrorType {
        switch self {
        case .block: .block
        case .session: .session
        case .handshake: .handshake
        case .cmd(let error): .cmd(cmdErr: error.apiError)
        case .auth: .auth
        case .blocked(let info): .blocked(blockInfo: info.apiInfo)
        case .size: .size
        case .quota: .quota
        case .digest: .digest
        case .crypto: .crypto
        case .noFile: .noFile
        case .hasFile: .hasFile
        case .fileIO: .fileIo
        case .timeout: .timeout
        case .internal: .internal
        case .duplicate: .duplicate
        }
    }
}

extension SMPCommandError {
    fileprivate var apiError: CommandError {
        switch self {
        case .unknown: .unknown
        case .syntax: .syntax
        case .prohibited: .prohibited
        case .noAuth: .noAuth
        case .hasAuth: .hasAuth
        case .noEntity: .noEntity
        }
    }
}

extension SMPNameError {
    fileprivate var apiError: NameErrorType {
        switch self {
        case .noResolver: .noResolver
        case .notFound: .notFound
        case .resolver(let detail): .resolver(resolverErr: detail)
        }
    }
}

extension SMPProxyError {
    fileprivate var apiError: ProxyError {
        switch self {
        case .protocol(let error): .protocol(protocolErr: error.apiError)
        case .broker(let error): .broker(brokerErr: error.apiError)
        case .basicAuth: .basicAuth
        case .noSession: .noSession
        }
    }
}

extension ProxyFailure.Reason {
    fileprivate var apiError: ProxyClientError {
        switch self {
        case .protocolError(let error): .protocolError(protocolErr: error.apiError)
        case .unexpectedResponse(let text): .unexpectedResponse(responseStr: text)
        case .responseError(let text):
            .responseError(responseErr: ((try? SMPErrorType(parsing: text)) ?? .block).apiError)
        }
    }
}

extension SMPBrokerError {
    fileprivate var apiError: BrokerErrorType {
        switch self {
        case .response(let error): .response(respErr: error)
        case .unexpected(let error): .unexpected(respErr: error)
        case .network(let error): .network(networkError: error.apiError)
        case .host: .host
        case .noService: .noService
        case .transport(let error): .transport(transportErr: error.apiError)
        case .timeout: .timeout
        }
    }
}

extension SMPNetworkError {
    fileprivate var apiError: NetworkError {
        switch self {
        case .connect(let error): .connectError(connectError: error)
        case .tls(let error): .tLSError(tlsError: error)
        case .unknownCA: .unknownCAError
        case .failed: .failedError
        case .timeout: .timeoutError
        case .subscribe(let error): .subscribeError(subscribeError: error)
        }
    }
}

extension SMPTransportError {
    fileprivate var apiError: TransportError {
        switch self {
        case .badBlock: .badBlock
        case .version: .version
        case .largeMsg: .largeMsg
        case .badSession: .badSession
        case .noServerAuth: .noServerAuth
        case .handshake(let error):
            switch error {
            case .parse: .handshake(handshakeErr: .parse)
            case .identity: .handshake(handshakeErr: .identity)
            case .badAuth: .handshake(handshakeErr: .badAuth)
            case .badService: .handshake(handshakeErr: .badService)
            }
        }
    }
}
