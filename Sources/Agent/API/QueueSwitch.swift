/// Rotation: the change of a connection from one queue to another, at another relay if the user has several (simplexmq
/// `protocol/agent-protocol.md`, "Rotating messaging queue"). The recipient starts the rotation (QADD). The sender
/// provides a key for the new queue (QKEY). The recipient secures the queue with this key, and confirms (QUSE). The
/// first message over the new queue (QTEST) ends the old queue.
package enum QueueSwitch {
    package enum Direction: String, Hashable, Sendable {
        /// `rcv`: this side receives from the queue. `snd`: this side sends to the queue.
        case rcv, snd
    }

    package enum Phase: String, Hashable, Sendable {
        case started, confirmed, secured, completed
    }

    /// State of the rotation at the recipient. The raw values are the names in the API.
    package enum RcvStatus: String, Hashable, Sendable {
        case started = "switch_started", sendingQADD = "sending_qadd", sendingQUSE = "sending_quse", receivedMessage =
            "received_message"

        /// Whether the rotation can be aborted. It cannot be aborted after QUSE, because the sender may have left the
        /// old queue.
        package var canAbort: Bool { self == .started || self == .sendingQADD }
    }

    /// State of the rotation at the sender. The raw values are the names in the API.
    package enum SndStatus: String, Hashable, Sendable {
        case sendingQKEY = "sending_qkey", sendingQTEST = "sending_qtest"
    }
}

/// A step of a rotation (``QueueSwitch``).
package struct QueueSwitchChange: Hashable, Sendable {
    /// Number of the change. All later stored events of the agent have greater numbers. If the change is delivered
    /// again after a crash, the caller recognizes it by the number.
    package var changeNumber: Int64
    package var direction: QueueSwitch.Direction
    package var phase: QueueSwitch.Phase
    package var queueStates: ConnectionQueueStates
}
