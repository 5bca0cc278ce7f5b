extension Collection<String> {
    /// Returns the known name that was probably meant by `name`. It is the name that needs the fewest insertions,
    /// deletions and replacements of a character, independent of upper and lower case. If several names are equally
    /// similar, the first one in the alphabet is returned.
    /// - Returns: nil when more than a third of the name would have to change, or when the name has more than 64 bytes.
    package func findNearestName(to name: String) -> String? {
        let wanted = Array(name.lowercased().utf8)
        guard wanted.count <= 64 else { return nil }
        var best: (name: String, distance: Int)?
        for known in sorted() where known.utf8.count <= 64 {
            let distance = editDistance(wanted, Array(known.lowercased().utf8))
            if distance * 3 <= Swift.max(wanted.count, known.utf8.count), distance < best?.distance ?? .max {
                best = (known, distance)
            }
        }
        return best?.name
    }
}

/// Computes the Levenshtein distance of two texts with one row of its table.
private func editDistance(_ first: [UInt8], _ second: [UInt8]) -> Int {
    var row = Array(0...second.count)
    for (index, byte) in first.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for (column, other) in second.enumerated() {
            let replaced = diagonal + (byte == other ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
        }
    }
    return row[second.count]
}
