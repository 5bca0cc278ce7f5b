internal import Agent
internal import ChatProtocol

/// A received message with its metadata from the agent.
struct ReceivedBody: Sendable {
    var meta: MessageMeta
    var body: [UInt8]
}

/// A message from the agent, with the chat messages that were parsed from its body.
struct ParsedMessage: Sendable {
    let meta: MessageMeta
    let body: [UInt8]
    let elements: [MessageElement]
    /// The content of each element in ``elements``, in the same order.
    let contents: [ReceivedContents]

    init(_ message: ReceivedBody) {
        meta = message.meta
        body = message.body
        elements = MessageElements.parseAll(of: message.body)
        contents = elements.map(ReceivedContents.init)
    }

    /// Whether an element contains the signature of an owner who shares a channel.
    var hasOwnerSignature: Bool {
        elements.contains { element in
            switch element.content {
            case .success(.message(let message)):
                switch message.event {
                case .messageNew(let container): container.content["ownerSig"] != nil
                case .messageUpdate(let update): update.content["ownerSig"] != nil
                default: false
                }
            default: false
            }
        }
    }

    /// Whether the sender requests a receipt.
    var requestsReceipt: Bool {
        elements.contains { element in
            if case .success(.message(let message)) = element.content {
                message.event.hasDeliveryReceipt
            } else {
                false
            }
        }
    }
}
