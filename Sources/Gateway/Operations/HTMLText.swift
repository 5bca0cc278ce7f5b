extension StringProtocol {
    /// The text with `&`, `<` and `>` escaped, for the content of an HTML element.
    var escapedForHTML: String {
        var out = ""
        for character in self {
            switch character {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            default: out.append(character)
            }
        }
        return out
    }

    /// The text escaped for the value of an HTML attribute in double quotes.
    var escapedForAttribute: String { escapedForHTML.replacing("\"", with: "&quot;") }
}
