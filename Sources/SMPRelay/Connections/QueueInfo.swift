import RelayBase
import SimpleXCrypto

extension QueueStore.QueueInfo {
    /// Returns the JSON answer to QUE, which asks for the state of a queue. The fields and their order are the same as
    /// in answers of the original's server. No value needs escaping.
    func encodeJSON(isPolled: Bool, polled: MessageID?) -> [UInt8] {
        var text = "{\"qiSnd\":\(isSecured),\"qiNtf\":\(hasNotifier)"
        if isSubscribed || isPolled {
            text += ",\"qiSub\":{\"qSubThread\":\"\(isPolled ? "prohibitSub" : "noSub")\""
            if let given = isPolled ? polled : deliveredID {
                text += ",\"qDelivered\":\"\(Base64.encode(given.bytes))\""
            }
            text += "}"
        }
        text += ",\"qiSize\":\(messageCount)"
        if let firstMessage {
            text +=
                ",\"qiMsg\":{\"msgId\":\"\(Base64.encode(firstMessage.id.bytes))\",\"msgTs\":\"\(Self.formatUTC(firstMessage.timestamp))\""
            text += ",\"msgType\":\"\(firstMessage.isQuota ? "quota" : "message")\"}"
        }
        return Array((text + "}").utf8)
    }

    /// Formats a number of seconds since 1970 as date and time in UTC, such as `2023-11-14T22:13:20Z`.
    private static func formatUTC(_ seconds: Int64) -> String {
        let (days, time) = (seconds / 86400, seconds % 86400)
        // The days are counted from 0000-03-01, in eras of 400 years. A year that begins in March has its leap day at
        // the end.
        let shifted = days + 719_468
        let (era, day) = (shifted / 146_097, shifted % 146_097)
        let year = (day - day / 1460 + day / 36524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
        let civilMonth = month < 10 ? month + 3 : month - 9
        let civilYear = era * 400 + year + (civilMonth <= 2 ? 1 : 0)
        func twoDigits(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return
            "\(civilYear)-\(twoDigits(civilMonth))-\(twoDigits(dayOfMonth))T\(twoDigits(time / 3600)):\(twoDigits(time / 60 % 60)):\(twoDigits(time % 60))Z"
    }
}
