import JSON
import Testing

@testable import RemoteControl

@Suite("Requests to a remote host") struct RemoteRequestTests {
    private func decodeAttempt(_ json: [UInt8]) throws -> Int? {
        guard case .send(_, let attempt) = try JSONDecoder().decode(RemoteRequest.self, from: json) else { return nil }
        return attempt
    }

    @Test
    func `A request to a remote host contains the number of earlier attempts, and is the first without it`()
        throws
    {
        for number in [0, 3] {
            let request = RemoteRequest.send(command: "/u", attempt: number)
            #expect(try decodeAttempt(request.encodeJSON()) == number)
        }
        #expect(try decodeAttempt(Array(#"{"type":"send","command":"/u"}"#.utf8)) == 0)
    }
}
