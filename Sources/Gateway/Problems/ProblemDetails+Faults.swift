internal import JSON

extension ProblemDetails {
    /// A fault of one value of a request: an entry of `errors` in a problem document.
    struct Fault: Sendable, Equatable {
        /// The place of a value in a request.
        enum Location: Sendable, Equatable {
            /// A member of the body, by its JSON pointer.
            case member(JSONPointer)
            /// A parameter of the path, of the query or of the header.
            case parameter(String)
        }

        /// The codes by which programs distinguish faults. The names are part of the interface.
        enum Code: String, Sendable, CaseIterable {
            case missing, unknown, wrongType, null, invalid
        }

        let location: Location
        let code: Code
        /// A sentence for people, which names the faulty value.
        let detail: String

        var json: JSONValue {
            var object = JSONObject()
            switch location {
            case .member(let pointer): object["pointer"] = .string(pointer.text)
            case .parameter(let name): object["parameter"] = .string(name)
            }
            object["code"] = .string(code.rawValue)
            object["detail"] = .string(detail)
            return .object(object)
        }
    }

    /// Makes the problem for a wrong member of a body.
    /// - Parameters:
    ///   - path: the names of the member and of the objects around it, with dots between them.
    ///   - words: the rest of a sentence that begins with the path.
    init(member path: String, _ words: String, _ fault: Fault.Code = .invalid, as code: Code = .invalidValue) {
        self.init(code, at: JSONPointer(path.split(separator: ".").map(String.init)), fault, "\(path) \(words)")
    }

    /// Makes the problem for a wrong value in a body.
    /// - Parameter detail: a sentence with the name of the value.
    init(_ code: Code, at pointer: JSONPointer, _ fault: Fault.Code, _ detail: String) {
        self.init(code, detail)
        faults = [Fault(location: .member(pointer), code: fault, detail: detail)]
    }

    /// Makes the problem for a wrong parameter.
    /// - Parameter words: the rest of a sentence that begins with the name.
    init(parameter name: String, _ words: String, _ fault: Fault.Code = .invalid, as code: Code = .invalidParameter) {
        self.init(code, "\(name) \(words)")
        faults = [Fault(location: .parameter(name), code: fault, detail: detail)]
    }
}
