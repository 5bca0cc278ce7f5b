import Testing

@testable import ChatCore

@Suite("Verified files") struct VerifiedFilesTests {
    @Test
    func `A file is verified again after a change of its version`() {
        let files = VerifiedFiles()
        #expect(!files.contains(1, "a"))
        files.insert(1, "a")
        #expect(files.contains(1, "a"))
        #expect(!files.contains(1, "b") && !files.contains(2, "a"))
    }

    @Test
    func `The number of recorded verified files has a limit`() {
        let files = VerifiedFiles()
        for file in 0...1_000 as ClosedRange<Int64> { files.insert(file, "a") }
        #expect((0...1_000).count { files.contains($0, "a") } <= 1_000)
        #expect(files.contains(1_000, "a"))
    }
}
