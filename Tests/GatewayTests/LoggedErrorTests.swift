import Concurrency
import Files
import Glibc
import TestSupport
import Testing

@testable import ChatCore

@Suite struct LoggedErrorTests {
    @Test
    func `A log entry about a failed write contains the reason without the file name`() async throws {
        let recorder = LogRecorder()
        let worker = Task {
            let (signal, logger) = (WakeSignal(), recorder.makeLogger())
            await signal.run(logger, after: .zero, whenFailed: "files not handed over to the agent") {
                throw FileSystemError(.write, "/data/files/aubergine.txt", code: ENOSPC)
            }
        }
        while recorder.lines.isEmpty { await Task.yield() }
        worker.cancel()
        await worker.value
        let line = try #require(recorder.lines.first)
        #expect(
            line.message == "files not handed over to the agent"
                && line.fields == ["error": "write: No space left on device"]
        )
    }
}
