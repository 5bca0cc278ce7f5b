/// A file of the data folder that grows while it is copied, such as the log of a relay.
package struct GrowingFile: Sendable {
    package let path: String
    /// Records the present end of the file, and returns a function that writes the contents up to that end to a new
    /// file.
    package let takeSnapshot: @Sendable () async throws -> @Sendable (_ target: String) throws -> Void

    package init(
        path: String,
        snapshot: @escaping @Sendable () async throws -> @Sendable (_ target: String) throws -> Void
    ) {
        self.path = path
        self.takeSnapshot = snapshot
    }
}
