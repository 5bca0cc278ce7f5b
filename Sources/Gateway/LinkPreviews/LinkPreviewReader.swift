internal import Concurrency
internal import Descriptors
internal import NIOCore
internal import OutgoingHTTP
internal import SimpleXCrypto

/// How pages of others are read.
public struct LinkPreviewSettings: Sendable {
    /// Addresses and ranges of inner networks that may be read, also without TLS.
    public var allowedAddresses: [String]
    /// Pages that are read at a time, by all clients together.
    public var places = 4
    /// Seconds for the page and its picture together.
    var seconds: Int64 = 15
    /// Additional certificate authorities, for tests.
    var authorities: String?
    /// nil for the system's resolver.
    var lookUp: NameLookup?

    public init(allowedAddresses: [String] = []) { self.allowedAddresses = allowedAddresses }
}

/// What a page says of itself, for the card of a link to it.
struct LinkPreview: Sendable {
    var uri: String
    var title: String
    var description: String
    /// A data address with the picture as the page has it; nil without one.
    var picture: String?
}

/// Reads the pages of links. Each address on the way is checked: a page can lead neither into inner networks nor from TLS to none. Those that are allowed are for whoever
/// names them, and for pages there: what is elsewhere leads to public addresses only.
struct LinkPreviewReader: Sendable {
    enum Failure: Error {
        /// The reason, as a sentence without its subject.
        case link(String)
        case unreadable(String)
        case timeout
        /// The limit of pages that are read at a time is reached.
        case busy
    }

    private static let redirects = 3
    /// What says something of a page is at its beginning.
    private static let pageLimit = 512 << 10
    private static let pictureLimit = 1 << 20

    typealias Send = @Sendable (OutgoingRequest) async throws(OutgoingError) -> OutgoingAnswer

    private let send: Send
    private let seconds: Int64

    init(seconds: Int64, _ send: @escaping Send) { (self.seconds, self.send) = (seconds, send) }

    init(_ settings: LinkPreviewSettings, _ policy: AddressPolicy, _ group: any EventLoopGroup) throws(OutgoingHTTP.BadAuthorities) {
        var limits = OutgoingHTTP.Limits()
        limits.whole = .seconds(settings.seconds)
        let http = try OutgoingHTTP(
            group: group, policy: policy, authorities: settings.authorities, connections: Allowance(settings.places), limits: limits, agent: "simplex-gateway",
            lookUp: settings.lookUp)
        self.init(seconds: settings.seconds) { request async throws(OutgoingError) in try await http.send(request) }
    }

    func preview(of uri: String) async throws(Failure) -> LinkPreview {
        let url: TargetURL
        do throws(TargetURL.Refusal) { url = try TargetURL(written: uri) } catch { throw .link("\(error)") }
        guard !url.hasCredentials else { throw .link("must have neither user nor password.") }
        let end = NIODeadline.now() + .seconds(seconds)
        let (page, place, isOutside) = try await get(url, isOutside: false, keeping: Self.pageLimit, until: end)
        guard let type = page.contentType?.lowercased() else { throw .unreadable("it does not say what it is") }
        if type.hasPrefix("image/"), let picture = Self.picture(page) { return LinkPreview(uri: uri, title: uri, description: "", picture: picture) }
        guard type.hasPrefix("text/html") || type.hasPrefix("application/xhtml") else { throw .unreadable("it is no page") }
        let facts = PageFacts(page.content, type: type)
        guard let title = facts.title else { throw .unreadable("it has no title") }
        var preview = LinkPreview(uri: uri, title: title, description: facts.description ?? "")
        // Without its picture a card is one still.
        if let link = facts.picture, let url = try? place.resolving(link), Self.mayLead(from: place, to: url),
            let answer = try? await get(url, isOutside: isOutside, keeping: Self.pictureLimit, until: end).answer
        {
            preview.picture = Self.picture(answer)
        }
        return preview
    }

    private static func mayLead(from place: TargetURL, to next: TargetURL) -> Bool { !next.hasCredentials && (next.isEncrypted || !place.isEncrypted) }

    /// The answer at the end of the redirects, where that is, and whether anything on the way was outside of what is allowed.
    /// - Parameter isOutside: whether something outside leads there.
    private func get(
        _ url: TargetURL, isOutside: Bool, keeping limit: Int, until end: NIODeadline
    ) async throws(Failure) -> (answer: OutgoingAnswer, place: TargetURL, isOutside: Bool) {
        var (url, isOutside) = (url, isOutside)
        for _ in 0...Self.redirects {
            guard NIODeadline.now() < end else { throw .timeout }
            var request = OutgoingRequest(get: url, keeps: limit)
            (request.deadline, request.isForPublic) = (end, isOutside)
            let answer: OutgoingAnswer
            do throws(OutgoingError) { answer = try await send(request) } catch {
                switch error {
                case .timeout: throw .timeout
                case .noRoom: throw .busy
                default: throw .unreadable("\(error)")
                }
            }
            isOutside = isOutside || !answer.isOfAllowed
            switch answer.status {
            case 200: return (answer, url, isOutside)
            case 301, 302, 303, 307, 308:
                let next = answer.location.flatMap { try? url.resolving($0) }
                guard let next, Self.mayLead(from: url, to: next) else { throw .unreadable("it leads to no page") }
                url = next
            default: throw .unreadable("it answers with \(answer.status)")
            }
        }
        throw .unreadable("it leads on and on")
    }

    /// What has the bytes of a picture, whatever it is said to be.
    private static func picture(_ answer: OutgoingAnswer) -> String? {
        guard answer.isWhole else { return nil }
        let kinds: [(String, [UInt8], [UInt8])] = [
            ("jpeg", [0xFF, 0xD8, 0xFF], []), ("png", [0x89, 0x50, 0x4E, 0x47], []), ("gif", Array("GIF8".utf8), []), ("webp", Array("RIFF".utf8), Array("WEBP".utf8)),
        ]
        let kind = kinds.first { answer.content.starts(with: $0.1) && answer.content.dropFirst(8).starts(with: $0.2) }
        return kind.map { "data:image/\($0.0);base64,\(Base64.encode(answer.content))" }
    }
}
