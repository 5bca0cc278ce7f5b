/// A queue with its ids on the server, and the server's report about it.
public struct ServerQueueInfo: Codable, Hashable, Sendable {
    public var server: String
    public var rcvId: String
    public var sndId: String
    public var ntfId: String?
    public var status: String
    public var info: QueueInfo

    public init(server: String, rcvId: String, sndId: String, ntfId: String? = nil, status: String, info: QueueInfo) {
        self.server = server
        self.rcvId = rcvId
        self.sndId = sndId
        self.ntfId = ntfId
        self.status = status
        self.info = info
    }
}
