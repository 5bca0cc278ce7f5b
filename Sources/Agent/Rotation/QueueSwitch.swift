import SQLCipher

/// The change of a connection from one queue to another, of another relay if the user has several (simplexmq `protocol/agent-protocol.md`,
/// "Rotating messaging queue"). Its recipient begins it (QADD); the sender gives a key for the new queue (QKEY), the recipient secures the queue with
/// it and says so (QUSE), and the first message over the new queue (QTEST) ends the old one.
public enum QueueSwitch {
    public enum Direction: String, Hashable, Sendable {
        /// This side receives from the queue, or sends to it.
        case rcv, snd
    }

    public enum Phase: String, Hashable, Sendable {
        case started, confirmed, secured, completed
    }

    /// At the recipient, with the names of the API.
    public enum RcvStatus: String, Hashable, Sendable {
        case started = "switch_started", sendingQADD = "sending_qadd", sendingQUSE = "sending_quse", receivedMessage = "received_message"

        /// From QUSE on the sender may have given up the old queue.
        public var canAbort: Bool { self == .started || self == .sendingQADD }
    }

    /// At the sender.
    public enum SndStatus: String, Hashable, Sendable {
        case sendingQKEY = "sending_qkey", sendingQTEST = "sending_qtest"
    }
}

/// A step of a ``QueueSwitch``.
public struct QueueSwitchChange: Hashable, Sendable {
    /// Larger than that of every change before, of whatever kind: one that is told again after a crash is known by it.
    public var number: Int64
    public var direction: QueueSwitch.Direction
    public var phase: QueueSwitch.Phase
    public var servers: ConnectionServers
}

/// A step as it is kept until it is told.
struct QueueSwitchNews {
    var direction: QueueSwitch.Direction
    var phase: QueueSwitch.Phase

    var stored: [UInt8] { Array("\(direction.rawValue) \(phase.rawValue)".utf8) }

    init(_ direction: QueueSwitch.Direction, _ phase: QueueSwitch.Phase) {
        self.direction = direction
        self.phase = phase
    }

    init(stored: [UInt8]) {
        let words = String(decoding: stored, as: UTF8.self).split(separator: " ").map(String.init)
        direction = words.first.flatMap(QueueSwitch.Direction.init) ?? .rcv
        phase = words.last.flatMap(QueueSwitch.Phase.init) ?? .started
    }

    func event(_ connection: ConnectionID, number: Int64, _ db: Connection) throws -> AgentEvent {
        let servers = try ConnectionServers(ConnectionRecord.get(connection, db), db)
        return .switched(connection, QueueSwitchChange(number: number, direction: direction, phase: phase, servers: servers))
    }
}
