import NIOCore
import XFTP

/// A download in progress. The next part of the file is read while the client's channel sends the current part.
final class OutgoingChunk {
    private let stream: RequestStream
    private let chunkDownload: ChunkDownload
    private let size: UInt32
    private let request: FileClientSession.Request
    private let response: FileResponse
    private var readyPart: ByteBuffer?
    private var isReadingPart = false
    private var isSendingPart = false
    private var hasAnswerBegun = false
    private let deadline: NIODeadline

    init(
        _ stream: RequestStream,
        _ chunk: ChunkDownload,
        size: UInt32,
        _ request: FileClientSession.Request,
        answer: FileResponse
    ) {
        self.stream = stream
        self.chunkDownload = chunk
        self.size = size
        self.request = request
        response = answer
        deadline = .now() + .seconds(stream.relay.configuration.downloadTimeoutSeconds)
    }

    func startReading() { readNextPart() }

    private func readNextPart() {
        guard !isReadingPart, readyPart == nil, !chunkDownload.isAtEnd else { return }
        isReadingPart = true
        let chunk = chunkDownload
        stream.runOnDiskThread({ () throws(XFTPServerError) in try chunk.readNextPart() }) { result in
            self.isReadingPart = false
            switch result {
            case .success(let part):
                self.readyPart = part
                self.sendReadyPart()
            case .failure(let error):
                // When the answer has begun, the relay can report an error only by closing the stream.
                if self.hasAnswerBegun {
                    self.stream.closeStream()
                } else {
                    self.stream.answerAfterCommit(.err(error), to: self.request)
                }
            }
        }
    }

    /// Sends the part that was read, if no other part is being sent.
    private func sendReadyPart() {
        guard let part = readyPart, !isSendingPart else { return }
        readyPart = nil
        isSendingPart = true
        let isLast = chunkDownload.isAtEnd
        guard isLast || NIODeadline.now() < deadline else { return stream.closeStream() }
        stream.setTimeLimit(within: stream.relay.configuration.requestTimeoutSeconds)
        if !hasAnswerBegun {
            hasAnswerBegun = true
            stream.beginAnswer(response, to: request)
        }
        stream.writeAnswerBytes(part, isLast: isLast) {
            self.isSendingPart = false
            self.sendReadyPart()
        }
        stream.flush()
        if isLast {
            stream.relay.counters.downloadsCompleted.increment()
            stream.relay.counters.bytesDownloaded.increment(Int(size))
        } else {
            readNextPart()
        }
    }
}
