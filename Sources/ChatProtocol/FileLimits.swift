/// Limits of files in messages.
package enum FileLimits {
    /// Maximum size of a file that is sent with a message, in bytes.
    package static let maxFileBytes: Int64 = 1 << 30
}
