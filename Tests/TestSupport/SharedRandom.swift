import Glibc
import Synchronization

extension SeededRandom {
    /// The seed of this run of the tests: the value of `SXGW_TEST_SEED`, otherwise a random one. The seed is printed
    /// when it is first used, so that a failed run can be repeated, also after a crash.
    package static let seedOfRun: UInt64 = {
        let given = getenv("SXGW_TEST_SEED").flatMap { UInt64(String(cString: $0)) }
        let seed = given ?? .random(in: .min ... .max)
        print("The random numbers of the tests can be repeated with SXGW_TEST_SEED=\(seed)")
        fflush(nil)
        return seed
    }()

    /// Makes the random numbers of one test. They differ in each run, and are the same for the same seed, whichever
    /// tests run at the same time.
    /// - Parameter part: a number that distinguishes runs of the test with different arguments.
    package init(of test: String = #function, in file: String = #fileID, part: Int = 0) {
        // The hash is FNV-1a, since the hashes of the standard library differ in each process.
        let hash = "\(file) \(test) \(part)".utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x0100_0000_01b3
        }
        self.init(seed: hash ^ Self.seedOfRun)
    }

    /// Returns a text of `count` random letters, digits and signs, which cannot be compressed much.
    package mutating func randomText(_ count: Int) -> String {
        String(decoding: (0..<count).map { _ in UInt8.random(in: 35..<90, using: &self) }, as: UTF8.self)
    }
}

/// Random numbers that the tasks of a test share. The same seed gives each task the same numbers only if the tasks
/// request them in the same order.
package final class SharedRandom: Sendable {
    private let random: Mutex<SeededRandom>

    package init(of test: String = #function, in file: String = #fileID) {
        random = Mutex(SeededRandom(of: test, in: file))
    }

    package func randomNumber(_ limit: Int) -> Int { random.withLock { Int.random(in: 0..<limit, using: &$0) } }

    /// Waits for a random time in microseconds, after which a test breaks something.
    package func sleepRandomly(in range: Range<Int>) async throws {
        try await Task.sleep(for: .microseconds(random.withLock { Int.random(in: range, using: &$0) }))
    }
}
