internal import JSON

/// Spans in the JSON form of OTLP (OTLP specification 1, "JSON Protobuf Encoding"): ids are hexadecimal, enumerations
/// are numbers, and numbers with 64 bits are texts.
enum SpanDocument {
    /// Encodes an `ExportTraceServiceRequest`.
    /// - Parameter resource: the attributes of this program.
    static func encode(_ spans: [Span], of resource: [Span.Attribute], version: String) -> [UInt8] {
        var json = JSONWriter(capacity: 256 + 512 * spans.count)
        json.beginObject()
        json.writeKey("resourceSpans")
        json.beginArray()
        json.beginObject()
        json.writeKey("resource")
        json.beginObject()
        write(resource, to: &json)
        json.endObject()
        json.writeKey("scopeSpans")
        json.beginArray()
        json.beginObject()
        json.writeKey("scope")
        json.beginObject()
        json.writeKey("name")
        json.writeString("simplex-gateway")
        json.writeKey("version")
        json.writeString(version)
        json.endObject()
        json.writeKey("spans")
        json.beginArray()
        for span in spans { write(span, to: &json) }
        json.endArray()
        json.endObject()
        json.endArray()
        json.endObject()
        json.endArray()
        json.endObject()
        return json.takeBytes()
    }

    private static func write(_ span: Span, to json: inout JSONWriter) {
        json.beginObject()
        write(span.identity, to: &json)
        if let parent = span.parentID {
            json.writeKey("parentSpanId")
            json.writeString(parent)
        }
        json.writeKey("name")
        json.writeString(span.name)
        json.writeKey("kind")
        json.writeInteger(span.kind.rawValue)
        let start = max(0, span.startNanoseconds)
        write(start, as: "startTimeUnixNano", to: &json)
        write(max(start, span.endNanoseconds), as: "endTimeUnixNano", to: &json)
        write(span.attributes, to: &json)
        if !span.links.isEmpty {
            json.writeKey("links")
            json.beginArray()
            for link in span.links.prefix(Span.maxLinks) {
                json.beginObject()
                write(link, to: &json)
                json.endObject()
            }
            json.endArray()
            let leftOut = span.links.count - Span.maxLinks
            if leftOut > 0 {
                json.writeKey("droppedLinksCount")
                json.writeInteger(Int64(leftOut))
            }
        }
        if span.isFailed {
            json.writeKey("status")
            json.beginObject()
            json.writeKey("code")
            // The number of `STATUS_CODE_ERROR` in OTLP.
            json.writeInteger(2)
            json.endObject()
        }
        json.endObject()
    }

    private static func write(_ identity: Span.Identity, to json: inout JSONWriter) {
        json.writeKey("traceId")
        json.writeString(identity.traceID)
        json.writeKey("spanId")
        json.writeString(identity.spanID)
    }

    private static func write(_ nanoseconds: Int64, as name: String, to json: inout JSONWriter) {
        json.writeKey(name)
        json.writeString("\(nanoseconds)")
    }

    private static func write(_ attributes: [Span.Attribute], to json: inout JSONWriter) {
        guard !attributes.isEmpty else { return }
        json.writeKey("attributes")
        json.beginArray()
        for attribute in attributes {
            json.beginObject()
            json.writeKey("key")
            json.writeString(attribute.name)
            json.writeKey("value")
            json.beginObject()
            switch attribute.value {
            case .text(let text):
                json.writeKey("stringValue")
                json.writeString(text)
            case .number(let number):
                json.writeKey("intValue")
                json.writeString("\(number)")
            }
            json.endObject()
            json.endObject()
        }
        json.endArray()
    }
}
