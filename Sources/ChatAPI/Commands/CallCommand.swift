/// Commands for the signalling of audio and video calls (Chat API, section 2.8).
package enum CallCommand: Hashable, Sendable {
    case sendCallInvitation(contactId: Int64, callType: CallType)
    case rejectCall(contactId: Int64)
    case sendCallOffer(contactId: Int64, callOffer: WebRTCCallOffer)
    case sendCallAnswer(contactId: Int64, answer: WebRTCSession)
    case sendCallExtraInfo(contactId: Int64, extraInfo: WebRTCExtraInfo)
    case endCall(contactId: Int64)
    case getCallInvitations
    case callStatus(contactId: Int64, callStatus: WebRTCCallStatus)
}

extension CallCommand: CommandCategory {
    var commandText: CommandText {
        switch self {
        case .sendCallInvitation(let contactId, let callType): "/_call invite @\(contactId) \(json: callType)"
        case .rejectCall(let contactId): "/_call reject @\(contactId)"
        case .sendCallOffer(let contactId, let callOffer): "/_call offer @\(contactId) \(json: callOffer)"
        case .sendCallAnswer(let contactId, let answer): "/_call answer @\(contactId) \(json: answer)"
        case .sendCallExtraInfo(let contactId, let extraInfo): "/_call extra @\(contactId) \(json: extraInfo)"
        case .endCall(let contactId): "/_call end @\(contactId)"
        case .getCallInvitations: "/_call get"
        case .callStatus(let contactId, let callStatus): "/_call status @\(contactId) \(callStatus)"
        }
    }

    static let forms: [CommandForm<Self>] = [
        CommandForm("/_call invite") { scanner throws(CommandParseError) in
            .sendCallInvitation(contactId: try scanner.scanChatID(.direct), callType: try scanner.scanJSON())
        },
        CommandForm("/_call reject") { scanner throws(CommandParseError) in
            .rejectCall(contactId: try scanner.scanChatID(.direct))
        },
        CommandForm("/_call offer") { scanner throws(CommandParseError) in
            .sendCallOffer(contactId: try scanner.scanChatID(.direct), callOffer: try scanner.scanJSON())
        },
        CommandForm("/_call answer") { scanner throws(CommandParseError) in
            .sendCallAnswer(contactId: try scanner.scanChatID(.direct), answer: try scanner.scanJSON())
        },
        CommandForm("/_call extra") { scanner throws(CommandParseError) in
            .sendCallExtraInfo(contactId: try scanner.scanChatID(.direct), extraInfo: try scanner.scanJSON())
        },
        CommandForm("/_call end") { scanner throws(CommandParseError) in
            .endCall(contactId: try scanner.scanChatID(.direct))
        },
        CommandForm("/_call get", is: .getCallInvitations),
        CommandForm("/_call status") { scanner throws(CommandParseError) in
            .callStatus(
                contactId: try scanner.scanChatID(.direct),
                callStatus: try scanner.scanOneOf([.connecting, .connected, .disconnected, .failed])
            )
        },
    ]
}

extension CallCommand {
    package var name: CommandName {
        switch self {
        case .sendCallInvitation: .sendCallInvitation
        case .rejectCall: .rejectCall
        case .sendCallOffer: .sendCallOffer
        case .sendCallAnswer: .sendCallAnswer
        case .sendCallExtraInfo: .sendCallExtraInfo
        case .endCall: .endCall
        case .getCallInvitations: .getCallInvitations
        case .callStatus: .callStatus
        }
    }
}
