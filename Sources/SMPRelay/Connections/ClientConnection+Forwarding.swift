import RelayBase
import SMP
import SimpleXCrypto

/// Executes commands that another relay forwards as a proxy, so that this relay does not learn the sender's address
/// (from SMP version 8).
///
/// A forwarded command has two layers of encryption. The secret of the proxy's session opens the outer layer. This
/// relay's session key and a key that the sender has made for the command open the inner layer. simplexmq
/// `protocol/simplex-messaging.md`, "Proxying sender commands". The sizes follow the test vectors (smp-messages:
/// proxyForwarding).
extension ClientConnection {
    /// Executes RFWD, a command of a sender that a proxy has forwarded. The answer is encrypted for the sender, and
    /// then for the proxy.
    /// - Throws: an error if a layer of encryption cannot be opened, or if the content is not exactly one transmission.
    ///   An error of the transmission or of its command is not thrown, but is in the answer.
    func executeForwarded(_ encForward: [UInt8], corrID: [UInt8], _ session: Session) throws(SMPErrorType) {
        guard let proxySecret = session.sessionSecret else { throw .proxy(.broker(.transport(.noServerAuth))) }
        let proxyNonce = BoxNonce(padding: corrID)
        guard let plain = try? CryptoBox.open(encForward, secret: proxySecret, nonce: proxyNonce, padded: false) else {
            throw .crypto
        }
        guard let forward = try? ForwardedTransmission(smpEncoded: plain),
            SupportedVersions.relay.contains(forward.version)
        else {
            throw .cmd(.syntax)
        }
        let senderNonce = BoxNonce(padding: forward.corrID)
        guard let senderSecret = try? session.sessionKey.sharedSecret(with: forward.key),
            let batch = try? CryptoBox.open(forward.encTransmission, secret: senderSecret, nonce: senderNonce)
        else { throw .crypto }
        guard let transmissions = try? TransmissionBatch.parseTransmissions(batch), let bytes = transmissions.first,
            transmissions.count == 1
        else {
            throw .block
        }
        let layers = ForwardingLayers(
            proxySecret: proxySecret,
            proxyNonce: proxyNonce,
            senderSecret: senderSecret,
            senderNonce: senderNonce,
            corrID: forward.corrID
        )
        let parameters = SessionParameters(version: forward.version, sessionID: session.parameters.sessionID)
        switch executeForwardedCommand(bytes, parameters, session.authorizer) {
        case .answered(let message, let innerID, let entityID, let number):
            let content = try? TransmissionContent(
                message,
                corrID: innerID,
                entityID: entityID,
                session: parameters
            )
            let response = try layers.sealAnswer(content?.encodeTransmission() ?? [])
            sendReply(corrID, [], .rres(encForwardResponse: response), after: number)
        case .nameToResolve(let name, let innerID):
            executeResolve(name, corrID: corrID) { message in
                let content = try? TransmissionContent(message, corrID: innerID, entityID: [], session: parameters)
                do throws(SMPErrorType) {
                    return .rres(encForwardResponse: try layers.sealAnswer(content?.encodeTransmission() ?? []))
                } catch {
                    return .err(error)
                }
            }
        }
    }

    /// The result of a forwarded command.
    private enum ForwardedResult {
        /// The answer, and the number of the log record that must be committed before the answer is sent.
        case answered(BrokerMessage, corrID: [UInt8], entityID: [UInt8], number: UInt64)
        /// The command was RSLV. The caller resolves the name with the operator's records or with the resolver.
        case nameToResolve(NameDomain, corrID: [UInt8])
    }

    /// Executes a decrypted command of a sender. RSLV is not executed: its name is returned, and the caller resolves
    /// it.
    private func executeForwardedCommand(
        _ bytes: ArraySlice<UInt8>,
        _ session: SessionParameters,
        _ authorizer: Authorizer
    ) -> ForwardedResult {
        var (corrID, entityID): ([UInt8], [UInt8]) = ([], [])
        var answer: NumberedAnswer
        do {
            let transmission = try ReceivedTransmission(parsing: bytes, session: session)
            (corrID, entityID) = (transmission.corrID, transmission.entityID)
            let command = try transmission.parseClientCommand()
            if case .rslv(let name) = command { return .nameToResolve(name, corrID: corrID) }
            answer = try executeAsSender(command, transmission, session, authorizer)
        } catch let fault as ReceivedTransmission.Fault {
            (corrID, answer) = (fault.corrID, (.err(fault.error), 0))
        } catch let error as SMPErrorType {
            answer = (.err(error.downgraded(to: session.version)), 0)
        } catch {
            answer = (.err(.internal), 0)
        }
        return .answered(answer.message, corrID: corrID, entityID: entityID, number: answer.number)
    }
}

/// The secrets and nonces that encrypt the answer to a forwarded command, first for the sender, then for the proxy.
private struct ForwardingLayers: Sendable {
    let proxySecret: X25519.SharedSecret
    let proxyNonce: BoxNonce
    let senderSecret: X25519.SharedSecret
    let senderNonce: BoxNonce
    /// The correlation id of the sender's command.
    let corrID: [UInt8]

    func sealAnswer(_ transmission: [UInt8]) throws(SMPErrorType) -> [UInt8] {
        guard case .block(let content, _)? = TransmissionBatch.splitIntoBlocks([transmission]).first,
            let encResponse = try? CryptoBox.seal(
                content,
                secret: senderSecret,
                nonce: senderNonce.reversed,
                paddedTo: ForwardedTransmission.paddedLength
            )
        else { throw .block }
        guard let plainResponse = try? ForwardedResponse(corrID: corrID, encResponse: encResponse).smpEncoded(),
            let response = try? CryptoBox.seal(plainResponse, secret: proxySecret, nonce: proxyNonce.reversed)
        else { throw .crypto }
        return response
    }
}
