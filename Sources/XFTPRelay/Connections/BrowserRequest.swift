import NIOHPACK
import XFTP

/// The kind of a browser's request to the file relay.
///
/// simplexmq `rfcs/2026-01-30-send-file-page/2026-01-31-xftp-web-server-changes.md` and
/// `2026-02-08-xftp-web-hello-header.md`. The code follows Server.hs of 6.5.5.
enum BrowserRequest {
    /// A request without a handshake header: a command, or a web page's answer to the relay's hello.
    case commandOrAnswer
    /// The hello of a web page, which begins a handshake.
    case pageHello
    /// A web page's answer to the relay's hello, which ends a handshake.
    case pageHandshake

    init(_ headers: HPACKHeaders) {
        self =
            headers.contains(name: XFTPWebHello.header)
            ? .pageHello : headers.contains(name: XFTPWebHello.handshakeHeader) ? .pageHandshake : .commandOrAnswer
    }

    /// The headers of answers to browsers. They let pages of any origin send requests. This is safe, because commands
    /// are signed with keys that only the page has, and the relay ignores cookies and similar values that a browser
    /// adds.
    static let answerHeaders: HPACKHeaders = ["access-control-allow-origin": "*", "access-control-expose-headers": "*"]

    /// The headers of the answer to a preflight request, in which a browser asks whether a page may send requests. The
    /// browser asks at most once a day.
    static let preflightHeaders: HPACKHeaders = [
        ":status": "200", "access-control-allow-origin": "*", "access-control-allow-methods": "POST, OPTIONS",
        "access-control-allow-headers": "*",
        "access-control-max-age": "86400",
    ]
}
