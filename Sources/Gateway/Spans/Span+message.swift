internal import ChatStore
internal import SimpleXCrypto

extension Span.Identity {
    /// Makes the ids of the span in which a message was accepted. The trace of a message has the same id after a
    /// restart, since receipts may arrive much later.
    /// - Parameter epoch: the epoch of the journal of the message's store.
    init(acceptanceOf itemId: Int64, in epoch: String) {
        self.init(itemId, epoch, step: "")
    }

    /// Makes the ids of the span of one step in the delivery of a message.
    fileprivate init(_ itemId: Int64, _ epoch: String, step: String) {
        let trace = Digest.sha256("\(epoch)/\(itemId)".utf8)
        let span = step.isEmpty ? trace.dropFirst(16) : Digest.sha256("\(epoch)/\(itemId)/\(step)".utf8)[...]
        self.init(traceID: Self.makeID(trace.prefix(16)), spanID: Self.makeID(span.prefix(8)))
    }

    /// Encodes an id. An id of zeros is invalid, so the first bit is set.
    private static func makeID(_ bytes: ArraySlice<UInt8>) -> String {
        var bytes = Array(bytes)
        bytes[0] |= 0x80
        return Hex.encode(bytes)
    }
}

extension Span {
    /// Makes the span of one step in the delivery of a message. The span contains ids in the same form as the log and
    /// the API, and no content of the message.
    /// - Parameters:
    ///   - epoch: the epoch of the journal of the message's store.
    ///   - storeID: the id of the store; nil for the first store.
    static func makeMessageSpan(_ report: MessageStepReport, in epoch: String, of storeID: String?) -> Span {
        var attributes = [Attribute("sxgw.item.id", report.itemId)]
        if let id = report.deliveryId { attributes.append(Attribute("sxgw.delivery.id", id)) }
        if let id = report.contactId { attributes.append(Attribute("sxgw.contact.id", id)) }
        if let id = report.groupMemberId { attributes.append(Attribute("sxgw.member.id", id)) }
        if let storeID { attributes.append(Attribute("sxgw.store.id", storeID)) }
        let acceptance = Identity(acceptanceOf: report.itemId, in: epoch)
        func makeIdentity(_ step: String) -> Identity {
            Identity(report.itemId, epoch, step: "\(report.deliveryId ?? 0)/\(step)")
        }
        let (identity, parentID, kind): (Identity, String?, Kind) =
            switch report.step {
            case .accept: (acceptance, nil, .producer)
            case .receive: (acceptance, nil, .consumer)
            case .encrypt: (makeIdentity("encrypt"), acceptance.spanID, .inner)
            case .send, .fail: (makeIdentity("send"), acceptance.spanID, .producer)
            case .receipt: (makeIdentity("receipt"), makeIdentity("send").spanID, .inner)
            }
        return Span(
            identity: identity,
            parentID: parentID,
            name: report.step == .fail ? "message send" : "message \(report.step.rawValue)",
            kind: kind,
            startNanoseconds: report.begin.nanoseconds,
            endNanoseconds: report.end.nanoseconds,
            attributes: attributes,
            isFailed: report.step == .fail
        )
    }
}
