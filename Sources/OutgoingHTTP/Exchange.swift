import Clocks
import NIOCore
import NIOHTTP1

/// The outcome of an exchange (a request and its answer) whose answer was received.
struct ExchangeResult: Sendable {
    let answer: OutgoingAnswer
    /// Whether the connection can be used for another exchange.
    let canReuseConnection: Bool
}

/// The error of an exchange whose connection was closed before a byte of the answer was received.
struct UnansweredError: Error {
    /// Whether a byte of the request could have been sent.
    let mayHaveSentBytes: Bool
}

/// A function that makes the channel handler of an exchange. The handler sends its request when the channel is active,
/// and completes the promise `result` once.
typealias ExchangeMaker =
    @Sendable (_ limiter: AnswerLimiter, _ result: EventLoopPromise<ExchangeResult>) -> any RemovableChannelHandler

extension HTTPResponseHead {
    /// Whether the connection can be used again: the server keeps it open, and it is certain where the answer ends.
    var isConnectionKept: Bool {
        // If an answer has both fields, a proxy on the way may see another end of the answer than this client. So the
        // connection is not used again.
        let isAmbiguous = headers.contains(name: "transfer-encoding") && headers.contains(name: "content-length")
        return version == .http1_1 && isKeepAlive && status.code >= 200 && !isAmbiguous
    }

    /// Seconds to wait, from `Retry-After`; nil when the header is missing or cannot be parsed.
    var retryAfterSeconds: Int64? {
        headers.first(name: "retry-after").flatMap { OutgoingAnswer.parseRetryAfter($0, now: WallClock.seconds()) }
    }
}

extension ChannelHandlerContext {
    /// Ends an exchange. Closes the connection, unless it can be used for another exchange.
    /// - Parameter mayContinue: whether the request was sent and the answer was received completely.
    func endExchange(
        _ result: EventLoopPromise<ExchangeResult>,
        _ outcome: Result<OutgoingAnswer, any Error>,
        _ limiter: AnswerLimiter,
        mayContinue: Bool = false
    ) {
        switch outcome {
        case .success(let answer):
            let mayContinue = mayContinue && limiter.isBetweenAnswers && channel.isActive
            if mayContinue {
                pipeline.syncOperations.removeHandler(context: self, promise: nil)
            } else {
                close(promise: nil)
            }
            result.succeed(ExchangeResult(answer: answer, canReuseConnection: mayContinue))
        case .failure(OutgoingError.connectionClosed) where !limiter.hasBytes:
            close(promise: nil)
            result.fail(UnansweredError(mayHaveSentBytes: true))
        case .failure(let error):
            close(promise: nil)
            result.fail(error)
        }
    }
}
