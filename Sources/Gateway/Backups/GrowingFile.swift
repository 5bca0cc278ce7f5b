/// A file of the data folder that grows while it is copied, such as the log of a relay.
public struct GrowingFile: Sendable {
    public let path: String
    /// Notes what the file has now, and returns a function that writes just that to a new file.
    public let cut: @Sendable () async throws -> @Sendable (_ target: String) throws -> Void

    public init(path: String, cut: @escaping @Sendable () async throws -> @Sendable (_ target: String) throws -> Void) {
        self.path = path
        self.cut = cut
    }
}
