import Synchronization
import Testing

@testable import ChatCore

@Suite("End of reads of archives and copies") struct ForeignReadsTests {
    /// The names of the reads whose end function was called.
    private final class EndedReads: Sendable {
        private let names = Mutex<[String]>([])

        var sortedNames: [String] { names.withLock { $0.sorted() } }

        func makeRead(_ name: String, in reads: ForeignReads) -> ForeignRead {
            let read = ForeignRead(in: reads)
            read.setEndFunction { [self] in names.withLock { $0.append(name) } }
            return read
        }
    }

    @Test
    func `All simultaneous reads of archives are ended, except reads that have finished`() {
        let (reads, ended) = (ForeignReads(), EndedReads())
        let all = ["a", "b", "c"].map { ended.makeRead($0, in: reads) }
        all[1].finish()
        #expect(ended.sortedNames.isEmpty)
        reads.endReads()
        #expect(ended.sortedNames == ["a", "c"])
        withExtendedLifetime(all) {}
    }

    @Test
    func `A read of an archive that begins after the end of all reads is ended immediately`() {
        let (reads, ended) = (ForeignReads(), EndedReads())
        reads.endReads()
        ended.makeRead("a", in: reads).finish()
        #expect(ended.sortedNames == ["a"])
        reads.allowReads()
        ended.makeRead("b", in: reads).finish()
        #expect(ended.sortedNames == ["a"])
    }
}
