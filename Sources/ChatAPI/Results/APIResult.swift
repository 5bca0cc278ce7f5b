/// The response to a command, or its error: `{"result": …}` or `{"error": …}` (Chat API, section 7).
package enum APIResult<Answer: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    case result(Answer)
    case error(ChatError)

    private enum CodingKeys: CodingKey { case result, error }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        if let answer = try members.decodeIfPresent(Answer.self, forKey: .result) {
            self = .result(answer)
        } else {
            self = .error(try members.decode(ChatError.self, forKey: .error))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .result(let answer): try members.encode(answer, forKey: .result)
        case .error(let error): try members.encode(error, forKey: .error)
        }
    }
}
