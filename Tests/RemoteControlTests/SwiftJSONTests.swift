import JSON
import TestSupport
import Testing

@testable import RemoteControl

@Suite struct SwiftJSONTests {
    @Test("Sum types in the apps' Swift form of JSON are read")
    func swiftJSON() throws {
        for vector in try Vector.file("xrcp-commands").list("owsfConversion") {
            let tagged = try #require(vector.value["tagged"])
            #expect(try SwiftJSON.tagged(JSONValue(parsing: vector.text("input"))) == tagged)
        }
    }
}
