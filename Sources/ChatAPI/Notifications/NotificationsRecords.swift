/// The token of a device at its push service.
package struct DeviceToken: Codable, Hashable, Sendable {
    package var pushProvider: PushProvider
    package var token: String

    package init(pushProvider: PushProvider, token: String) {
        self.pushProvider = pushProvider
        self.token = token
    }

    /// Whether the token consists of 1 to 127 pairs of hexadecimal digits, or is the token for tests of notification
    /// servers.
    package var isWellFormed: Bool {
        if pushProvider == .apns_null, token == "test_ntf_token" { return true }
        let digits = token.utf8
        return digits.count.isMultiple(of: 2) && (2...254).contains(digits.count)
            && digits.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}

/// The connection to which a notification belongs, and the expected message.
package struct NtfConn: Codable, Hashable, Sendable {
    package var user: User
    package var agentConnId: String
    package var agentDbQueueId: Int64
    package var connEntity: ConnectionEntity
    package var expectedMsg_: NtfMsgInfo?

    package init(
        user: User,
        agentConnId: String,
        agentDbQueueId: Int64,
        connEntity: ConnectionEntity,
        expectedMsg_: NtfMsgInfo? = nil
    ) {
        self.user = user
        self.agentConnId = agentConnId
        self.agentDbQueueId = agentDbQueueId
        self.connEntity = connEntity
        self.expectedMsg_ = expectedMsg_
    }
}

/// The last message of a queue that the agent has acknowledged to the server.
package struct NtfMsgAckInfo: Codable, Hashable, Sendable {
    package var msgId: String
    package var msgTs_: UTCTime?

    package init(msgId: String, msgTs_: UTCTime? = nil) {
        self.msgId = msgId
        self.msgTs_ = msgTs_
    }
}

/// The message that a notification announces.
package struct NtfMsgInfo: Codable, Hashable, Sendable {
    package var msgId: String
    package var msgTs: UTCTime

    package init(msgId: String, msgTs: UTCTime) {
        self.msgId = msgId
        self.msgTs = msgTs
    }
}
