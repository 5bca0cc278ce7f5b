/// A path in a database. Only ``StoreFile`` opens it.
package struct StoredPath: Hashable, Sendable {
    /// The name of a file in the store's folder for files, a path below this folder, or an absolute path.
    package let text: String
    /// Proof that a caller with the right to use any path has named this path. Nil for a path in the store's folders,
    /// which needs no proof.
    package let seal: [UInt8]?

    package init(_ text: String, seal: [UInt8]? = nil) {
        self.text = text
        self.seal = seal
    }
}
