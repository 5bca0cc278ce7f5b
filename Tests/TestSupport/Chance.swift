import Glibc
import Synchronization

extension SeededRandom {
    /// The seed of this run of the tests: what `SXGW_TEST_SEED` says, or one drawn by lot. It is printed when it is
    /// first used, so that a run that failed can be repeated, also one that ended in a trap.
    public static let seedOfRun: UInt64 = {
        let given = getenv("SXGW_TEST_SEED").flatMap { UInt64(String(cString: $0)) }
        let seed = given ?? .random(in: .min ... .max)
        print("The random numbers of the tests can be repeated with SXGW_TEST_SEED=\(seed)")
        fflush(nil)
        return seed
    }()

    /// The numbers of one test: other ones in each run, the same for the same seed of the run, whichever tests run
    /// beside it.
    /// - Parameter part: tells the arguments of a test apart.
    public init(of test: String = #function, in file: String = #fileID, part: Int = 0) {
        // FNV-1a, as the hashes of the standard library are other ones in each process.
        let hash = "\(file) \(test) \(part)".utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x0100_0000_01b3
        }
        self.init(seed: hash ^ Self.seedOfRun)
    }

    /// A letter, digit or sign for each of `count`: text that cannot be compressed much.
    public mutating func text(_ count: Int) -> String {
        String(decoding: (0..<count).map { _ in UInt8.random(in: 35..<90, using: &self) }, as: UTF8.self)
    }
}

/// Random numbers that the tasks of a test share. The seed repeats them as far as the order is the same in which the
/// tasks ask.
public final class Chance: Sendable {
    private let random: Mutex<SeededRandom>

    public init(of test: String = #function, in file: String = #fileID) {
        random = Mutex(SeededRandom(of: test, in: file))
    }

    public func below(_ limit: Int) -> Int { random.withLock { Int.random(in: 0..<limit, using: &$0) } }

    /// Waits for a time drawn by lot, in microseconds: the moment at which a test then breaks something.
    public func moment(in range: Range<Int>) async throws {
        try await Task.sleep(for: .microseconds(random.withLock { Int.random(in: range, using: &$0) }))
    }
}
