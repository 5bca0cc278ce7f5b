import Glibc
import NIOCore

/// The service manager (systemd) that has started the program, see sd_notify(3) and sd_watchdog_enabled(3). The manager
/// is notified when the program has started, while the program is alive, and when the program stops.
struct ServiceManager: Sendable {
    /// The path of the manager's socket, or the name of an abstract socket after `@`.
    private let socketPath: String
    /// The longest pause between two messages that the program is alive; nil if the manager expects no messages.
    let watchdogInterval: Duration?

    /// Finds the service manager in the environment.
    /// - Returns: nil when no service manager expects messages.
    init?() {
        guard let socket = Self.readVariable("NOTIFY_SOCKET"), let first = socket.utf8.first,
            [UInt8(ascii: "/"), UInt8(ascii: "@")].contains(first)
        else { return nil }
        self.socketPath = socket
        let isForOther = Self.readVariable("WATCHDOG_PID").map { Int32($0) != getpid() } ?? false
        let microseconds = isForOther ? nil : Self.readVariable("WATCHDOG_USEC").flatMap { Int64($0) }
        watchdogInterval = microseconds.flatMap { $0 > 0 ? .microseconds($0) : nil }
    }

    private static func readVariable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    func notifyStarted() { sendNotification("READY=1") }

    func notifyStopping() { sendNotification("STOPPING=1") }

    /// Starts a task that repeatedly tells the service manager that the program is alive. The task sends no message
    /// while the program is stuck, because tasks do not run or an event loop is blocked.
    /// - Returns: the task, which runs until it is cancelled; nil if the manager expects no messages.
    func startWatchdogMessages(_ group: any EventLoopGroup) -> Task<Void, Never>? {
        guard let watchdogInterval else { return nil }
        return Task {
            while !Task.isCancelled {
                for loop in group.makeIterator() { try? await loop.submit {}.get() }
                sendNotification("WATCHDOG=1")
                // Three messages are sent in each interval. So two messages may be late before the manager ends the
                // program.
                try? await Task.sleep(for: watchdogInterval / 3)
            }
        }
    }

    private func sendNotification(_ message: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(socketPath.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        // The name of an abstract socket begins with a zero byte. Only the length of the address marks its end.
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count + (name[0] == 0 ? 0 : 1))
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(message.utf8)
        _ = withUnsafeBytes(of: address) { place in
            sendto(
                descriptor,
                bytes,
                bytes.count,
                Int32(MSG_NOSIGNAL),
                place.assumingMemoryBound(to: sockaddr.self).baseAddress,
                length
            )
        }
    }
}
