/// Names that can be typed in the console: no leading `#` or `@`, no quotes, no control characters, no runs of spaces or of more than
/// three punctuation marks, 50 characters at most.
enum DisplayName {
    static let maximumLength = 50

    /// The name that is left of `name` when all that may not be in it is taken out; may be empty.
    static func valid(_ name: String) -> String {
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        var punctuation = 0
        for scalar in name.unicodeScalars where result.count < maximumLength {
            guard isAllowed(scalar, after: previous, punctuation: punctuation) else { continue }
            let kept: Unicode.Scalar = scalar.isSpace ? " " : scalar
            if scalar.isPunctuation { punctuation += 1 } else if !scalar.isSpace { punctuation = 0 }
            result.append(kept)
            previous = kept
        }
        while result.last == " " { result.removeLast() }
        return String(result)
    }

    /// The name to show for a peer, whose own name may have nothing in it that can be shown.
    static func ofPeer(_ name: String) -> String {
        let valid = valid(name)
        return valid.isEmpty ? "unnamed" : valid
    }

    static func isValid(_ name: String) -> Bool {
        !name.isEmpty && Array(valid(name).utf8) == Array(name.utf8)
    }

    private static func isAllowed(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar?, punctuation: Int) -> Bool {
        if scalar == "'" { return false }
        let opens = scalar.isLetterNumberOrSymbol
        guard let previous else { return scalar != "#" && scalar != "@" && scalar.value > 32 && opens }
        if previous.isSpace { return opens || (punctuation == 0 && scalar.isPunctuation) }
        if previous.isPunctuation { return opens || scalar.isSpace || (punctuation < 3 && scalar.isPunctuation) }
        return opens || scalar.isSpace || scalar.isMark || scalar.isPunctuation
    }
}

extension Unicode.Scalar {
    fileprivate var isSpace: Bool {
        (9...13).contains(value) || properties.generalCategory == .spaceSeparator
    }

    fileprivate var isPunctuation: Bool {
        switch properties.generalCategory {
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation,
            .otherPunctuation: true
        default: false
        }
    }

    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    fileprivate var isLetterNumberOrSymbol: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .letterNumber,
            .otherNumber, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol: true
        default: false
        }
    }
}
