import Glibc

/// Asks systemd about the gateway's socket unit, which keeps the port open while the service is stopped.
/// ``findUnit(listeningOn:_:)`` blocks.
enum ServiceSocket {
    private static let unitName = "simplex-gateway.socket"

    /// Returns the name of the gateway's socket unit. Returns nil without systemd, and if systemd does not listen on
    /// the address with this unit.
    static func findUnit(listeningOn host: String, _ port: Int) -> String? {
        guard let output = popen("exec systemctl show --property=ActiveState,Listen \(unitName) 2>/dev/null", "re")
        else {
            return nil
        }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, output), count > 0 { text += buffer[..<count] }
        pclose(output)
        return isListening(String(decoding: text, as: UTF8.self), on: host, port) ? unitName : nil
    }

    /// Returns whether a socket unit with these properties listens on the address.
    static func isListening(_ properties: String, on host: String, _ port: Int) -> Bool {
        let lines = properties.split(separator: "\n")
        guard lines.contains("ActiveState=active") else { return false }
        let shown = host.contains(":") ? "[\(host)]" : host == "localhost" ? "127.0.0.1" : host
        // A unit that listens on all addresses also matches.
        let places = ["\(shown):\(port)", "0.0.0.0:\(port)", "[::]:\(port)"].map { "Listen=\($0) (Stream)" }
        return lines.contains { line in places.contains(String(line)) }
    }
}
