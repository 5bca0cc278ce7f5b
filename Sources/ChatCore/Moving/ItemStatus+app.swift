internal import ChatAPI
internal import ChatMoving

extension ItemStatus {
    init(app text: String) {
        let words = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let rest = words.count > 1 ? words[1] : ""
        switch words.first {
        case "snd_new"?: self = .sndNew
        case "snd_sent"?: self = rest == "partial" ? .other(.sndSent(sndProgress: .partial)) : .sndSent
        case "snd_rcvd"?:
            let parts = rest.split(separator: " ").map(String.init)
            let status = MsgReceiptStatus(rawValue: parts.first ?? "ok")
            let progress: SndCIStatusProgress = parts.count > 1 && parts[1] == "partial" ? .partial : .complete
            self =
                status == .ok && progress == .complete
                ? .sndReceived : .other(.sndRcvd(msgRcptStatus: status, sndProgress: progress))
        case "snd_error_auth"?: self = .sndErrorAuth
        case "snd_error"?: self = .other(.sndError(agentError: SndError(app: rest)))
        case "snd_warning"?: self = .other(.sndWarning(agentError: SndError(app: rest)))
        case "rcv_new"?: self = .rcvNew
        case "rcv_read"?: self = .rcvRead
        default: self = .other(.invalid(text: text))
        }
    }
}

extension GroupSndStatus {
    init(app text: String) {
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = words.count > 1 ? words[1] : ""
        switch words.first {
        case "snd_forwarded"?: self = .forwarded
        case "snd_inactive"?: self = .inactive
        case "snd_sent"?: self = .sent
        case "snd_rcvd"?: self = rest.hasPrefix("badMsgHash") ? .receivedAltered : .receivedIntact
        case "snd_error"?: self = .error(agentError: SndError(app: rest))
        case "snd_error_auth"?: self = .error(agentError: .auth)
        case "snd_warning"?: self = .warning(agentError: SndError(app: rest))
        default: self = .new
        }
    }
}
