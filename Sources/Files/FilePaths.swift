import Glibc

/// Functions that convert and check paths.
package enum FilePaths {
    /// Returns the path of the folder that contains a file; `.` for a name without a folder.
    package static func parentFolder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns an absolute path without empty parts and `.`, and without `..` if the name before it can be resolved. A
    /// relative path begins in the working folder of the process.
    package static func absolutePath(_ path: String) -> String {
        var parts = path.split(separator: "/").filter { $0 != "." }
        var start = ""
        if !path.hasPrefix("/") {
            guard let here = getcwd(nil, 0) else { return path }
            defer { free(here) }
            start = String(cString: here)
        }
        func joined(_ parts: some Sequence<Substring>) -> String {
            parts.reduce(start == "/" ? "" : start) { "\($0)/\($1)" }
        }
        // The name before `..` may be a symbolic link whose target has another parent, so the system resolves the
        // name.
        if let last = parts.lastIndex(of: ".."), let above = realPath(joined(parts[...last])) {
            parts.removeSubrange(...last)
            start = above
        }
        let whole = joined(parts)
        return whole.isEmpty ? "/" : whole
    }

    /// Returns the absolute path without symbolic links. For an existing file, the system resolves the path. Otherwise
    /// the deepest existing folder is resolved, and the other parts are added.
    ///
    /// Returns nil for a relative path, and for a path with empty parts, `.`, `..`, NUL or a dangling link. Also
    /// returns nil for a path that the system cannot resolve.
    package static func canonicalPath(_ path: String) -> String? {
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

    /// Returns the path, without symbolic links, of an existing file or folder; nil when it does not exist.
    package static func realPath(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// Returns a name for error messages, with `\xHH` for bytes that are not printable ASCII.
    static func escapedName(_ name: [UInt8]) -> String {
        name.reduce(into: "") { text, byte in
            if (0x20..<0x7F).contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
    }

    /// Returns whether a text is the name of a file without a folder.
    package static func isName(_ text: String) -> Bool {
        !["", ".", ".."].contains(text) && !text.contains("/") && !text.contains("\0")
    }

    /// Returns whether a canonical path is in `folder`, or in a folder below it. Returns false for the folder itself.
    package static func isBelow(_ path: String, _ folder: String) -> Bool {
        folder == "/" ? path != "/" : path.hasPrefix(folder + "/")
    }
}
