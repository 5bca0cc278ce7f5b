internal import ChatAPI
internal import JSON

enum SocketAnswer {
    /// Makes the answer to a refused command, in the form of the terminal client.
    static func encodeRefusal(_ error: ChatError) -> [UInt8] {
        let json = (try? JSONEncoder().encodeValue(error)) ?? .null
        return JSONValue.object(JSONObject([("type", "chatCmdError"), ("chatError", json)])).encodeText()
    }

    /// Makes the answer that corresponds to HTTP status 429.
    static func encodeRateLimitAnswer(_ seconds: Int64) -> [UInt8] {
        encodeRefusal(.error(errorType: .commandError(message: "too many requests: send this again in \(seconds) s")))
    }

    static let tooMuchUnreadAnswer = encodeRefusal(.error(errorType: .commandError(message: UnreadAnswers.refusalText)))

    /// The answer of the terminal client to a frame that is not a request.
    static let invalidRequestAnswer = Array(
        #"{"type":"chatCmdError","chatError":{"type":"error","errorType":{"type":"commandError","message":"invalid request"}}}"#
            .utf8
    )
}
