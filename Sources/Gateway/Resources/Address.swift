/// The address of a profile.
enum Address {
    static let routes: [Route] = [
        Route(.post, "/v1/users/{userId}/address", "apiCreateMyAddress", room: "Address"),
        Route(.delete, "/v1/users/{userId}/address", "apiDeleteMyAddress", room: "Address"),
        Route(.get, "/v1/users/{userId}/address", "apiShowMyAddress", room: "Address"),
        Route(.post, "/v1/users/{userId}/address/short-link", "apiAddMyAddressShortLink", room: "Address"),
        Route(.put, "/v1/users/{userId}/address/in-profile", "apiSetProfileAddress", room: "Address"),
        Route(.put, "/v1/users/{userId}/address/settings", "apiSetAddressSettings", room: "Address"),
        Route(.put, "/v1/users/{userId}/address/domain", "apiSetUserDomain", room: "Address"),
        Route(.post, "/v1/users/{userId}/contacts/{contactId}/verify-domain", "apiVerifyContactDomain", room: "Address"),
        Route(.post, "/v1/users/{userId}/groups/{groupId}/verify-domain", "apiVerifyGroupDomain", room: "Address"),
    ]
}
