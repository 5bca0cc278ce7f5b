internal import Agent

/// Rules for names of files. Names from peers are made safe, so that they never lead to another folder.
package enum FileName {
    /// The maximum length of a name in bytes. It is less than the limit of file systems, because a number may be added
    /// to make names different.
    private static let maxBytes = 240

    /// The beginning of the temporary names of files that are fetched from the object storage.
    package static let fetchedFilePrefix = ".returning-"

    /// Names that mean devices on some operating systems. A file must not have such a name, because its recipient may
    /// use one of these systems.
    private static let reservedNames: Set<String> = Set(
        ["con", "prn", "aux", "nul"] + (1...9).flatMap { ["com\($0)", "lpt\($0)"] }
    )

    /// Returns the safe name of an offered file: the last part of the sent path. Characters that have a special meaning
    /// for file systems or terminals are replaced.
    package static func safeName(_ name: String) -> String {
        let last = name.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        var cleaned = String.UnicodeScalarView()
        for scalar in last.unicodeScalars {
            switch scalar {
            case "\\", ":", "*", "?", "\"", "<", ">", "|": cleaned.append("_")
            default: cleaned.append(isHiddenScalar(scalar) ? "_" : scalar)
            }
        }
        let text = shortenName(String(cleaned))
        // A name that consists of dots and spaces means a folder, or is empty. It is replaced by `_`.
        guard text.unicodeScalars.contains(where: { $0 != "." && $0 != " " }) else { return "_" }
        let stem = text.prefix { $0 != "." }.lowercased()
        return reservedNames.contains(stem) || text.hasPrefix("~") || text.hasPrefix(" ") || isTemporaryName(text)
            ? "_" + text : text
    }

    /// Returns whether a name is one that the program gives to incomplete files. The program deletes files with such
    /// names.
    package static func isTemporaryName(_ name: String) -> Bool {
        Agent.isPartialFileName(name) || name.hasPrefix(fetchedFilePrefix)
    }

    /// Returns whether the scalar is a control, format or separator character. Some of these characters change the
    /// direction of a text.
    private static func isHiddenScalar(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }

    /// Shortens the name of a file to ``maxBytes`` bytes. An extension of at most 20 bytes is kept.
    private static func shortenName(_ name: String) -> String {
        guard name.utf8.count > maxBytes else { return name }
        let ending = name.lastIndex(of: ".").map { String(name[$0...]) } ?? ""
        let kept = ending.utf8.count <= 20 ? ending : ""
        var stem = ""
        for character in name {
            guard stem.utf8.count + String(character).utf8.count + kept.utf8.count <= maxBytes else { break }
            stem.append(character)
        }
        return stem + kept
    }

    /// Returns the name of a sent file, without its folder.
    package static func lastComponent(of path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? path
    }
}
