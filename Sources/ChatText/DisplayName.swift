/// Rules for display names. With these rules, people can type a name in the terminal, and can distinguish names. A
/// user's own name contains none of ``.,;/\#@'"`~``, no control characters, and no consecutive spaces or punctuation
/// marks. It begins with a letter, a digit or a pictograph, and has at most 50 characters.
package enum DisplayName {
    static let maximumLength = 50

    /// The rule that determines which characters a name may contain.
    private struct Rule {
        var prohibitedScalars: Set<Unicode.Scalar>
        /// Whether the Unicode scalar may be the first scalar of a name.
        var canBeginName: (Unicode.Scalar) -> Bool
        /// Whether the Unicode scalar may be the first scalar of a word in a name.
        var canBeginWord: (Unicode.Scalar) -> Bool
        var isPunctuation: (Unicode.Scalar) -> Bool
        /// The maximum number of consecutive punctuation marks.
        var maxPunctuationRun: Int

        func allows(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar?, punctuation: Int) -> Bool {
            if prohibitedScalars.contains(scalar) { return false }
            guard let previous else { return canBeginName(scalar) }
            if previous.isSpace { return canBeginWord(scalar) || (punctuation == 0 && isPunctuation(scalar)) }
            if isPunctuation(previous) {
                return canBeginWord(scalar) || scalar.isSpace
                    || (punctuation < maxPunctuationRun && isPunctuation(scalar))
            }
            return canBeginWord(scalar) || scalar.isSpace || scalar.isMark || isPunctuation(scalar)
        }
    }

    private static func makeOwnNameRule() -> Rule {
        Rule(
            prohibitedScalars: Set(".,;/\\#@'\"`~".unicodeScalars),
            canBeginName: \.beginsName,
            canBeginWord: { $0.beginsName || $0.isSign },
            isPunctuation: \.isJoiningPunctuation,
            maxPunctuationRun: 1
        )
    }

    /// Makes the rule for names of peers, whose programs permit more names. Versions before 7 permit nearly every
    /// visible character.
    private static func makePeerNameRule() -> Rule {
        Rule(
            prohibitedScalars: ["'"],
            canBeginName: { $0.isLetterNumberOrSymbol && $0 != "#" && $0 != "@" },
            canBeginWord: \.isLetterNumberOrSymbol,
            isPunctuation: \.isPunctuation,
            maxPunctuationRun: 3
        )
    }

    /// Returns the name without the characters that a user's own name must not contain. The result may be empty.
    package static func stripInvalidCharacters(_ name: String) -> String {
        stripDisallowedCharacters(of: name, makeOwnNameRule())
    }

    /// Returns the name that is shown for a peer: the peer's name without characters that cannot be shown, or `unnamed`
    /// if no character is left.
    package static func makeShownPeerName(_ name: String) -> String {
        let shown = stripDisallowedCharacters(of: name, makePeerNameRule())
        return shown.isEmpty ? "unnamed" : shown
    }

    package static func isValid(_ name: String) -> Bool {
        !name.isEmpty && Array(stripInvalidCharacters(name).utf8) == Array(name.utf8)
    }

    private static func stripDisallowedCharacters(of name: String, _ rule: Rule) -> String {
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        var punctuation = 0
        for scalar in name.unicodeScalars where result.count < maximumLength {
            guard rule.allows(scalar, after: previous, punctuation: punctuation) else { continue }
            let kept: Unicode.Scalar = scalar.isSpace ? " " : scalar
            if rule.isPunctuation(scalar) { punctuation += 1 } else if !scalar.isSpace { punctuation = 0 }
            result.append(kept)
            previous = kept
        }
        while result.last == " " { result.removeLast() }
        return String(result)
    }
}

extension Unicode.Scalar {
    fileprivate var isSpace: Bool {
        (9...13).contains(value) || properties.generalCategory == .spaceSeparator
    }

    /// Whether a user's own name may begin with the Unicode scalar: a letter, a decimal digit or a pictograph.
    fileprivate var beginsName: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .otherSymbol:
            true
        default: false
        }
    }

    /// Whether the scalar is a sign of currency or mathematics.
    fileprivate var isSign: Bool { [.currencySymbol, .mathSymbol].contains(properties.generalCategory) }

    fileprivate var isLetterNumberOrSymbol: Bool {
        switch properties.generalCategory {
        case .letterNumber, .otherNumber, .modifierSymbol: true
        default: beginsName || isSign
        }
    }

    /// Whether the scalar is punctuation that a name may contain: a connector, a dash, or other punctuation except
    /// brackets and quotation marks.
    fileprivate var isJoiningPunctuation: Bool {
        [.connectorPunctuation, .dashPunctuation, .otherPunctuation].contains(properties.generalCategory)
    }

    fileprivate var isPunctuation: Bool {
        switch properties.generalCategory {
        case .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation: true
        default: isJoiningPunctuation
        }
    }

    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }
}
