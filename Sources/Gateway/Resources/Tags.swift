internal import ChatAPI

/// Routes for the tags of chats.
enum TagsResource {
    static let routes: [Route] = [
        .command(
            .get,
            "/v1/users/{userId}/tags",
            "listTags",
            .getChatTags,
            category: "Tags",
            policy: .data,
            cached: true
        ) { context throws(ProblemDetails) in
            .tags(.getChatTags(userId: try context.id("userId")))
        },
        .command(
            .post,
            "/v1/users/{userId}/tags",
            "createTag",
            .createChatTag,
            category: "Tags",
            policy: .data,
            success: .created { _, _ in nil }
        ) { context throws(ProblemDetails) in
            .tags(.createChatTag(tag: try context.tag()))
        },
        .command(
            .delete,
            "/v1/users/{userId}/tags/{tagId}",
            "deleteTag",
            .deleteChatTag,
            category: "Tags",
            policy: .data
        ) { context throws(ProblemDetails) in
            .tags(.deleteChatTag(tagId: try context.id("tagId")))
        },
        .command(
            .put,
            "/v1/users/{userId}/tags/{tagId}",
            "setTag",
            .updateChatTag,
            category: "Tags",
            policy: .data
        ) { context throws(ProblemDetails) in
            .tags(.updateChatTag(tagId: try context.id("tagId"), tagData: try context.tag()))
        },
        .command(
            .put,
            "/v1/users/{userId}/tags/order",
            "setTagOrder",
            .reorderChatTags,
            category: "Tags",
            policy: .data
        ) { context throws(ProblemDetails) in
            .tags(.reorderChatTags(tagIds: try context.body().value("tagIds")))
        },
    ]
}

extension RouteContext {
    fileprivate func tag() throws(ProblemDetails) -> ChatTagData {
        let body = try body()
        return ChatTagData(emoji: try body.optional("emoji"), text: try body.value("text"))
    }
}
