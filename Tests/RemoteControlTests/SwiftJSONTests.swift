import JSON
import TestSupport
import Testing

@testable import RemoteControl

@Suite struct SwiftJSONTests {
    @Test
    func `Enums in the JSON form of the iOS and macOS apps are converted to tagged JSON`() throws {
        for vector in try Vector.readFile("xrcp-commands").list("owsfConversion") {
            let tagged = try #require(vector.value["tagged"])
            #expect(try SwiftJSON.convertToTagged(JSONValue(parsing: vector.text("input"))) == tagged)
        }
    }
}
