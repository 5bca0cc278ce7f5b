import RelayBase
import SMP
import SimpleXCrypto

/// Commands that another relay forwards as a proxy, so that this relay does not learn the sender's address (from
/// version 8).
///
/// Two layers of encryption: the proxy's layer with the secret of its session, and the sender's layer with the secret
/// of this relay's session key and a key that the sender has made for the command. simplexmq
/// `protocol/simplex-messaging.md`, "Proxying sender commands"; sizes per the vectors (smp-messages: proxyForwarding).
extension ClientConnection {
    /// Executes RFWD. Returns the answer to the sender in both layers of encryption. The answer contains errors of the
    /// sender. Errors of the proxy are thrown.
    func forwarded(
        _ encForward: [UInt8],
        corrID: [UInt8],
        _ session: Session
    ) throws(SMPErrorType) -> (response: [UInt8], number: UInt64) {
        guard let proxySecret = session.secret else { throw .proxy(.broker(.transport(.noServerAuth))) }
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
        guard let transmissions = try? TransmissionBatch.parse(batch), let bytes = transmissions.first,
            transmissions.count == 1
        else {
            throw .block
        }
        let parameters = SessionParameters(version: forward.version, sessionID: session.parameters.sessionID)
        let (answer, number) = answer(bytes, parameters, session.authorizer)
        guard case .block(let content, _)? = TransmissionBatch.split([answer]).first,
            let encResponse = try? CryptoBox.seal(
                content,
                secret: senderSecret,
                nonce: senderNonce.reversed,
                paddedTo: ForwardedTransmission.paddedLength
            )
        else { throw .block }
        guard let plainResponse = try? ForwardedResponse(corrID: forward.corrID, encResponse: encResponse).smpEncoded(),
            let response = try? CryptoBox.seal(plainResponse, secret: proxySecret, nonce: proxyNonce.reversed)
        else { throw .crypto }
        return (response, number)
    }

    /// Executes a forwarded transmission, and returns the transmission of the answer.
    private func answer(
        _ bytes: ArraySlice<UInt8>,
        _ session: SessionParameters,
        _ authorizer: Authorizer
    ) -> (transmission: [UInt8], number: UInt64) {
        var (corrID, entityID): ([UInt8], [UInt8]) = ([], [])
        var answer: Answer
        do {
            let transmission = try ReceivedTransmission(parsing: bytes, session: session)
            (corrID, entityID) = (transmission.corrID, transmission.entityID)
            answer = try executeAsSender(try transmission.clientCommand(), transmission, session, authorizer)
        } catch let fault as ReceivedTransmission.Fault {
            (corrID, answer) = (fault.corrID, (.err(fault.error), 0))
        } catch let error as SMPErrorType {
            answer = (.err(error.downgraded(to: session.version)), 0)
        } catch {
            answer = (.err(.internal), 0)
        }
        let content = try? TransmissionContent(answer.message, corrID: corrID, entityID: entityID, session: session)
        return (content?.transmission() ?? [], answer.number)
    }
}
