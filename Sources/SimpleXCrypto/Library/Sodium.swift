import CSodium

/// libsodium chooses its fastest implementations in `sodium_init`, which has to run once before the first call.
enum Sodium {
    private static let initialized: Bool = sodium_init() >= 0

    static func prepare() {
        _ = initialized
    }
}
