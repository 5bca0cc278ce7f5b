package import ChatAPI

/// The version of an app, as numbers separated by dots. Two apps compare their versions to decide whether they are
/// compatible.
package struct AppVersion: Comparable, Hashable, Sendable {
    private let numbers: [Int]

    /// Parses a version; nil for a text in another form. A suffix after a dash is ignored.
    init?(_ text: String) {
        let numbers = text.prefix { $0 != "-" }.split(separator: ".", omittingEmptySubsequences: false).map { part in
            part.utf8.count <= 9 && part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) : nil
        }
        guard numbers.count <= 8, !numbers.contains(nil) else { return nil }
        self.numbers = numbers.compactMap(\.self)
    }

    package static func < (one: AppVersion, other: AppVersion) -> Bool {
        one.numbers.lexicographicallyPrecedes(other.numbers)
    }

    /// The version of the core whose interface this program implements.
    package static let currentText = "7.0.0.6"
    /// The versions of apps whose commands and answers this program understands. The original core of version
    /// ``currentText`` states the same range. Older apps cannot read the answers of this program.
    package static let supportedRange = AppVersionRange(minVersion: "6.5.0.12", maxVersion: currentText)
}

extension AppVersionRange {
    /// Returns the greatest version in both ranges; nil if the ranges do not overlap.
    package func commonVersion(with other: AppVersionRange) -> String? {
        guard let low = AppVersion(minVersion), let high = AppVersion(maxVersion),
            let otherLow = AppVersion(other.minVersion),
            let otherHigh = AppVersion(other.maxVersion), low <= otherHigh, otherLow <= high
        else { return nil }
        return high < otherHigh ? maxVersion : other.maxVersion
    }

    package func contains(_ version: String) -> Bool {
        guard let low = AppVersion(minVersion), let high = AppVersion(maxVersion), let version = AppVersion(version)
        else { return false }
        return low <= version && version <= high
    }
}
