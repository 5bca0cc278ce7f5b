import SimpleXCrypto
import Testing

@testable import Agent

@Suite struct KeyReserveTests {
    @Test("Keys made ahead are given once each, to however many ask at the same time")
    func onceEach() async throws {
        let reserve = KeyReserve(capacity: 3) { () throws(CryptoError) in try X448.PrivateKey() }
        let taken = try await withThrowingTaskGroup(of: X448.PrivateKey.self) { tasks in
            for _ in 0..<200 { tasks.addTask { try reserve.take() } }
            return try await tasks.reduce(into: Set<X448.PrivateKey>()) { $0.insert($1) }
        }
        #expect(taken.count == 200)
    }

    @Test("Who needs a key that cannot be made is told why")
    func failure() throws {
        let reserve = KeyReserve<X448.PrivateKey>(capacity: 4) { () throws(CryptoError) in throw .invalidKey }
        for _ in 0..<3 { #expect(throws: CryptoError.self) { try reserve.take() } }
    }
}
