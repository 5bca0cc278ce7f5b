import Logging
import Testing

@testable import Gateway

/// Paths in lines of the access log.
@Suite struct AccessLogTests {
    @Test(arguments: [
        ("/v1/users/1/chats", "/v1/users/1/chats"),
        ("/v1/database/archives", "/v1/database/archives"),
        ("/v1/database/archives/holiday.zip", "/v1/database/archives/…"),
        ("/v1/remote-hosts/3/database/archives/holiday.zip", "/v1/remote-hosts/3/database/archives/…"),
        ("/v1/keys/sxgw_abc/x", "/v1/keys/(secret)/x"), ("/v1/sxgt_abc", "/v1/(secret)"),
        ("/v1/sxgw_abc/database/archives/holiday.zip", "/v1/(secret)/database/archives/…"),
    ])
    func `The access log contains neither keys nor names of archives`(path: String, logged: String) {
        let log = AccessLog(log: Logger(label: "test"), privatePathParts: RouteTable.privatePathParts)
        #expect(log.redactPath(path) == logged)
    }
}
