import COpenSSL

/// The queue of OpenSSL's errors on the current thread.
enum OpenSSLError {
    /// Returns the newest error, and empties the queue, so that a later operation on this thread does not report an old
    /// error.
    static func takeNewestError() -> String {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        guard code != 0 else { return "unknown" }
        var text = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(code, &text, text.count)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
