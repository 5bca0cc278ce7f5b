internal import SimpleXCrypto

/// A page or a picture that everybody can get without a key. It is made once, and loads nothing from other servers.
struct PublicPage: Sendable {
    private let entityTag: String
    private let response: HTTPResponse
    /// Header fields for caches. An answer with status 304 repeats these fields. Otherwise the default field
    /// `Cache-Control: no-store` would make browsers drop the page.
    private let cacheHeaders: [(name: String, value: String)]

    init(html: String, policy: String) {
        self.init(Array(html.utf8), type: "text/html; charset=utf-8", policy: policy)
    }

    init(_ body: [UInt8], type: String, policy: String) {
        let tag = "\"\(Hex.encode(Array(Digest.sha256(body).prefix(16))))\""
        let cacheHeaders = [(name: "ETag", value: tag), (name: "Cache-Control", value: "max-age=300")]
        self.entityTag = tag
        self.cacheHeaders = cacheHeaders
        response = HTTPResponse(
            content: .prepared(
                PreparedResponse(
                    status: 200,
                    headers: cacheHeaders + [
                        ("Content-Type", type), ("Content-Security-Policy", policy),
                        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
                    ],
                    body: SharedBytes(body),
                    isPublic: true
                )
            )
        )
    }

    /// Returns the page, or 304 for a browser that has the page already.
    func answer(to request: HTTPRequest) -> HTTPResponse {
        request.hasMatchingTag(entityTag) ? HTTPResponse(status: 304, headers: cacheHeaders) : response
    }

    /// Returns the hash of an embedded style or script, for the content security policy of its page.
    static func makePolicyHash(_ text: String) -> String { "sha256-" + Base64.encode(Digest.sha256(Array(text.utf8))) }
}
