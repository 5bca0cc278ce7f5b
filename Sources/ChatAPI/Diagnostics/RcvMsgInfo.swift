/// The last message that the agent received over a connection.
package struct RcvMsgInfo: Codable, Hashable, Sendable {
    package var msgId: Int64
    package var msgDeliveryId: Int64
    package var msgDeliveryStatus: String
    package var agentMsgId: Int64
    package var agentMsgMeta: String

    package init(msgId: Int64, msgDeliveryId: Int64, msgDeliveryStatus: String, agentMsgId: Int64, agentMsgMeta: String)
    {
        self.msgId = msgId
        self.msgDeliveryId = msgDeliveryId
        self.msgDeliveryStatus = msgDeliveryStatus
        self.agentMsgId = agentMsgId
        self.agentMsgMeta = agentMsgMeta
    }
}
