import NIOCore
import XFTP

/// A download in progress: while the client's channel sends one part, the next part is read.
final class OutgoingChunk {
    private let stream: RequestStream
    private let chunk: ChunkDownload
    private let size: UInt32
    private let request: FileClientSession.Request
    private let response: FileResponse
    private var ready: ByteBuffer?
    private var isReading = false
    private var isSending = false
    private var hasBegun = false
    private let end: NIODeadline

    init(
        _ stream: RequestStream,
        _ chunk: ChunkDownload,
        size: UInt32,
        _ request: FileClientSession.Request,
        answer: FileResponse
    ) {
        self.stream = stream
        self.chunk = chunk
        self.size = size
        self.request = request
        response = answer
        end = .now() + .seconds(stream.relay.configuration.downloadTimeout)
    }

    func start() { read() }

    private func read() {
        guard !isReading, ready == nil, !chunk.isAtEnd else { return }
        isReading = true
        let chunk = chunk
        stream.onDisk({ () throws(XFTPServerError) in try chunk.next() }) { result in
            self.isReading = false
            switch result {
            case .success(let part):
                self.ready = part
                self.pump()
            case .failure(let error):
                // After the beginning of an answer, an error can only be reported by closing the stream.
                if self.hasBegun { self.stream.close() } else { self.stream.answer(.err(error), to: self.request) }
            }
        }
    }

    /// Sends the ready part when the previous part is sent.
    private func pump() {
        guard let part = ready, !isSending else { return }
        ready = nil
        isSending = true
        let isLast = chunk.isAtEnd
        guard isLast || NIODeadline.now() < end else { return stream.close() }
        stream.expect(within: stream.relay.configuration.requestTimeout)
        if !hasBegun {
            hasBegun = true
            stream.begin(response, to: request)
        }
        stream.write(part, isLast: isLast) {
            self.isSending = false
            self.pump()
        }
        stream.flush()
        if isLast {
            stream.relay.counters.downloads.count()
            stream.relay.counters.bytesDownloaded.count(Int(size))
        } else {
            read()
        }
    }
}
