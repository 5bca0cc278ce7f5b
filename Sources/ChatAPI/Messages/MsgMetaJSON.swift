/// The agent's metadata of a received message: integrity, ids and times.
public struct MsgMetaJSON: Codable, Hashable, Sendable {
    public var integrity: String
    public var rcvId: Int64
    public var rcvTs: UTCTime
    public var serverId: String
    public var serverTs: UTCTime
    public var sndId: Int64

    public init(integrity: String, rcvId: Int64, rcvTs: UTCTime, serverId: String, serverTs: UTCTime, sndId: Int64) {
        self.integrity = integrity
        self.rcvId = rcvId
        self.rcvTs = rcvTs
        self.serverId = serverId
        self.serverTs = serverTs
        self.sndId = sndId
    }
}
