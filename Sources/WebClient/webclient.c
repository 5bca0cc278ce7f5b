#include "webclient.h"

// Part of the program, so that it finds its page wherever it is installed. A test compares the list with the folder.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t AnimatedImageView_js[] = {
#embed "client/AnimatedImageView.js"
};
static const uint8_t CICallItemView_js[] = {
#embed "client/CICallItemView.js"
};
static const uint8_t CIChatFeatureView_js[] = {
#embed "client/CIChatFeatureView.js"
};
static const uint8_t CIEventView_js[] = {
#embed "client/CIEventView.js"
};
static const uint8_t CIFeaturePreferenceView_js[] = {
#embed "client/CIFeaturePreferenceView.js"
};
static const uint8_t CIFileView_js[] = {
#embed "client/CIFileView.js"
};
static const uint8_t CIGroupInvitationView_js[] = {
#embed "client/CIGroupInvitationView.js"
};
static const uint8_t CIImageView_js[] = {
#embed "client/CIImageView.js"
};
static const uint8_t CIInvalidJSONView_js[] = {
#embed "client/CIInvalidJSONView.js"
};
static const uint8_t CILinkView_js[] = {
#embed "client/CILinkView.js"
};
static const uint8_t CIMemberCreatedContactView_js[] = {
#embed "client/CIMemberCreatedContactView.js"
};
static const uint8_t CIMetaView_js[] = {
#embed "client/CIMetaView.js"
};
static const uint8_t CIRcvDecryptionError_js[] = {
#embed "client/CIRcvDecryptionError.js"
};
static const uint8_t CIUnknownItemView_js[] = {
#embed "client/CIUnknownItemView.js"
};
static const uint8_t CIVideoView_js[] = {
#embed "client/CIVideoView.js"
};
static const uint8_t CIVoiceView_js[] = {
#embed "client/CIVoiceView.js"
};
static const uint8_t CallView_js[] = {
#embed "client/CallView.js"
};
static const uint8_t ChannelMembersView_js[] = {
#embed "client/ChannelMembersView.js"
};
static const uint8_t ChannelRelaysView_js[] = {
#embed "client/ChannelRelaysView.js"
};
static const uint8_t ChatBannerView_js[] = {
#embed "client/ChatBannerView.js"
};
static const uint8_t ChatInfoView_js[] = {
#embed "client/ChatInfoView.js"
};
static const uint8_t ChatItemInfoView_js[] = {
#embed "client/ChatItemInfoView.js"
};
static const uint8_t ChatItemView_js[] = {
#embed "client/ChatItemView.js"
};
static const uint8_t ChatLinkView_js[] = {
#embed "client/ChatLinkView.js"
};
static const uint8_t ChatListView_js[] = {
#embed "client/ChatListView.js"
};
static const uint8_t ChatPreviewView_js[] = {
#embed "client/ChatPreviewView.js"
};
static const uint8_t ChatView_js[] = {
#embed "client/ChatView.js"
};
static const uint8_t ComposeView_js[] = {
#embed "client/ComposeView.js"
};
static const uint8_t DatabaseView_js[] = {
#embed "client/DatabaseView.js"
};
static const uint8_t DeletedItemView_js[] = {
#embed "client/DeletedItemView.js"
};
static const uint8_t DevicesView_js[] = {
#embed "client/DevicesView.js"
};
static const uint8_t EmojiItemView_js[] = {
#embed "client/EmojiItemView.js"
};
static const uint8_t ForwardView_js[] = {
#embed "client/ForwardView.js"
};
static const uint8_t FramedCIVoiceView_js[] = {
#embed "client/FramedCIVoiceView.js"
};
static const uint8_t FramedItemView_js[] = {
#embed "client/FramedItemView.js"
};
static const uint8_t FullScreenMediaView_js[] = {
#embed "client/FullScreenMediaView.js"
};
static const uint8_t GroupChatInfoView_js[] = {
#embed "client/GroupChatInfoView.js"
};
static const uint8_t GroupLinkView_js[] = {
#embed "client/GroupLinkView.js"
};
static const uint8_t GroupMemberInfoView_js[] = {
#embed "client/GroupMemberInfoView.js"
};
static const uint8_t GroupMentionsView_js[] = {
#embed "client/GroupMentionsView.js"
};
static const uint8_t ImageView_js[] = {
#embed "client/ImageView.js"
};
static const uint8_t IncomingCallView_js[] = {
#embed "client/IncomingCallView.js"
};
static const uint8_t IntegrityErrorItemView_js[] = {
#embed "client/IntegrityErrorItemView.js"
};
static const uint8_t MarkedDeletedItemView_js[] = {
#embed "client/MarkedDeletedItemView.js"
};
static const uint8_t MsgContentView_js[] = {
#embed "client/MsgContentView.js"
};
static const uint8_t NewChannelView_js[] = {
#embed "client/NewChannelView.js"
};
static const uint8_t NewChatView_js[] = {
#embed "client/NewChatView.js"
};
static const uint8_t ProfileImage_js[] = {
#embed "client/ProfileImage.js"
};
static const uint8_t ProfilesView_js[] = {
#embed "client/ProfilesView.js"
};
static const uint8_t QueuedItemView_js[] = {
#embed "client/QueuedItemView.js"
};
static const uint8_t QuoteView_js[] = {
#embed "client/QuoteView.js"
};
static const uint8_t SearchView_js[] = {
#embed "client/SearchView.js"
};
static const uint8_t SecondaryView_js[] = {
#embed "client/SecondaryView.js"
};
static const uint8_t SettingsView_js[] = {
#embed "client/SettingsView.js"
};
static const uint8_t SignInView_js[] = {
#embed "client/SignInView.js"
};
static const uint8_t api_js[] = {
#embed "client/api.js"
};
static const uint8_t app_js[] = {
#embed "client/app.js"
};
static const uint8_t base_js[] = {
#embed "client/base.js"
};
static const uint8_t calls_js[] = {
#embed "client/calls.js"
};
static const uint8_t channelRelays_js[] = {
#embed "client/channelRelays.js"
};
static const uint8_t chatDetails_js[] = {
#embed "client/chatDetails.js"
};
static const uint8_t chats_js[] = {
#embed "client/chats.js"
};
static const uint8_t clipboard_js[] = {
#embed "client/clipboard.js"
};
static const uint8_t dialogs_js[] = {
#embed "client/dialogs.js"
};
static const uint8_t dom_js[] = {
#embed "client/dom.js"
};
static const uint8_t drafts_js[] = {
#embed "client/drafts.js"
};
static const uint8_t en_json[] = {
#embed "client/en.json"
};
static const uint8_t files_js[] = {
#embed "client/files.js"
};
static const uint8_t follow_js[] = {
#embed "client/follow.js"
};
static const uint8_t frames_js[] = {
#embed "client/frames.js"
};
static const uint8_t icon_png[] = {
#embed "client/icon.png"
};
static const uint8_t icon_svg[] = {
#embed "client/icon.svg"
};
static const uint8_t icons_js[] = {
#embed "client/icons.js"
};
static const uint8_t icons_json[] = {
#embed "client/icons.json"
};
static const uint8_t index_html[] = {
#embed "client/index.html"
};
static const uint8_t itemMenu_js[] = {
#embed "client/itemMenu.js"
};
static const uint8_t keyed_js[] = {
#embed "client/keyed.js"
};
static const uint8_t link_js[] = {
#embed "client/link.js"
};
static const uint8_t linkCards_js[] = {
#embed "client/linkCards.js"
};
static const uint8_t links_js[] = {
#embed "client/links.js"
};
static const uint8_t lzstring_js[] = {
#embed "client/lzstring.js"
};
static const uint8_t main_js[] = {
#embed "client/main.js"
};
static const uint8_t manifest_webmanifest[] = {
#embed "client/manifest.webmanifest"
};
static const uint8_t mask_svg[] = {
#embed "client/mask.svg"
};
static const uint8_t news_js[] = {
#embed "client/news.js"
};
static const uint8_t outbox_js[] = {
#embed "client/outbox.js"
};
static const uint8_t patch_js[] = {
#embed "client/patch.js"
};
static const uint8_t pictureSize_js[] = {
#embed "client/pictureSize.js"
};
static const uint8_t pictures_js[] = {
#embed "client/pictures.js"
};
static const uint8_t profileForms_js[] = {
#embed "client/profileForms.js"
};
static const uint8_t push_js[] = {
#embed "client/push.js"
};
static const uint8_t recorder_js[] = {
#embed "client/recorder.js"
};
static const uint8_t scan_js[] = {
#embed "client/scan.js"
};
static const uint8_t showLink_js[] = {
#embed "client/showLink.js"
};
static const uint8_t style_css[] = {
#embed "client/style.css"
};
static const uint8_t texts_js[] = {
#embed "client/texts.js"
};
static const uint8_t themes_js[] = {
#embed "client/themes.js"
};
static const uint8_t time_js[] = {
#embed "client/time.js"
};
static const uint8_t unsent_js[] = {
#embed "client/unsent.js"
};
static const uint8_t vault_js[] = {
#embed "client/vault.js"
};
static const uint8_t waiting_js[] = {
#embed "client/waiting.js"
};
static const uint8_t words_js[] = {
#embed "client/words.js"
};
static const uint8_t worker_js[] = {
#embed "client/worker.js"
};

#define FILE_OF(array, name) {name, array, sizeof array}
static const sxgw_web_file files[] = {
    FILE_OF(AnimatedImageView_js, "AnimatedImageView.js"),
    FILE_OF(CICallItemView_js, "CICallItemView.js"),
    FILE_OF(CIChatFeatureView_js, "CIChatFeatureView.js"),
    FILE_OF(CIEventView_js, "CIEventView.js"),
    FILE_OF(CIFeaturePreferenceView_js, "CIFeaturePreferenceView.js"),
    FILE_OF(CIFileView_js, "CIFileView.js"),
    FILE_OF(CIGroupInvitationView_js, "CIGroupInvitationView.js"),
    FILE_OF(CIImageView_js, "CIImageView.js"),
    FILE_OF(CIInvalidJSONView_js, "CIInvalidJSONView.js"),
    FILE_OF(CILinkView_js, "CILinkView.js"),
    FILE_OF(CIMemberCreatedContactView_js, "CIMemberCreatedContactView.js"),
    FILE_OF(CIMetaView_js, "CIMetaView.js"),
    FILE_OF(CIRcvDecryptionError_js, "CIRcvDecryptionError.js"),
    FILE_OF(CIUnknownItemView_js, "CIUnknownItemView.js"),
    FILE_OF(CIVideoView_js, "CIVideoView.js"),
    FILE_OF(CIVoiceView_js, "CIVoiceView.js"),
    FILE_OF(CallView_js, "CallView.js"),
    FILE_OF(ChannelMembersView_js, "ChannelMembersView.js"),
    FILE_OF(ChannelRelaysView_js, "ChannelRelaysView.js"),
    FILE_OF(ChatBannerView_js, "ChatBannerView.js"),
    FILE_OF(ChatInfoView_js, "ChatInfoView.js"),
    FILE_OF(ChatItemInfoView_js, "ChatItemInfoView.js"),
    FILE_OF(ChatItemView_js, "ChatItemView.js"),
    FILE_OF(ChatLinkView_js, "ChatLinkView.js"),
    FILE_OF(ChatListView_js, "ChatListView.js"),
    FILE_OF(ChatPreviewView_js, "ChatPreviewView.js"),
    FILE_OF(ChatView_js, "ChatView.js"),
    FILE_OF(ComposeView_js, "ComposeView.js"),
    FILE_OF(DatabaseView_js, "DatabaseView.js"),
    FILE_OF(DeletedItemView_js, "DeletedItemView.js"),
    FILE_OF(DevicesView_js, "DevicesView.js"),
    FILE_OF(EmojiItemView_js, "EmojiItemView.js"),
    FILE_OF(ForwardView_js, "ForwardView.js"),
    FILE_OF(FramedCIVoiceView_js, "FramedCIVoiceView.js"),
    FILE_OF(FramedItemView_js, "FramedItemView.js"),
    FILE_OF(FullScreenMediaView_js, "FullScreenMediaView.js"),
    FILE_OF(GroupChatInfoView_js, "GroupChatInfoView.js"),
    FILE_OF(GroupLinkView_js, "GroupLinkView.js"),
    FILE_OF(GroupMemberInfoView_js, "GroupMemberInfoView.js"),
    FILE_OF(GroupMentionsView_js, "GroupMentionsView.js"),
    FILE_OF(ImageView_js, "ImageView.js"),
    FILE_OF(IncomingCallView_js, "IncomingCallView.js"),
    FILE_OF(IntegrityErrorItemView_js, "IntegrityErrorItemView.js"),
    FILE_OF(MarkedDeletedItemView_js, "MarkedDeletedItemView.js"),
    FILE_OF(MsgContentView_js, "MsgContentView.js"),
    FILE_OF(NewChannelView_js, "NewChannelView.js"),
    FILE_OF(NewChatView_js, "NewChatView.js"),
    FILE_OF(ProfileImage_js, "ProfileImage.js"),
    FILE_OF(ProfilesView_js, "ProfilesView.js"),
    FILE_OF(QueuedItemView_js, "QueuedItemView.js"),
    FILE_OF(QuoteView_js, "QuoteView.js"),
    FILE_OF(SearchView_js, "SearchView.js"),
    FILE_OF(SecondaryView_js, "SecondaryView.js"),
    FILE_OF(SettingsView_js, "SettingsView.js"),
    FILE_OF(SignInView_js, "SignInView.js"),
    FILE_OF(api_js, "api.js"),
    FILE_OF(app_js, "app.js"),
    FILE_OF(base_js, "base.js"),
    FILE_OF(calls_js, "calls.js"),
    FILE_OF(channelRelays_js, "channelRelays.js"),
    FILE_OF(chatDetails_js, "chatDetails.js"),
    FILE_OF(chats_js, "chats.js"),
    FILE_OF(clipboard_js, "clipboard.js"),
    FILE_OF(dialogs_js, "dialogs.js"),
    FILE_OF(dom_js, "dom.js"),
    FILE_OF(drafts_js, "drafts.js"),
    FILE_OF(en_json, "en.json"),
    FILE_OF(files_js, "files.js"),
    FILE_OF(follow_js, "follow.js"),
    FILE_OF(frames_js, "frames.js"),
    FILE_OF(icon_png, "icon.png"),
    FILE_OF(icon_svg, "icon.svg"),
    FILE_OF(icons_js, "icons.js"),
    FILE_OF(icons_json, "icons.json"),
    FILE_OF(index_html, "index.html"),
    FILE_OF(itemMenu_js, "itemMenu.js"),
    FILE_OF(keyed_js, "keyed.js"),
    FILE_OF(link_js, "link.js"),
    FILE_OF(linkCards_js, "linkCards.js"),
    FILE_OF(links_js, "links.js"),
    FILE_OF(lzstring_js, "lzstring.js"),
    FILE_OF(main_js, "main.js"),
    FILE_OF(manifest_webmanifest, "manifest.webmanifest"),
    FILE_OF(mask_svg, "mask.svg"),
    FILE_OF(news_js, "news.js"),
    FILE_OF(outbox_js, "outbox.js"),
    FILE_OF(patch_js, "patch.js"),
    FILE_OF(pictureSize_js, "pictureSize.js"),
    FILE_OF(pictures_js, "pictures.js"),
    FILE_OF(profileForms_js, "profileForms.js"),
    FILE_OF(push_js, "push.js"),
    FILE_OF(recorder_js, "recorder.js"),
    FILE_OF(scan_js, "scan.js"),
    FILE_OF(showLink_js, "showLink.js"),
    FILE_OF(style_css, "style.css"),
    FILE_OF(texts_js, "texts.js"),
    FILE_OF(themes_js, "themes.js"),
    FILE_OF(time_js, "time.js"),
    FILE_OF(unsent_js, "unsent.js"),
    FILE_OF(vault_js, "vault.js"),
    FILE_OF(waiting_js, "waiting.js"),
    FILE_OF(words_js, "words.js"),
    FILE_OF(worker_js, "worker.js"),
};

const sxgw_web_file *sxgw_web_files(void) { return files; }
size_t sxgw_web_file_count(void) { return sizeof files / sizeof files[0]; }
