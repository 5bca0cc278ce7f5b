import TestSupport
import Testing

@testable import Gateway

@Suite struct MultipartReaderTests {
    @Test
    func `The file in a form is read unchanged, even if the form arrives in chunks of any size`() throws {
        var random = SeededRandom()
        let contents = Array("a\r\n--x\r\n-b\r\n--\r\n".utf8)
        let form =
            Array("--b\r\nContent-Disposition: form-data; name=f; filename=n\r\n\r\n".utf8) + contents
            + Array("\r\n--b--\r\n".utf8)
        for round in 0..<500 {
            var bytes = form
            if round >= 100 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            var reader = try #require(MultipartReader(contentType: "multipart/form-data; boundary=b"))
            var found: [UInt8] = []
            var rest = bytes[...]
            do {
                while !rest.isEmpty {
                    let part = rest.prefix(Int.random(in: 1...20, using: &random))
                    rest = rest.dropFirst(part.count)
                    found += try reader.readFileBytes(Array(part))
                }
                try reader.checkEnd()
                if round < 100 { #expect(found == contents && reader.fileName == "n") }
            } catch {
                #expect(round >= 100)
            }
        }
    }
}
