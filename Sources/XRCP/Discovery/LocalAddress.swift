import Glibc
import NIOCore
import NIOPosix

/// An IPv4 address of this machine, and its interface.
package struct LocalAddress: Hashable, Sendable {
    package var address: String
    package var interface: String

    package init(address: String, interface: String) {
        self.address = address
        self.interface = interface
    }

    /// Returns the addresses at which a host could find this machine. Loopback addresses are last, and link-local
    /// addresses are left out.
    package static func findAll() -> [LocalAddress] {
        let found = ((try? System.enumerateDevices()) ?? []).compactMap { device -> LocalAddress? in
            guard case .v4 = device.address, let address = device.address?.ipAddress else { return nil }
            guard address != "0.0.0.0", address != "255.255.255.255", !address.hasPrefix("169.254.") else { return nil }
            return LocalAddress(address: address, interface: device.name)
        }
        return found.filter { !$0.isLoopback } + found.filter(\.isLoopback)
    }

    private var isLoopback: Bool { address.hasPrefix("127.") }

    /// Returns the addresses of ``findAll()``. The preferred address is first if this machine still has it. Otherwise
    /// an address of the preferred interface is first, if the interface has one.
    package static func findAll(preferring preferred: LocalAddress?) -> [LocalAddress] {
        var all = findAll()
        guard let preferred,
            let place = all.firstIndex(where: { $0.address == preferred.address })
                ?? all.firstIndex(where: { $0.interface == preferred.interface })
        else { return all }
        all.insert(all.remove(at: place), at: 0)
        return all
    }
}
