import Glibc

/// Number of connections that a test breaks before it counts the remaining objects. `SXGW_BROKEN_CONNECTIONS` sets
/// another number, for example 10000, which takes minutes.
package let brokenConnectionCount = getenv("SXGW_BROKEN_CONNECTIONS").flatMap { Int(String(cString: $0)) } ?? 500

/// Runs `body` `count` times, with at most 16 runs at the same time.
package func runRepeatedly(
    _ count: Int = brokenConnectionCount,
    _ body: @escaping @Sendable (_ number: Int) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<count {
            if number >= 16 { try await group.next() }
            group.addTask { try await body(number) }
        }
        try await group.waitForAll()
    }
}
