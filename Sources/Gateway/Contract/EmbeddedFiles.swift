internal import CEmbedded

/// The files that are embedded in the program.
enum EmbeddedFiles {
    /// Returns the files of a list, by name.
    static func readFiles(_ list: (UnsafeMutablePointer<Int>) -> UnsafePointer<sxgw_file>?) -> [String: [UInt8]] {
        var count = 0
        let files = UnsafeBufferPointer(start: list(&count), count: count)
        return Dictionary(
            files.map { (String(cString: $0.name), Array(UnsafeBufferPointer(start: $0.bytes, count: $0.size))) }
        ) { first, _ in first }
    }
}
