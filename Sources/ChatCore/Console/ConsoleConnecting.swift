internal import ChatAPI

/// Connecting as typed into the terminal: it first checks where the link leads.
extension Console {
    /// The address of the makers of the original, as it is built into it.
    static let teamAddress =
        "simplex:/contact#/?v=2-7&smp=smp%3A%2F%2FPQUV2eL0t7OStZOoAsPEV2QYWt4-xilbakvGUGOItUo%3D%40smp6.simplex.im%2FK1rslx-m5bpXVIdMZg9NLUZ_8JBm8xTt%23MCowBQYDK2VuAyEALDeVe-sG8mRY22LsXlPgiwTNs9dbiLrNuA7f3ZMAJ2w%3D"

    /// Connects if the plan permits it. For a known link it returns the plan.
    func connectAsPlanned(_ link: String, incognito: Bool, user: UserRecord) async throws -> ChatResponse {
        let planned = try await run(
            .contacts(.connectPlan(userId: user.userId, connLink: link, resolveMode: .unknown, linkOwnerSig: nil)), as: user.userId)
        guard case .connectionPlan(_, let found, _, _, let plan) = planned, plan.goesOn else { return planned }
        if case .contactAddress(.contactViaAddress(let contact)) = plan {
            return try await run(
                .contacts(.connectContactViaAddress(userId: user.userId, incognito: incognito, contactId: contact.contactId)), as: user.userId)
        }
        return try await run(.contacts(.connect(userId: user.userId, incognito: incognito, connLink: found)), as: user.userId)
    }
}

extension ConnectionPlan {
    /// Whether connecting makes sense without asking.
    var goesOn: Bool {
        switch self {
        case .invitationLink(.ok), .invitationLink(.ownLink), .groupLink, .error: true
        case .contactAddress(.ok), .contactAddress(.ownLink), .contactAddress(.connectingConfirmReconnect), .contactAddress(.contactViaAddress): true
        default: false
        }
    }
}
