internal import SimpleXCrypto
internal import WebClient

/// The web client: a page at `/app`, and the modules and styles that it loads from `/app/<version>/`. The version is a
/// hash of all files. So browsers can keep the files forever, and never use files of two versions together.
enum WebClientPage {
    /// The source files, by their paths in the folder of the web client.
    static let sources = EmbeddedFiles.readFiles(sxgw_web_client)

    /// The files by path, as browsers get them: scripts without comments.
    static let files = Dictionary(
        uniqueKeysWithValues: sources.map { path, bytes in
            (path, path.hasSuffix(".js") ? removeComments(bytes) : bytes)
        }
    )

    /// Removes the lines of a script that contain only a comment. Lines with code are not changed.
    static func removeComments(_ script: [UInt8]) -> [UInt8] {
        var isInComment = false
        let lines = script.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).filter { line in
            let text = line.drop { $0 == UInt8(ascii: " ") }
            let endsComment = text.suffix(2).elementsEqual("*/".utf8)
            if isInComment {
                isInComment = !endsComment
                return false
            }
            if text.starts(with: "//".utf8) { return false }
            guard text.starts(with: "/**".utf8) else { return true }
            // Code may follow the end of the comment on this line.
            let holdsEnd = zip(text, text.dropFirst()).contains { $0 == UInt8(ascii: "*") && $1 == UInt8(ascii: "/") }
            isInComment = !holdsEnd
            return holdsEnd && !endsComment
        }
        return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    }

    /// The modules that the page loads at its start: its first module, and all modules that the first module imports,
    /// directly or through other modules. Any other module is loaded when a user opens a part of the page that needs
    /// the module.
    static let firstModules: Set<String> = {
        var found: Set<String> = []
        var waiting = ["main.js"]
        while let name = waiting.popLast() {
            guard let bytes = files[name], found.insert(name).inserted else { continue }
            waiting += findImports(of: bytes, in: name.split(separator: "/").dropLast())
        }
        return found
    }()

    /// Returns the paths of the modules that a module in a folder imports. An import statement stands at the end of a
    /// line.
    private static func findImports(of script: [UInt8], in folder: ArraySlice<Substring>) -> [String] {
        let quote = UInt8(ascii: "\"")
        return script.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let beginnings = ["import ", "export ", "}"]
            guard line.last == quote, beginnings.contains(where: { line.starts(with: $0.utf8) }),
                let path = line.dropLast().split(separator: quote).last, path.first == UInt8(ascii: ".")
            else { return nil }
            return resolvePath(String(decoding: path, as: UTF8.self), in: folder)
        }
    }

    /// Resolves a path such as `../model/app.js` in a folder.
    private static func resolvePath(_ path: String, in folder: ArraySlice<Substring>) -> String {
        var parts = Array(folder)
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }

    static let version: String = {
        var hashes: [UInt8] = []
        for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
            hashes += Digest.sha256(Array(name.utf8)) + Digest.sha256(bytes)
        }
        return Hex.encode(Array(Digest.sha256(hashes).prefix(8)))
    }()

    /// The content security policy of the page. Only files of the web client are run or loaded. No text becomes markup,
    /// so texts of peers are shown as they are. Pictures are shown from memory, after the page has checked their bytes.
    /// The only policy of trusted types permits the scripts of the workers.
    static let contentPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; connect-src 'self'; manifest-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types worker"

    /// The answer with the page. The addresses in the page are relative, because a proxy may serve this server under
    /// another path.
    static let pageResponse: HTTPResponse = {
        guard let bytes = files[pageName] else { return HTTPResponse(status: 500) }
        let modules = firstModules.sorted().map { "<link rel=\"modulepreload\" href=\"{files}/\($0)\">\n" }.joined()
        let text = String(decoding: bytes, as: UTF8.self).replacing("</head>", with: modules + "</head>").replacing(
            "{files}",
            with: "app/\(version)"
        )
        return makeResponse(
            Array(text.utf8),
            [
                ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-cache"),
                ("Content-Security-Policy", contentPolicy),
                ("Cross-Origin-Opener-Policy", "same-origin"),
                ("Permissions-Policy", "camera=(self), geolocation=(), microphone=(self)"),
            ]
        )
    }()

    /// Returns a file of the web client by its path; nil for an unknown file or another version.
    static func findFileResponse(_ path: String, of version: String) -> HTTPResponse? {
        version == self.version ? responses[path] : nil
    }

    private static let pageName = "index.html"
    /// The file name of the service worker's script. The worker also runs while no page is open, and its scope is the
    /// address of the page.
    private static let workerName = "worker.js"
    /// Scripts of workers, which run beside the page. The content security policy of these scripts has no `sandbox`,
    /// because the page could not start a sandboxed worker.
    private static let workerScripts: Set = [workerName, "calls/frames.js"]

    private static let responses: [String: HTTPResponse] = files.reduce(into: [:]) { responses, file in
        guard let type = file.key.split(separator: ".").last.flatMap({ contentTypes[String($0)] }) else { return }
        responses[file.key] = makeResponse(
            file.value,
            [
                ("Content-Type", type), ("Cache-Control", "public, max-age=31536000, immutable"),
                (
                    "Content-Security-Policy",
                    workerScripts.contains(file.key) ? "default-src 'none'" : "default-src 'none'; sandbox"
                ), ("Cross-Origin-Resource-Policy", "same-origin"),
            ] + (file.key == workerName ? [("Service-Worker-Allowed", "../../app")] : [])
        )
    }

    private static let contentTypes = [
        "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml",
        "png": "image/png", "json": "application/json",
        "webmanifest": "application/manifest+json",
    ]

    private static func makeResponse(_ body: [UInt8], _ headers: [(name: String, value: String)]) -> HTTPResponse {
        let always = [(name: "X-Content-Type-Options", value: "nosniff"), ("Referrer-Policy", "no-referrer")]
        return HTTPResponse(
            content: .prepared(
                PreparedResponse(status: 200, headers: headers + always, body: SharedBytes(body), isPublic: true)
            )
        )
    }
}
