internal import JSON
internal import SimpleXCrypto

/// The contract as a page to read and search, at `/docs`. It is built on the first request, and loads no other
/// resources.
enum ReferencePage {
    static let response: HTTPResponse = {
        guard let contract = ServedContract.document else { return HTTPResponse(status: 500) }
        return HTTPResponse(
            content: .prepared(
                PreparedResponse(
                    status: 200,
                    headers: headers,
                    body: SharedBytes(Array(page(contract).utf8)),
                    isPublic: true
                )
            )
        )
    }()

    private static let headers: [(name: String, value: String)] = [
        ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "max-age=300"),
        (
            "Content-Security-Policy",
            "default-src 'none'; style-src '\(hash(style))'; script-src '\(hash(script))'; base-uri 'none'; form-action 'none'; "
                + "frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ]

    private static func hash(_ text: String) -> String { "sha256-" + Base64.encode(Digest.sha256(Array(text.utf8))) }

    private static func page(_ contract: JSONValue) -> String {
        let writer = ReferenceWriter(contract: contract)
        let title = writer.text(contract["info"]?["title"])
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>\(title): reference</title>
            <style>\(style)</style></head><body>
            <header><h1>\(title)</h1><p>\(writer.text(contract["info"]?["description"]))</p>
            <p>The same for programs: <a href="openapi.json">openapi.json</a></p>
            <input type="search" id="search" placeholder="Search: a word, a path, a type" aria-label="Search" autofocus></header>
            \(writer.categories())
            <section><h2 id="events">Events</h2>\(writer.types(ofEvents: true))</section>
            <section><h2 id="types">Types</h2>\(writer.types(ofEvents: false))</section>
            <script>\(script)</script></body></html>
            """
    }

    private static let style = """
        body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem;color:#1b1b1f;background:#fff}
        code,pre{font:14px/1.4 ui-monospace,monospace}pre{background:#f3f3f6;padding:.6rem;overflow:auto;margin:.3rem 0}
        header{border-bottom:1px solid #ccc}input{width:100%;box-sizing:border-box;font:inherit;padding:.4rem;margin:.5rem 0 1rem}
        details{border-bottom:1px solid #e4e4ea;padding:.3rem 0}summary{cursor:pointer}summary b{display:inline-block;min-width:4.5rem}
        summary span{color:#5c5c66}table{border-collapse:collapse;margin:.3rem 0}td{padding:.1rem .8rem .1rem 0;vertical-align:top}
        h2{margin:1.5rem 0 .3rem}h4{margin:.6rem 0 0}[hidden]{display:none}
        @media(prefers-color-scheme:dark){body{color:#e4e4ea;background:#17171b}pre{background:#222228}a{color:#8ab4ff}summary span{color:#a0a0ac}}
        """

    /// Hides entries without a searched word, ignoring examples, and opens the entry to which the address points.
    private static let script = """
        const words=e=>[...e.children].filter(c=>c.tagName!=="PRE").map(c=>c.textContent).join(" ").toLowerCase();
        const entries=[...document.querySelectorAll("details")].map(e=>[e,words(e)]);
        document.getElementById("search").addEventListener("input",event=>{
        const words=event.target.value.toLowerCase().split(/\\s+/).filter(Boolean);
        for(const [e,text] of entries)e.hidden=!words.every(w=>text.includes(w));
        for(const s of document.querySelectorAll("section"))s.hidden=!s.querySelector("details:not([hidden])")});
        const open=()=>{const e=document.getElementById(decodeURIComponent(location.hash.slice(1)));if(e&&e.tagName==="DETAILS")e.open=true};
        addEventListener("hashchange",open);open();
        """
}
