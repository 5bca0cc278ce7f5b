import Glibc

/// Forms of paths.
public enum FilePaths {
    /// The folder that a path is in: `.` for a name alone.
    public static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// A path from the root, without empty parts and `.`, and without `..` where that leads somewhere; one that is not from the root is from the folder
    /// in which the process runs.
    public static func absolute(_ path: String) -> String {
        var parts = path.split(separator: "/").filter { $0 != "." }
        var start = ""
        if !path.hasPrefix("/") {
            guard let here = getcwd(nil, 0) else { return path }
            defer { free(here) }
            start = String(cString: here)
        }
        func joined(_ parts: some Sequence<Substring>) -> String { parts.reduce(start == "/" ? "" : start) { "\($0)/\($1)" } }
        // What is before a link's `..` is not its parent, so the system has to say where it leads.
        if let last = parts.lastIndex(of: ".."), let above = real(joined(parts[...last])) {
            parts.removeSubrange(...last)
            start = above
        }
        let whole = joined(parts)
        return whole.isEmpty ? "/" : whole
    }

    /// An absolute path without links: for an existing file as the system resolves it; otherwise that of the deepest existing folder, and the
    /// rest.
    ///
    /// Nil for a path with empty parts, `.`, `..` or NUL, for one through a dangling link, and if the system cannot resolve it.
    public static func canonical(_ path: String) -> String? {
        guard path.hasPrefix("/"), !path.contains("\0") else { return nil }
        var existing = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard existing.allSatisfy({ !["", ".", ".."].contains($0) }) else { return nil }
        var missing = ""
        while true {
            let whole = "/" + existing.joined(separator: "/")
            if let found = realpath(whole, nil) {
                defer { free(found) }
                let real = String(cString: found)
                return missing.isEmpty ? real : (real == "/" ? "" : real) + missing
            }
            var status = stat()
            guard errno == ENOENT, lstat(whole, &status) != 0, let last = existing.popLast() else { return nil }
            missing = "/" + last + missing
        }
    }

    /// The path of a file or folder that exists, without links, however it is written; nil when there is none.
    public static func real(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// A name for messages that may be no text: what is not printable ASCII is `\xHH`.
    static func escaped(_ name: [UInt8]) -> String {
        name.reduce(into: "") { text, byte in
            if (0x20..<0x7F).contains(byte) { text.unicodeScalars.append(Unicode.Scalar(byte)) } else { text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        }
    }

    /// Whether a text names a file in a folder, and nothing else.
    public static func isName(_ text: String) -> Bool { !["", ".", ".."].contains(text) && !text.contains("/") && !text.contains("\0") }

    /// Whether a canonical path is in a folder, or in one below it. The folder itself is not.
    public static func isBelow(_ path: String, _ folder: String) -> Bool {
        folder == "/" ? path != "/" : path.hasPrefix(folder + "/")
    }
}
