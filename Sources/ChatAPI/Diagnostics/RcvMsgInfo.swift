/// The last message of a connection that the agent received.
public struct RcvMsgInfo: Codable, Hashable, Sendable {
    public var msgId: Int64
    public var msgDeliveryId: Int64
    public var msgDeliveryStatus: String
    public var agentMsgId: Int64
    public var agentMsgMeta: String

    public init(msgId: Int64, msgDeliveryId: Int64, msgDeliveryStatus: String, agentMsgId: Int64, agentMsgMeta: String)
    {
        self.msgId = msgId
        self.msgDeliveryId = msgDeliveryId
        self.msgDeliveryStatus = msgDeliveryStatus
        self.agentMsgId = agentMsgId
        self.agentMsgMeta = agentMsgMeta
    }
}
