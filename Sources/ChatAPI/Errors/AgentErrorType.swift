// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// An error of the agent: of a connection, of a server of one of the protocols, or of the agent itself.
package indirect enum AgentErrorType: TaggedUnion {
    case cmd(cmdErr: CommandErrorType, errContext: String)
    case conn(connErr: ConnectionErrorType, errContext: String)
    case noUser
    case smp(serverAddress: String, smpErr: ErrorType)
    case ntf(serverAddress: String, ntfErr: ErrorType)
    case xftp(serverAddress: String, xftpErr: XFTPErrorType)
    case file(fileErr: FileErrorType)
    case noNameServers
    case proxy(proxyServer: String, relayServer: String, proxyErr: ProxyClientError)
    case rcp(rcpErr: RCErrorType)
    case broker(brokerAddress: String, brokerErr: BrokerErrorType)
    case agent(agentErr: SMPAgentError)
    case notice(server: String, preset: Bool, expiresAt: UTCTime?)
    case `internal`(internalErr: String)
    case critical(offerRestart: Bool, criticalErr: String)
    case inactive
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension AgentErrorType {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "CMD": self = try .cmd(cmdErr: fields("cmdErr"), errContext: fields("errContext"))
        case "CONN": self = try .conn(connErr: fields("connErr"), errContext: fields("errContext"))
        case "NO_USER": self = .noUser
        case "SMP": self = try .smp(serverAddress: fields("serverAddress"), smpErr: fields("smpErr"))
        case "NTF": self = try .ntf(serverAddress: fields("serverAddress"), ntfErr: fields("ntfErr"))
        case "XFTP": self = try .xftp(serverAddress: fields("serverAddress"), xftpErr: fields("xftpErr"))
        case "FILE": self = try .file(fileErr: fields("fileErr"))
        case "NO_NAME_SERVERS": self = .noNameServers
        case "PROXY":
            self = try .proxy(
                proxyServer: fields("proxyServer"), relayServer: fields("relayServer"), proxyErr: fields("proxyErr"))
        case "RCP": self = try .rcp(rcpErr: fields("rcpErr"))
        case "BROKER": self = try .broker(brokerAddress: fields("brokerAddress"), brokerErr: fields("brokerErr"))
        case "AGENT": self = try .agent(agentErr: fields("agentErr"))
        case "NOTICE":
            self = try .notice(
                server: fields("server"), preset: fields("preset"), expiresAt: fields.optional("expiresAt"))
        case "INTERNAL": self = try .internal(internalErr: fields("internalErr"))
        case "CRITICAL": self = try .critical(offerRestart: fields("offerRestart"), criticalErr: fields("criticalErr"))
        case "INACTIVE": self = .inactive
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .cmd(let cmdErr, let errContext): try encoder.tagged("CMD")("cmdErr", cmdErr)("errContext", errContext)
        case .conn(let connErr, let errContext):
            try encoder.tagged("CONN")("connErr", connErr)("errContext", errContext)
        case .noUser: try encoder.tagged("NO_USER")
        case .smp(let serverAddress, let smpErr):
            try encoder.tagged("SMP")("serverAddress", serverAddress)("smpErr", smpErr)
        case .ntf(let serverAddress, let ntfErr):
            try encoder.tagged("NTF")("serverAddress", serverAddress)("ntfErr", ntfErr)
        case .xftp(let serverAddress, let xftpErr):
            try encoder.tagged("XFTP")("serverAddress", serverAddress)("xftpErr", xftpErr)
        case .file(let fileErr): try encoder.tagged("FILE")("fileErr", fileErr)
        case .noNameServers: try encoder.tagged("NO_NAME_SERVERS")
        case .proxy(let proxyServer, let relayServer, let proxyErr):
            try encoder.tagged("PROXY")("proxyServer", proxyServer)("relayServer", relayServer)("proxyErr", proxyErr)
        case .rcp(let rcpErr): try encoder.tagged("RCP")("rcpErr", rcpErr)
        case .broker(let brokerAddress, let brokerErr):
            try encoder.tagged("BROKER")("brokerAddress", brokerAddress)("brokerErr", brokerErr)
        case .agent(let agentErr): try encoder.tagged("AGENT")("agentErr", agentErr)
        case .notice(let server, let preset, let expiresAt):
            try encoder.tagged("NOTICE")("server", server)("preset", preset).optional("expiresAt", expiresAt)
        case .internal(let internalErr): try encoder.tagged("INTERNAL")("internalErr", internalErr)
        case .critical(let offerRestart, let criticalErr):
            try encoder.tagged("CRITICAL")("offerRestart", offerRestart)("criticalErr", criticalErr)
        case .inactive: try encoder.tagged("INACTIVE")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
