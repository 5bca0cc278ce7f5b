package import ChatAPI

/// A report for traces: a step of a message, such as its encryption, has just happened.
package struct MessageStepReport: Hashable, Sendable {
    package enum Step: String, Sendable {
        /// The item of a message of the user was stored.
        case accept
        /// The agent has encrypted the message to one recipient.
        case encrypt
        /// The relay has accepted the message to one recipient.
        case send
        /// The agent has given up the message to one recipient.
        case fail
        /// The receipt of one recipient has arrived.
        case receipt
        /// The item of a received message was stored.
        case receive
    }

    /// A function that gets the reports of a transaction after the commit.
    package typealias Handler = @Sendable (_ reports: [MessageStepReport], _ epoch: String, _ storeID: String?) -> Void

    package let step: Step
    package let itemId: Int64
    /// The id of the delivery of the message to one recipient; nil for the steps `accept` and `receive`, which concern
    /// no single recipient.
    package var deliveryId: Int64?
    /// The contact who gets the message; nil for a member, and for the steps `accept`, `encrypt` and `receive`.
    package var contactId: Int64?
    /// The member who gets the message; nil for a contact, and for the steps `accept`, `encrypt` and `receive`.
    package var groupMemberId: Int64?
    /// The time of the step before this step. For a message in the outbox, it is the time when the message was put into
    /// the outbox. For a receipt, it is the time when the relay accepted the message. For a received message, it is the
    /// time from the relay, in whole seconds, or the time from the forwarder.
    package let begin: Timestamp
    package let end: Timestamp

    package init(
        _ step: Step,
        of itemId: Int64,
        delivery deliveryId: Int64? = nil,
        contact contactId: Int64? = nil,
        member groupMemberId: Int64? = nil,
        from begin: Timestamp,
        to end: Timestamp
    ) {
        (self.step, self.itemId, self.deliveryId) = (step, itemId, deliveryId)
        (self.contactId, self.groupMemberId) = (contactId, groupMemberId)
        (self.begin, self.end) = (begin, end)
    }
}
