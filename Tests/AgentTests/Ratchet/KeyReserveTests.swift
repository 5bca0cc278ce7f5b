import SimpleXCrypto
import Testing

@testable import Agent

@Suite struct KeyReserveTests {
    @Test
    func `A reserve of prepared keys gives each key only once, even to concurrent callers`() async throws {
        let reserve = KeyReserve(capacity: 3) { () throws(CryptoError) in try X448.PrivateKey() }
        let taken = try await withThrowingTaskGroup(of: X448.PrivateKey.self) { tasks in
            for _ in 0..<200 { tasks.addTask { try reserve.takeKey() } }
            return try await tasks.reduce(into: Set<X448.PrivateKey>()) { $0.insert($1) }
        }
        #expect(taken.count == 200)
    }

    @Test
    func `If a reserve of prepared keys cannot generate a key, its caller gets the error`() throws {
        let reserve = KeyReserve<X448.PrivateKey>(capacity: 4) { () throws(CryptoError) in throw .invalidKey }
        for _ in 0..<3 { #expect(throws: CryptoError.self) { try reserve.takeKey() } }
    }
}
