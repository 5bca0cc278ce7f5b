internal import SimpleXCrypto

/// An `ETag` for the part of a resource that clients change. Amounts and times that the gateway changes itself have no
/// effect on the tag.
struct EntityTag: Sendable, Hashable {
    let text: String

    /// - Parameter parts: the values that clients change. The values may contain secrets, since the tag is only a part
    ///   of their hash.
    init(_ parts: [String]) {
        let digest = Digest.sha256(Array(parts.joined(separator: "\0").utf8))
        text = "\"\(Base64URL.encode(Array(digest.prefix(12)), padding: false))\""
    }
}

extension HTTPResponse {
    /// Returns this response with the entity tag of its resource.
    func addingTag(_ tag: EntityTag) -> HTTPResponse {
        var response = self
        response.headers.append(("ETag", tag.text))
        return response
    }
}

extension HTTPRequest {
    /// Throws a problem if the request allows only the creation of a resource (`If-None-Match: *`). Called when the
    /// resource exists.
    func checkMayReplace() throws(ProblemDetails) {
        guard headers.contains(where: { $0.name == "if-none-match" && $0.value.trimmingSpaces == "*" }) else { return }
        throw ProblemDetails(
            .preconditionFailed,
            "The resource exists already, but If-None-Match allows only the creation of a new one."
        )
    }

    /// Refuses a change of a resource that was changed after the client has read it. Without `If-Match`, each change is
    /// accepted.
    /// - Parameters:
    ///   - tag: the tag of the present resource; nil if there is no such resource. No other change may come between
    ///     this check and the effect.
    ///   - shows: whether the client may read the resource. Only in this case, the problem contains the tag.
    /// - Throws: `preconditionFailed`.
    func checkMatch(_ tag: EntityTag?, shows: Bool = true) throws(ProblemDetails) {
        let fields = headers.filter { $0.name == "if-match" }
        guard !fields.isEmpty else { return }
        guard let tag else {
            throw ProblemDetails(.preconditionFailed, "There is nothing to change yet: create it without If-Match.")
        }
        let tags = fields.flatMap { $0.value.split(separator: ",").map(\.trimmingSpaces) }
        // `W/` is accepted too, because the tag of a compressed answer is weak.
        guard tags.allSatisfy({ $0 != "*" && $0 != tag.text && $0 != "W/" + tag.text }) else { return }
        var problem = ProblemDetails(
            .preconditionFailed,
            "Another client has changed this. Read it again, and repeat the change with the new ETag."
        )
        if shows { problem.headers = [("ETag", tag.text)] }
        throw problem
    }
}
