/// What a relay says without being asked.
extension SMPClient {
    func handle(_ event: SMPSessionEvent, of number: UInt64) {
        switch event {
        case .received(let entityID, let message): receive(message, rcvID: entityID, number)
        case .closed:
            update { state in
                state.isCurrent(number) ? ((), state.unlink()) : ((), [])
            }
            reconnectIfNeeded()
        }
    }

    private func receive(_ message: BrokerMessage, rcvID: [UInt8], _ number: UInt64) {
        switch message {
        case .msg(let id, let encBody):
            guard let secret = state.withLock({ $0.desired[rcvID]?.dhSecret }) else { return }
            let event: SMPClientEvent
            do throws(RcvMessageError) {
                let body = try RcvMessageBody(opening: encBody, secret: secret, messageID: id)
                event = .message(rcvID: rcvID, RcvMessage(id: id, body: body))
            } catch {
                event = .badMessage(rcvID: rcvID, id: id, error)
            }
            update { _ in ((), [event]) }
        case .nmsg(let nonce, let encMeta):
            update { _ in ((), [.notification(notifierID: rcvID, nonce: nonce, encMeta: encMeta)]) }
        case .ends(let queues): update { _ in ((), [.serviceEnd(serviceID: rcvID, count: queues.count)]) }
        case .alls: update { _ in ((), [.serviceDelivered]) }
        case .end: drop(rcvID, number, .end(rcvID: rcvID))
        case .deld: drop(rcvID, number, .deleted(rcvID: rcvID))
        default: break
        }
    }

    private func drop(_ rcvID: [UInt8], _ number: UInt64, _ event: SMPClientEvent) {
        update { state in
            guard state.isCurrent(number), state.desired.removeValue(forKey: rcvID) != nil else { return ((), []) }
            state.active.remove(rcvID)
            return ((), [event])
        }
    }
}
