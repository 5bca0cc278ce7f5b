import SMP

/// Commands of clients that use this relay as their proxy. simplexmq `protocol/simplex-messaging.md`, "Proxying sender
/// commands".
extension ClientConnection {
    /// Maximal number of forwarded commands of one client that wait for an answer. At this number the session stops
    /// reading commands.
    static let maxForwarding = 32

    /// Executes PRXY: connects to the other relay, and answers with the values that the client needs to encrypt
    /// commands for it.
    func connectToRelay(to server: ProtocolServer, password: String?, corrID: [UInt8]) throws(SMPErrorType) {
        guard relay.configuration.allowsProxying, relay.password.permits(password) else { throw .proxy(.basicAuth) }
        forward(corrID, []) { [proxy = relay.proxySessions, counters = relay.counters] in
            do throws(SMPClientError) {
                let session = try await proxy.connectedSession(with: server)
                guard session.parameters.version >= .firstWithSendingProxy,
                    let versions = session.serverVersions.compatible(with: SupportedVersions.proxiedRelay)
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

    /// Executes PFWD: forwards content that only the other relay can read, and passes the answer of that relay to the
    /// client.
    func forward(_ transmission: ForwardedTransmission, to sessionID: [UInt8]) {
        forward(transmission.corrID, sessionID) { [proxy = relay.proxySessions, counters = relay.counters] in
            guard let session = await proxy.session(id: sessionID) else { return .err(.proxy(.noSession)) }
            do throws(SMPClientError) {
                let encResponse = try await session.forward(transmission)
                counters.commandsForwarded.increment()
                return .pres(encResponse: encResponse)
            } catch {
                counters.forwardingsFailed.increment()
                return .err(error.proxyError)
            }
        }
    }

    private func forward(_ corrID: [UInt8], _ entityID: [UInt8], _ work: @escaping @Sendable () async -> BrokerMessage)
    {
        guard let handle else { return }
        forwardingCount += 1
        pauseOrResumeReading()
        Task { handle.answer(await work(), corrID: corrID, entityID: entityID) }
    }

    func answerForwarding(_ message: BrokerMessage, corrID: [UInt8], entityID: [UInt8]) {
        forwardingCount -= 1
        send(.message(message, corrID: corrID, entityID: entityID))
        flush()
        pauseOrResumeReading()
    }
}
