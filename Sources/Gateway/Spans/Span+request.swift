extension Span {
    /// Makes the span of a finished request, with the names of OpenTelemetry's conventions for HTTP. The span contains
    /// ids in the same form as the log, and neither the path nor the address of the client.
    static func makeRequestSpan(
        _ finished: FinishedRequest,
        _ facts: RequestTrace.Facts,
        endNanoseconds: Int64
    ) -> Span {
        let request = finished.request
        let isKnown =
            HTTPMethod(rawValue: request.method) != nil || ["HEAD", "OPTIONS"].contains(request.method)
        let method = isKnown ? request.method : "_OTHER"
        var attributes = [
            Attribute("http.request.method", method),
            Attribute("url.scheme", request.isSecure ? "https" : "http"), Attribute("sxgw.request.id", request.id),
        ]
        if let route = facts.route { attributes.append(Attribute("http.route", route)) }
        if finished.status > 0 {
            attributes.append(Attribute("http.response.status_code", Int64(finished.status)))
        }
        if finished.status >= 500 {
            attributes.append(Attribute("error.type", "\(finished.status)"))
        } else if finished.status == 0 {
            attributes.append(Attribute("error.type", "disconnected"))
        }
        if let bytes = finished.contentBytes {
            attributes.append(Attribute("http.response.body.size", Int64(bytes)))
        }
        if let key = facts.keyID, !key.isEmpty { attributes.append(Attribute("sxgw.key.id", key)) }
        if let store = facts.storeID { attributes.append(Attribute("sxgw.store.id", store)) }
        return Span(
            identity: facts.traceContext.map { Identity(traceID: $0.traceID, spanID: Identity.makeID(bytes: 8)) }
                ?? .makeRandom(),
            parentID: facts.traceContext?.parentID,
            name: isKnown ? facts.route.map { "\(method) \($0)" } ?? method : "HTTP",
            kind: .server,
            startNanoseconds: endNanoseconds
                - finished.durationMicroseconds.multipliedReportingOverflow(by: 1_000).partialValue,
            endNanoseconds: endNanoseconds,
            attributes: attributes,
            links: facts.sentMessages.map { sent in
                sent.itemIds.map { Identity(acceptanceOf: $0, in: sent.epoch) }
            } ?? [],
            isFailed: finished.status >= 500
        )
    }
}
