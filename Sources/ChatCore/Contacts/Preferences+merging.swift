internal import ChatAPI

extension FeaturePreference {
    var api: SimplePreference { SimplePreference(allow: allow) }
    var apiTimedMessages: TimedMessagesPreference {
        TimedMessagesPreference(allow: allow, ttl: lifetimeSeconds.map { Int(clamping: $0) })
    }
}

extension FullPreferences {
    /// Makes the user's complete preferences for all contacts. A feature without a preference gets its default.
    init(_ preferences: Preferences?) {
        func preference(_ feature: DirectFeature) -> FeaturePreference {
            preferences?.preference(of: feature) ?? feature.defaultPreference
        }
        self.init(
            timedMessages: preference(.timedMessages).apiTimedMessages,
            fullDelete: preference(.fullDelete).api,
            reactions: preference(.reactions).api,
            voice: preference(.voice).api,
            files: preference(.files).api,
            calls: preference(.calls).api,
            sessions: preference(.sessions).api,
            commands: preferences?.commands ?? []
        )
    }
}

extension Preferences {
    /// Makes the complete preferences for one contact. A preference for this contact takes precedence over the
    /// preference for all contacts, and both take precedence over the default.
    init(merging forContact: Preferences, over standard: Preferences?) {
        func preference(_ feature: DirectFeature) -> FeaturePreference {
            forContact.preference(of: feature) ?? standard?.preference(of: feature) ?? feature.defaultPreference
        }
        self.init(
            timedMessages: preference(.timedMessages).apiTimedMessages,
            fullDelete: preference(.fullDelete).api,
            reactions: preference(.reactions).api,
            voice: preference(.voice).api,
            files: preference(.files).api,
            calls: preference(.calls).api,
            sessions: preference(.sessions).api,
            commands: forContact.commands ?? standard?.commands ?? []
        )
    }
}

extension ContactUserPreferences {
    init(_ contact: ContactRecord, user: UserRecord) {
        func preference(_ feature: DirectFeature) -> ContactUserPreference {
            let state = contact.feature(feature, user: user)
            let own = SimplePreference(
                allow: state.userPreference.allow,
                ttl: state.userPreference.lifetimeSeconds.map { Int(clamping: $0) }
            )
            let theirs = SimplePreference(
                allow: state.contactPreference.allow,
                ttl: state.contactPreference.lifetimeSeconds.map { Int(clamping: $0) }
            )
            // A contact who knows an incognito profile of the user does not get the user's preferences for all
            // contacts.
            let isForAll = state.usesDefaultPreference && !contact.isIncognito
            return ContactUserPreference(
                enabled: state.enabledSides.api,
                userPreference: isForAll ? .user(preference: own) : .contact(preference: own),
                contactPreference: theirs
            )
        }
        self.init(
            timedMessages: preference(.timedMessages),
            fullDelete: preference(.fullDelete),
            reactions: preference(.reactions),
            voice: preference(.voice),
            files: preference(.files),
            calls: preference(.calls),
            sessions: preference(.sessions),
            commands: contact.profile.preferences?.commands
        )
    }
}
