import NIOCore
import XFTP

/// An upload in progress. It collects received bytes into parts, which are written one after the other. While a part is
/// written and the next part is complete, the relay does not read from the client.
final class IncomingChunk {
    private enum Phase {
        /// The upload waits for a slot.
        case waiting
        case receiving
        /// The contents are being moved to their final place.
        case finishing
        case done
    }

    private let stream: RequestStream
    private let commandFile: FileStore.CommandFile
    private let request: FileClientSession.Request
    private let chunk: ChunkUpload
    private var phase = Phase.waiting
    private var part = ByteBuffer()
    private var isWriting = false
    private var isPaused = false
    private var hasEnded = false
    private var receivedCount = 0

    /// Number of bytes that are written in one step.
    private static let partSize = 128 << 10

    /// Starts an upload. The caller has reserved the space.
    init(_ stream: RequestStream, _ found: FileStore.CommandFile, _ request: FileClientSession.Request) {
        self.stream = stream
        self.commandFile = found
        self.request = request
        chunk = ChunkUpload(found.id, found.file, in: stream.relay.folder)
    }

    func start() {
        let eventLoop = stream.session.loop.eventLoop
        setPaused(true)
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        stream.relay.uploadSlots.take { eventLoop.execute { bound.value.didGetSlot() } }
    }

    private func didGetSlot() {
        // If the upload was abandoned while it waited for the slot, the slot is given back.
        guard case .waiting = phase else { return stream.relay.uploadSlots.giveBack() }
        phase = .receiving
        advance()
    }

    func receive(_ bytes: ByteBuffer) {
        if case .done = phase { return }
        var bytes = bytes
        receivedCount += bytes.readableBytes
        guard receivedCount <= Int(commandFile.file.size) else { return fail(.size) }
        part.writeBuffer(&bytes)
        advance()
    }

    func didEnd() {
        hasEnded = true
        advance()
    }

    private func advance() {
        guard case .receiving = phase else { return }
        if !isWriting {
            if part.readableBytes >= Self.partSize || (hasEnded && part.readableBytes > 0) {
                write()
            } else if hasEnded {
                return finish()
            }
        }
        setPaused(isWriting && part.readableBytes >= Self.partSize)
    }

    private func setPaused(_ isPaused: Bool) {
        guard isPaused != self.isPaused else { return }
        self.isPaused = isPaused
        stream.setReading(!isPaused)
    }

    private func write() {
        let (chunk, next) = (chunk, part)
        part = ByteBuffer()
        isWriting = true
        stream.runOnDisk({ () throws(XFTPServerError) in try chunk.write(next) }) { result in
            self.isWriting = false
            // The upload was abandoned meanwhile.
            if case .done = self.phase { return self.discard() }
            switch result {
            case .success: self.advance()
            case .failure(let error): self.fail(error)
            }
        }
    }

    private func finish() {
        phase = .finishing
        let (chunk, store, folder, id) = (chunk, stream.relay.store, stream.relay.folder, commandFile.id)
        isWriting = true
        stream.runOnDisk({ () throws(XFTPServerError) -> UInt64 in
            try chunk.finish()
            do throws(XFTPServerError) { return try store.recordUploaded(id) } catch {
                // The file was deleted or blocked meanwhile, or the log refuses the record.
                folder.remove(id)
                throw error
            }
        }) { result in
            self.isWriting = false
            switch result {
            case .success(let number):
                let counters = self.stream.relay.counters
                counters.filesUploaded.increment()
                counters.bytesUploaded.increment(Int(self.commandFile.file.size))
                self.returnSlotAndSpace()
                self.stream.answer(.ok, to: self.request, after: number)
            case .failure(let error):
                self.phase = .receiving
                self.fail(error)
            }
        }
    }

    /// Answers with an error. The written part is removed when the last write has ended.
    func fail(_ error: XFTPServerError) {
        switch phase {
        case .waiting, .receiving: abandon()
        case .finishing, .done: return
        }
        stream.answer(.err(error), to: request)
    }

    /// Abandons the upload, because the client has disconnected or failed.
    func abandon() {
        switch phase {
        // An upload whose last write has begun is not undone: a client that connects again finds the file complete.
        case .finishing, .done: return
        case .waiting, .receiving: stream.relay.counters.uploadsFailed.increment()
        }
        returnSlotAndSpace()
        if !isWriting { discard() }
    }

    /// Returns the slot and the reserved space.
    private func returnSlotAndSpace() {
        if case .waiting = phase {} else { stream.relay.uploadSlots.giveBack() }
        phase = .done
        part = ByteBuffer()
        stream.relay.store.releaseSpace(commandFile.file.size)
        // The remaining bytes of the request are read and ignored.
        setPaused(false)
    }

    private func discard() {
        let chunk = chunk
        stream.relay.diskThreads.submit { _ in chunk.discard() }
    }
}
