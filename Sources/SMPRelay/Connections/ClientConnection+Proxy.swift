import SMP

/// Executes the commands of clients that use this relay as their proxy: simplexmq `protocol/simplex-messaging.md`,
/// "Proxying sender commands".
extension ClientConnection {
    /// Maximal number of forwarded commands of one client that wait for an answer. At this number the session stops
    /// reading commands.
    static let maxForwardedCommands = 32

    /// Executes PRXY: connects to another relay, and answers with the values that the client needs to encrypt commands
    /// for that relay.
    func connectToRelay(to server: ProtocolServer, password: String?, corrID: [UInt8]) throws(SMPErrorType) {
        guard relay.configuration.allowsProxying, relay.password.permitsCreation(password) else {
            throw .proxy(.basicAuth)
        }
        startForwarding(corrID, []) { [proxy = relay.proxySessions, counters = relay.counters] in
            do throws(SMPClientError) {
                let session = try await proxy.findOrConnectSession(with: server)
                guard session.parameters.version >= .firstWithSendingProxy,
                    let versions = session.serverVersions.commonVersions(with: SupportedVersions.proxiedRelay)
                else { throw .transport(.version) }
                guard let key = session.certificateKey else { throw .transport(.noServerAuth) }
                counters.proxyConnections.increment()
                return .pkey(sessionID: session.parameters.sessionID, versions, key)
            } catch {
                counters.proxyConnectionsFailed.increment()
                return .err(error.proxyError)
            }
        }
    }

    /// Executes PFWD: forwards a command that only the other relay can decrypt, and passes that relay's answer to the
    /// client.
    func forwardCommand(_ transmission: ForwardedTransmission, to sessionID: [UInt8]) {
        startForwarding(transmission.corrID, sessionID) { [proxy = relay.proxySessions, counters = relay.counters] in
            guard let session = await proxy.findSession(id: sessionID) else { return .err(.proxy(.noSession)) }
            do throws(SMPClientError) {
                let encResponse = try await session.forwardTransmission(transmission)
                counters.commandsForwarded.increment()
                return .pres(encResponse: encResponse)
            } catch {
                counters.forwardingsFailed.increment()
                return .err(error.proxyError)
            }
        }
    }

    private func startForwarding(
        _ corrID: [UInt8],
        _ entityID: [UInt8],
        _ work: @escaping @Sendable () async -> BrokerMessage
    ) {
        guard let handle else { return }
        pendingForwardingCount += 1
        pauseOrResumeReading()
        Task { handle.passForwardingAnswer(await work(), corrID: corrID, entityID: entityID) }
    }

    func answerForwarding(_ message: BrokerMessage, corrID: [UInt8], entityID: [UInt8]) {
        pendingForwardingCount -= 1
        enqueue(.message(message, corrID: corrID, entityID: entityID))
        sendCommitted()
        pauseOrResumeReading()
    }
}
