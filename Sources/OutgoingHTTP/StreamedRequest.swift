package import NIOCore

/// A request to a server that the operator has named. Its contents, in either direction, may be larger than the memory.
package struct StreamedRequest: Sendable {
    package enum Method: String, Sendable { case get = "GET", head = "HEAD", put = "PUT", delete = "DELETE" }

    /// The contents of a request, which are read while they are sent.
    package struct Body: Sendable {
        /// The size of the contents in bytes, which becomes `Content-Length`.
        package let size: Int64
        /// Returns a function that reads from the first byte on. It is called again before the request is repeated.
        let openReader: @Sendable () async throws -> Reader

        /// A function that returns the next bytes of the body: at least one, and at most the given number.
        package typealias Reader = @Sendable (Int) async throws -> [UInt8]

        package init(size: Int64, open: @escaping @Sendable () async throws -> Reader) {
            self.size = size
            self.openReader = open
        }
    }

    /// A receiver of the content of an answer with status 200, in parts. The next part is read when the previous part
    /// is processed.
    package struct Sink: Sendable {
        /// Required size of the content in bytes. Any other size is an error.
        package let size: Int64
        let takePart: @Sendable ([UInt8]) async throws -> Void

        package init(size: Int64, take: @escaping @Sendable ([UInt8]) async throws -> Void) {
            self.size = size
            self.takePart = take
        }
    }

    package var method: Method
    package var url: TargetURL
    /// The headers that are sent in addition to the headers of every request.
    package var headers: [(name: String, value: String)]
    package var body: Body?
    /// The receiver of the content. If it is nil, or if the status is not 200, the first ``maxKeptAnswerBytes`` bytes
    /// of the content are kept.
    package var sink: Sink?
    /// Maximal number of bytes of the answer's content that are kept. Further bytes are not read.
    package var maxKeptAnswerBytes: Int
    /// Maximal time in which no byte is sent or received.
    package var maxSilence = TimeAmount.seconds(20)
    /// Maximal time of the whole exchange for contents of zero bytes. Each ``minBytesPerSecond`` bytes add a second.
    package var minTotalTime = TimeAmount.seconds(60)

    /// Lowest accepted average speed, in bytes per second. An exchange with a slower server reaches the time limit.
    package static let minBytesPerSecond: Int64 = 32 << 10

    package init(
        _ method: Method,
        _ url: TargetURL,
        headers: [(name: String, value: String)] = [],
        body: Body? = nil,
        sink: Sink? = nil,
        maxKeptAnswerBytes: Int = 0
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.sink = sink
        self.maxKeptAnswerBytes = maxKeptAnswerBytes
    }

    var deadline: NIODeadline {
        .now() + minTotalTime + .seconds(((body?.size ?? 0) + (sink?.size ?? 0)) / Self.minBytesPerSecond)
    }
}
