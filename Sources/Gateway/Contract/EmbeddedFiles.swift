internal import CEmbedded

/// The files that are embedded in the program.
enum EmbeddedFiles {
    /// Returns the contents of embedded files, by the names of the files.
    /// - Parameter list: a C function that returns an array of files, and sets their number.
    static func readFiles(_ list: (UnsafeMutablePointer<Int>) -> UnsafePointer<sxgw_file>?) -> [String: [UInt8]] {
        var count = 0
        let files = UnsafeBufferPointer(start: list(&count), count: count)
        return Dictionary(
            files.map { (String(cString: $0.name), Array(UnsafeBufferPointer(start: $0.bytes, count: $0.size))) }
        ) { first, _ in first }
    }
}
