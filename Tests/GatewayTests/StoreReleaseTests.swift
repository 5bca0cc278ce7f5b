import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Memory of a locked store", .socketTimeLimit)
struct StoreReleaseTests {
    /// Contains a weak reference. The type is safe to share, since the object is, and reading a weak reference is
    /// atomic.
    private final class WeakReference: @unchecked Sendable {
        weak var value: (any AnyObject & Sendable)?
        init(_ value: any AnyObject & Sendable) { self.value = value }
    }

    private func weakParts(_ opened: OpenedStore) -> [WeakReference] {
        [
            WeakReference(opened.core), WeakReference(opened.services.eventHub),
            WeakReference(opened.services.modelHost),
            WeakReference(opened.services.readCache),
        ] + [opened.core.share].compactMap(\.self).map(WeakReference.init)
    }

    private func isErased(_ keyring: StoreKeyring) -> Bool {
        switch keyring.currentKey {
        case .sealed(let key): key.withSQLCipherForm { form in form.allSatisfy { $0 == 0 } }
        default: true
        }
    }

    @Test
    func `When a store is locked, its key in memory is overwritten, and its core, events and answers are released`()
        async throws
    {
        try await RealGateway.run { gateway in
            let store = try await gateway.makeStore("Bob")
            _ = try await store.http.createUser("bob")
            _ = try await store.http.call("GET", "/v1/users/1/model")
            let keyring = try #require(gateway.server.stores?.findStore(store.id)?.openedStore?.keyring)
            let parts = try #require(gateway.server.stores?.findStore(store.id)?.openedStore.map(weakParts))
            #expect(!isErased(keyring))
            #expect(parts.count == 5)
            let answer = try await gateway.connectClient().post("/v1/stores/\(store.id)/lock", [:])
            #expect(answer.status == 200)
            #expect(isErased(keyring))
            try await waitUntil("all parts are released: \(parts.map { $0.value == nil })") {
                parts.allSatisfy { $0.value == nil }
            }
        }
    }
}
