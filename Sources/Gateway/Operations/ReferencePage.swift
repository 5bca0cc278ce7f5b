internal import JSON

/// The contract as a page at `/docs`, to read and search. The page is made at its first request. Types and events are
/// the largest part of the contract, so they have a separate page, which the search reads too.
enum ReferencePage {
    /// The page of the operations, with a search, and a form for each operation.
    static let operationsPage: PublicPage? = ServedContract.openAPI.map { contract in
        let writer = ReferenceWriter(contract: contract, typesPage: "docs/\(typesPageName)")
        let title = writer.writeText(contract["info"]?["title"])
        let header = """
            <h1>\(title): reference</h1>
            <nav><a href="docs/guide">Guide</a> <a href="docs/\(typesPageName)">Events and types</a> \
            <a href="docs/changelog">Changelog</a> \
            <a href="openapi.json">openapi.json</a> <a href="openapi-3.2.json">openapi-3.2.json</a> <a href="asyncapi.json">asyncapi.json</a> \
            <a href="app">Web client</a></nav>
            <input type="search" id="search" placeholder="Search: send a picture, a path, a type" aria-label="Search" autofocus>
            <ol id="found" aria-live="polite"></ol>
            <input type="password" id="key" placeholder="Key for the forms" aria-label="Key for the forms" autocomplete="off">
            """
        let rules = """
            <details><summary>Rules for all operations</summary><p>\(writer.writeText(contract["info"]?["description"]))</p>
            <p>In place of its answer, each operation can return a \
            <a href="docs/\(typesPageName)#type-ProblemDetails">problem document</a> with one of the \
            <a href="#problems">codes</a>. An operation lists only the codes that do not follow from these rules. \
            \(writer.writeRules())</p></details>
            <p>Each operation has a form, which sends a real request with the key above. The page does not store the key. \
            The lines for curl use two variables: <code>G=http://127.0.0.1:5225/v1</code>, the address of the gateway, \
            and <code>A="Authorization: Bearer KEY"</code>, the header with the key.</p>
            """
        let body = """
            <header>\(header)</header>
            <nav>\(writer.writeContents())
            <a href="#problems">Problems</a></nav>
            \(rules)
            \(writer.writeCategories())
            \(writer.writeProblems())
            """
        return makePage(
            title: "\(title): reference",
            body,
            script: openEntryScript + searchScript + requestFormScript,
            policy: "connect-src 'self'; "
        )
    }

    /// The page of events and types.
    static let typesPage: PublicPage? = ServedContract.openAPI.map { contract in
        let writer = ReferenceWriter(contract: contract, typesPage: "")
        let title = writer.writeText(contract["info"]?["title"])
        let body = """
            <header><h1>\(title): events and types</h1>
            <nav><a href="guide">Guide</a> <a href="../docs">Operations and search</a></nav></header>
            <nav><a href="#category-events">Events</a> <a href="#category-types">Types</a></nav>
            <section id="category-events"><h2>Events</h2>\(writer.writeSchemaSections(ofEvents: true))</section>
            <section id="category-types"><h2>Types</h2>\(writer.writeSchemaSections(ofEvents: false))</section>
            """
        return makePage(title: "\(title): events and types", body, script: openEntryScript, policy: "")
    }

    /// The last part of the address of the page with events and types.
    static let typesPageName = "types"

    private static func makePage(title: String, _ body: String, script: String, policy: String) -> PublicPage {
        PublicPage(
            html: """
                <!DOCTYPE html>
                <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>\(title)</title>
                <style>\(styleSheet)</style></head><body>
                \(body)
                <script>\(script)</script></body></html>
                """,
            policy:
                "default-src 'none'; style-src '\(PublicPage.makePolicyHash(styleSheet))'; script-src '\(PublicPage.makePolicyHash(script))'; \(policy)"
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
    }

    private static let styleSheet = """
        body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem;color:#1b1b1f;background:#fff}
        code,pre{font:14px/1.4 ui-monospace,monospace}pre{background:#f3f3f6;padding:.6rem;overflow:auto;margin:.3rem 0}
        header{border-bottom:1px solid #ccc}nav a{margin-right:1rem}nav{margin:1rem 0}
        input,textarea,button{font:inherit;padding:.4rem;box-sizing:border-box}header input,textarea{width:100%}
        header input{margin:.5rem 0}textarea{font:14px/1.4 ui-monospace,monospace}
        .try{border:0}.try label{display:block;margin:.3rem 0}.try label code{display:inline-block;min-width:11rem}
        details{border-bottom:1px solid #e4e4ea;padding:.3rem 0}summary{cursor:pointer}summary b,li b{display:inline-block;min-width:4.5rem}
        summary span,li span{color:#5c5c66}table{border-collapse:collapse;margin:.3rem 0}td{padding:.1rem .8rem .1rem 0;vertical-align:top}
        h2{margin:1.5rem 0 .3rem}h4{margin:.6rem 0 0}#found a{color:inherit;text-decoration:none}#found a:hover{text-decoration:underline}
        @media(max-width:40rem){body{overflow-wrap:anywhere}input{max-width:100%}}
        @media(prefers-color-scheme:dark){body{color:#e4e4ea;background:#17171b}pre,input,textarea,button{color:inherit;background:#222228}
        a{color:#8ab4ff}summary span,li span{color:#a0a0ac}}
        """
}
