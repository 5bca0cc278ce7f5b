import SQLCipher

/// The change of a connection from one queue to another, at another relay if the user has several (simplexmq
/// `protocol/agent-protocol.md`, "Rotating messaging queue"). The recipient starts it (QADD); the sender provides a key
/// for the new queue (QKEY); the recipient secures the queue with it and confirms (QUSE); the first message over the
/// new queue (QTEST) ends the old one.
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
        case started = "switch_started", sendingQADD = "sending_qadd", sendingQUSE = "sending_quse", receivedMessage =
            "received_message"

        /// After QUSE the sender may have left the old queue.
        public var canAbort: Bool { self == .started || self == .sendingQADD }
    }

    /// At the sender.
    public enum SndStatus: String, Hashable, Sendable {
        case sendingQKEY = "sending_qkey", sendingQTEST = "sending_qtest"
    }
}

/// A step of a ``QueueSwitch``.
public struct QueueSwitchChange: Hashable, Sendable {
    /// Larger than the number of every earlier change of any kind. A change that is delivered again after a crash is
    /// recognized by it.
    public var number: Int64
    public var direction: QueueSwitch.Direction
    public var phase: QueueSwitch.Phase
    public var servers: ConnectionServers
}

/// A step as it is stored until delivery.
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

    func event(_ connection: ConnectionID, number: Int64, _ db: DatabaseConnection) throws -> AgentEvent {
        let servers = try ConnectionServers(AgentConnection.get(connection, db), db)
        return .switched(
            connection,
            QueueSwitchChange(number: number, direction: direction, phase: phase, servers: servers)
        )
    }
}
