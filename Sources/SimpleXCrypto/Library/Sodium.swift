import CSodium

/// Preparation of libsodium: `sodium_init` chooses the fastest implementations, and has to run once before the first
/// call of the library.
enum Sodium {
    private static let isInitialized: Bool = sodium_init() >= 0

    static func prepare() {
        _ = isInitialized
    }
}
