/// The address of an operator. A new profile can show the address as a contact that is not connected yet.
struct ContactCard: Sendable {
    var name: String
    var description: String
    var address: String
    var isBot = false

    /// The address of the original's developers, as it is built into the original.
    static let teamAddress =
        "simplex:/contact#/?v=2-7&smp=smp%3A%2F%2FPQUV2eL0t7OStZOoAsPEV2QYWt4-xilbakvGUGOItUo%3D%40smp6.simplex.im%2FK1rslx-m5bpXVIdMZg9NLUZ_8JBm8xTt%23MCowBQYDK2VuAyEALDeVe-sG8mRY22LsXlPgiwTNs9dbiLrNuA7f3ZMAJ2w%3D"
}
