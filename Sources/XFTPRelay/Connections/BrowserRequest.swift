import NIOHPACK
import XFTP

/// The kinds of requests of browsers.
///
/// simplexmq `rfcs/2026-01-30-send-file-page/2026-01-31-xftp-web-server-changes.md` and
/// `2026-02-08-xftp-web-hello-header.md`; per Server.hs of 6.5.5.
enum BrowserRequest {
    /// A command, or the first answer of a page to the relay's hello.
    case usual
    /// The hello of a page.
    case hello
    /// The answer of a page to the relay's hello.
    case handshake

    init(_ headers: HPACKHeaders) {
        self =
            headers.contains(name: XFTPWebHello.header)
            ? .hello : headers.contains(name: XFTPWebHello.handshakeHeader) ? .handshake : .usual
    }

    /// Pages of any origin may call: commands are signed with keys that only the pages have, and nothing depends on
    /// what a browser adds of itself.
    static let answerHeaders: HPACKHeaders = ["access-control-allow-origin": "*", "access-control-expose-headers": "*"]

    /// The answer to the question whether a page may call, which a browser asks once a day at most.
    static let preflightHeaders: HPACKHeaders = [
        ":status": "200", "access-control-allow-origin": "*", "access-control-allow-methods": "POST, OPTIONS",
        "access-control-allow-headers": "*",
        "access-control-max-age": "86400",
    ]
}
