package import ChatAPI
package import SMP

extension SimplexDomain {
    /// Splits the domain of a SimpleX name into its parts.
    package init(_ name: NameDomain) {
        let labels = name.text.split(separator: ".").map(String.init)
        let last = SimplexTLD(rawValue: labels.last ?? "")
        if last == .simplex || last == .testing {
            let rest = labels.dropLast()
            self.init(nameTLD: last, domain: rest.last ?? "", subDomain: rest.dropLast().reversed())
        } else {
            self.init(nameTLD: .web, domain: name.text, subDomain: [])
        }
    }
}
