extension StringProtocol {
    /// The text for the content of elements, with the special characters of HTML replaced.
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

    /// The text for the value of an attribute in double quotes.
    var escapedForAttribute: String { escapedForHTML.replacing("\"", with: "&quot;") }
}
