import SimpleXCrypto

/// Handles the events of a session: messages of the relay, and the end of the session.
extension SMPClient {
    func handleSessionEvent(_ event: SMPSessionEvent, of number: UInt64) {
        switch event {
        case .received(let entityID, let message): handleBrokerMessage(message, rcvID: entityID, number)
        case .closed:
            changeState { state in
                state.isCurrentLink(number) ? ((), state.removeSession()) : ((), [])
            }
            reconnectIfNeeded()
        }
    }

    private func handleBrokerMessage(_ message: BrokerMessage, rcvID: [UInt8], _ number: UInt64) {
        switch message {
        case .msg(let id, let encBody):
            guard let secret = registerDelivery(id, rcvID: rcvID, number) else { return }
            let event: SMPClientEvent
            do throws(RcvMessageError) {
                let body = try RcvMessageBody(opening: encBody, secret: secret, messageID: id)
                event = .message(rcvID: rcvID, RcvMessage(id: id, body: body))
            } catch {
                event = .badMessage(rcvID: rcvID, id: id, error)
            }
            changeState { state in ((), state.isCurrentLink(number) ? [event] : []) }
        case .nmsg(let nonce, let encMeta):
            changeState { state in
                (
                    (),
                    state.notifiers.contains(rcvID)
                        ? [.notification(notifierID: rcvID, nonce: nonce, encMeta: encMeta)] : []
                )
            }
        case .ends(let queues):
            changeState { state in
                guard state.isCurrentLink(number), state.configuration.serviceCredentials != nil else {
                    return ((), [])
                }
                let lost = state.desiredQueues.values.filter { $0.serviceID == rcvID }.map(\.rcvID)
                for id in lost { state.removeQueue(id) }
                // An end of the subscription that was already reported is not reported again.
                guard state.subscribedServiceID == rcvID else {
                    return ((), lost.map { .subscriptionEnded(rcvID: $0) })
                }
                state.subscribedServiceID = nil
                let end = SMPClientEvent.serviceSubscriptionEnded(serviceID: rcvID, count: queues.count)
                return ((), [end] + lost.map { .subscriptionEnded(rcvID: $0) })
            }
        case .alls:
            changeState { state in
                guard state.isCurrentLink(number), state.awaitsServiceDelivery else { return ((), []) }
                state.awaitsServiceDelivery = false
                return ((), [.serviceMessagesDelivered])
            }
        case .end: dropQueue(rcvID, number, .subscriptionEnded(rcvID: rcvID))
        case .deld: dropQueue(rcvID, number, .queueDeleted(rcvID: rcvID))
        default: break
        }
    }

    /// Registers a delivered message. Ends the session if the relay broke the protocol with this message.
    /// - Returns: the secret that opens the message; nil when the message must not be processed.
    private func registerDelivery(_ id: [UInt8], rcvID: [UInt8], _ number: UInt64) -> X25519.SharedSecret? {
        let (secret, violating) = changeState {
            state -> ((X25519.SharedSecret?, SMPClientState.Link?), [SMPClientEvent]) in
            guard state.isCurrentLink(number), let queue = state.desiredQueues[rcvID] else { return ((nil, nil), []) }
            switch state.deliveries[rcvID, default: QueueDelivery()].recordReceivedMessage(id) {
            case .new: return ((queue.dhSecret, nil), [])
            case .repeated: return ((nil, nil), [])
            case .violation: return ((nil, state.link), [.protocolViolated(.unexpected("MSG"))] + state.removeSession())
            }
        }
        if let violating {
            Task { (try? await violating.task.value)?.closeWithoutWaiting() }
            reconnectIfNeeded()
        }
        return secret
    }

    private func dropQueue(_ rcvID: [UInt8], _ number: UInt64, _ event: SMPClientEvent) {
        changeState { state in
            guard state.isCurrentLink(number), state.desiredQueues[rcvID] != nil else { return ((), []) }
            state.removeQueue(rcvID)
            return ((), [event])
        }
    }
}
