import Synchronization
import TestSupport
import Testing

@testable import ChatCore

@Suite("Takeover of an unfinished upload by a new request") struct UploadsUnderwayTests {
    @Test
    func `A new request for an unfinished upload ends the earlier request, and takes over the upload`() async throws {
        let uploads = UploadsUnderway()
        let ended = Mutex(0)
        #expect(
            uploads.reserveUpload(
                "a",
                interrupt: {
                    ended.withLock { $0 += 1 }
                    uploads.releaseUpload("a", nil)
                }
            ).isFree
        )
        #expect(await uploads.takeOverUpload("a", interrupt: nil).isFree)
        #expect(ended.withLock { $0 } == 1)
        #expect(uploads.knownUploadIds == ["a"])
    }

    @Test
    func `If the earlier request for an upload cannot be ended in time, this request keeps the upload until it ends`()
        async throws
    {
        let uploads = UploadsUnderway(takeOverTimeout: .milliseconds(20))
        let asked = Mutex(0)
        #expect(uploads.reserveUpload("a", interrupt: { asked.withLock { $0 += 1 } }).isFree)
        #expect(await !uploads.takeOverUpload("a", interrupt: nil).isFree)
        #expect(asked.withLock { $0 } > 0)
        #expect(await uploads.takeOverUpload("b", interrupt: nil).isFree)
        uploads.releaseUpload("a", nil)
        #expect(await uploads.takeOverUpload("a", interrupt: nil).isFree)
    }

    @Test
    func `Several concurrent requests for one upload take over the upload one after the other`() async throws {
        let uploads = UploadsUnderway(takeOverTimeout: .seconds(3_600))
        #expect(uploads.reserveUpload("a").isFree)
        try await withThrowingTaskGroup(of: Bool.self) { tasks in
            for _ in 0..<20 {
                tasks.addTask {
                    let taken = await uploads.takeOverUpload("a", interrupt: nil).isFree
                    if taken { uploads.releaseUpload("a", nil) }
                    return taken
                }
            }
            uploads.releaseUpload("a", nil)
            for try await taken in tasks { #expect(taken) }
        }
        #expect(uploads.knownUploadIds.isEmpty)
    }
}
