import NIOCore
import XFTP

/// An upload in progress. It collects received bytes into parts, and writes one part at a time. If the next part is
/// complete before the current part is written, the relay stops reading from the client until the write has ended.
final class IncomingChunk {
    private enum Phase {
        /// The upload waits for one of the slots that limit concurrent uploads.
        case waitingForSlot
        case receiving
        /// The complete upload is being checked and moved to the folder of complete files.
        case finishing
        case ended
    }

    private let stream: RequestStream
    private let commandFile: FileStore.CommandFile
    private let request: FileClientSession.Request
    private let chunkUpload: ChunkUpload
    private var phase = Phase.waitingForSlot
    private var pendingPart = ByteBuffer()
    private var isWritingPart = false
    private var isReadingPaused = false
    private var hasReceivedAllBytes = false
    private var receivedByteCount = 0

    /// Number of bytes that are written to the disk in one step.
    private static let partBytes = 128 << 10

    /// Makes an upload that has no slot yet. The caller has reserved the space for it.
    init(_ stream: RequestStream, _ found: FileStore.CommandFile, _ request: FileClientSession.Request) {
        self.stream = stream
        self.commandFile = found
        self.request = request
        chunkUpload = ChunkUpload(found.id, found.file, in: stream.relay.chunkFolder)
    }

    func requestSlot() {
        let eventLoop = stream.session.loop.eventLoop
        setReadingPaused(true)
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        stream.relay.uploadSlots.takeSlot { eventLoop.execute { bound.value.didGetSlot() } }
    }

    private func didGetSlot() {
        // If the upload was abandoned while it waited for the slot, this function gives the slot back.
        guard case .waitingForSlot = phase else { return stream.relay.uploadSlots.returnSlot() }
        phase = .receiving
        writeOrFinish()
    }

    func receiveBytes(_ bytes: ByteBuffer) {
        if case .ended = phase { return }
        var bytes = bytes
        receivedByteCount += bytes.readableBytes
        guard receivedByteCount <= Int(commandFile.file.byteCount) else { return failUpload(.size) }
        pendingPart.writeBuffer(&bytes)
        writeOrFinish()
    }

    func didReceiveAllBytes() {
        hasReceivedAllBytes = true
        writeOrFinish()
    }

    private func writeOrFinish() {
        guard case .receiving = phase else { return }
        if !isWritingPart {
            if pendingPart.readableBytes >= Self.partBytes || (hasReceivedAllBytes && pendingPart.readableBytes > 0) {
                writePart()
            } else if hasReceivedAllBytes {
                return finishUpload()
            }
        }
        setReadingPaused(isWritingPart && pendingPart.readableBytes >= Self.partBytes)
    }

    private func setReadingPaused(_ isReadingPaused: Bool) {
        guard isReadingPaused != self.isReadingPaused else { return }
        self.isReadingPaused = isReadingPaused
        stream.setReading(!isReadingPaused)
    }

    private func writePart() {
        let (chunk, next) = (chunkUpload, pendingPart)
        pendingPart = ByteBuffer()
        isWritingPart = true
        stream.runOnDiskThread({ () throws(XFTPServerError) in try chunk.writePart(next) }) { result in
            self.isWritingPart = false
            // If the upload was abandoned during this write, its written parts are removed.
            if case .ended = self.phase { return self.discardParts() }
            switch result {
            case .success: self.writeOrFinish()
            case .failure(let error): self.failUpload(error)
            }
        }
    }

    private func finishUpload() {
        phase = .finishing
        let (chunk, store, folder, id) = (chunkUpload, stream.relay.store, stream.relay.chunkFolder, commandFile.id)
        isWritingPart = true
        stream.runOnDiskThread({ () throws(XFTPServerError) -> UInt64 in
            try chunk.checkAndStore()
            do throws(XFTPServerError) { return try store.recordUploadedFile(id) } catch {
                // The file was deleted or blocked during the upload, or the log has refused the record. So the contents
                // are removed.
                folder.removeContents(id)
                throw error
            }
        }) { result in
            self.isWritingPart = false
            switch result {
            case .success(let number):
                let counters = self.stream.relay.counters
                counters.filesUploaded.increment()
                counters.bytesUploaded.increment(Int(self.commandFile.file.byteCount))
                self.returnSlotAndSpace()
                self.stream.answerAfterCommit(.ok, to: self.request, after: number)
            case .failure(let error):
                self.phase = .receiving
                self.failUpload(error)
            }
        }
    }

    /// Ends the upload with an error, which is sent to the client. The written parts are removed when the last write
    /// has ended.
    func failUpload(_ error: XFTPServerError) {
        switch phase {
        case .waitingForSlot, .receiving: abandonUpload()
        case .finishing, .ended: return
        }
        stream.answerAfterCommit(.err(error), to: request)
    }

    /// Abandons the upload, because the client has disconnected or the upload has failed.
    func abandonUpload() {
        switch phase {
        // An upload whose last write has begun is not undone. A client that connects again finds the file complete.
        case .finishing, .ended: return
        case .waitingForSlot, .receiving: stream.relay.counters.uploadsFailed.increment()
        }
        returnSlotAndSpace()
        if !isWritingPart { discardParts() }
    }

    /// Gives the upload's slot and its reserved space back, and ends the upload.
    private func returnSlotAndSpace() {
        if case .waitingForSlot = phase {} else { stream.relay.uploadSlots.returnSlot() }
        phase = .ended
        pendingPart = ByteBuffer()
        stream.relay.store.releaseSpace(commandFile.file.byteCount)
        // The remaining bytes of the request are read and ignored.
        setReadingPaused(false)
    }

    private func discardParts() {
        let chunk = chunkUpload
        stream.relay.diskThreads.submit { _ in chunk.discardParts() }
    }
}
