#include "embedded.h"

// The documentation (guide) with the changelog is part of the executable, so that the program finds it wherever the
// program is installed. A test compares this list with the folder of the documentation.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t AddingACommand_md[] = {
#embed "../simplex-gateway/Documentation.docc/Architecture/AddingACommand.md"
};
static const uint8_t AddingAPageView_md[] = {
#embed "../simplex-gateway/Documentation.docc/Architecture/AddingAPageView.md"
};
static const uint8_t AddingASetting_md[] = {
#embed "../simplex-gateway/Documentation.docc/Architecture/AddingASetting.md"
};
static const uint8_t AddingATable_md[] = {
#embed "../simplex-gateway/Documentation.docc/Architecture/AddingATable.md"
};
static const uint8_t AddingAWorker_md[] = {
#embed "../simplex-gateway/Documentation.docc/Architecture/AddingAWorker.md"
};
static const uint8_t AddingAnEvent_md[] = {
#embed "../simplex-gateway/Documentation.docc/Architecture/AddingAnEvent.md"
};
static const uint8_t Agents_md[] = {
#embed "../simplex-gateway/Documentation.docc/Agents.md"
};
static const uint8_t Architecture_md[] = {
#embed "../simplex-gateway/Documentation.docc/Architecture/Architecture.md"
};
static const uint8_t Backup_md[] = {
#embed "../simplex-gateway/Documentation.docc/Backup.md"
};
static const uint8_t Bots_md[] = {
#embed "../simplex-gateway/Documentation.docc/Bots.md"
};
static const uint8_t Browsers_md[] = {
#embed "../simplex-gateway/Documentation.docc/Browsers.md"
};
static const uint8_t Changelog_md[] = {
#embed "../../.github/CHANGELOG.md"
};
static const uint8_t Configuration_md[] = {
#embed "../simplex-gateway/Documentation.docc/Configuration.md"
};
static const uint8_t CrashSafety_md[] = {
#embed "../simplex-gateway/Documentation.docc/Architecture/CrashSafety.md"
};
static const uint8_t Events_md[] = {
#embed "../simplex-gateway/Documentation.docc/Events.md"
};
static const uint8_t Files_md[] = {
#embed "../simplex-gateway/Documentation.docc/Files.md"
};
static const uint8_t FirstMinutes_md[] = {
#embed "../simplex-gateway/Documentation.docc/FirstMinutes.md"
};
static const uint8_t Glossary_md[] = {
#embed "../simplex-gateway/Documentation.docc/Architecture/Glossary.md"
};
static const uint8_t Groups_md[] = {
#embed "../simplex-gateway/Documentation.docc/Groups.md"
};
static const uint8_t Integrations_md[] = {
#embed "../simplex-gateway/Documentation.docc/Integrations.md"
};
static const uint8_t Keys_md[] = {
#embed "../simplex-gateway/Documentation.docc/Keys.md"
};
static const uint8_t LifeOfACommand_md[] = {
#embed "../simplex-gateway/Documentation.docc/Architecture/LifeOfACommand.md"
};
static const uint8_t LifeOfAGroupMessage_md[] = {
#embed "../simplex-gateway/Documentation.docc/Architecture/LifeOfAGroupMessage.md"
};
static const uint8_t LifeOfAnEvent_md[] = {
#embed "../simplex-gateway/Documentation.docc/Architecture/LifeOfAnEvent.md"
};
static const uint8_t Mechanics_md[] = {
#embed "../simplex-gateway/Documentation.docc/Architecture/Mechanics.md"
};
static const uint8_t Modules_md[] = {
#embed "../simplex-gateway/Documentation.docc/Architecture/Modules.md"
};
static const uint8_t Moving_md[] = {
#embed "../simplex-gateway/Documentation.docc/Moving.md"
};
static const uint8_t Names_md[] = {
#embed "../simplex-gateway/Documentation.docc/Names.md"
};
static const uint8_t Operations_md[] = {
#embed "../simplex-gateway/Documentation.docc/Operations.md"
};
static const uint8_t Phones_md[] = {
#embed "../simplex-gateway/Documentation.docc/Phones.md"
};
static const uint8_t ProtocolsAndSpecifications_md[] = {
#embed "../simplex-gateway/Documentation.docc/Architecture/ProtocolsAndSpecifications.md"
};
static const uint8_t Python_md[] = {
#embed "../simplex-gateway/Documentation.docc/Python.md"
};
static const uint8_t Relays_md[] = {
#embed "../simplex-gateway/Documentation.docc/Relays.md"
};
static const uint8_t Scaling_md[] = {
#embed "../simplex-gateway/Documentation.docc/Scaling.md"
};
static const uint8_t SecurityModel_md[] = {
#embed "../simplex-gateway/Documentation.docc/Architecture/SecurityModel.md"
};
static const uint8_t Sending_md[] = {
#embed "../simplex-gateway/Documentation.docc/Sending.md"
};
static const uint8_t Start_md[] = {
#embed "../simplex-gateway/Documentation.docc/Start.md"
};
static const uint8_t Stores_md[] = {
#embed "../simplex-gateway/Documentation.docc/Stores.md"
};
static const uint8_t StoresAndDatabases_md[] = {
#embed "../simplex-gateway/Documentation.docc/Architecture/StoresAndDatabases.md"
};
static const uint8_t TLS_md[] = {
#embed "../simplex-gateway/Documentation.docc/TLS.md"
};
static const uint8_t Testing_md[] = {
#embed "../simplex-gateway/Documentation.docc/Architecture/Testing.md"
};
static const uint8_t ThreadsAndBlocking_md[] = {
#embed "../simplex-gateway/Documentation.docc/Architecture/ThreadsAndBlocking.md"
};
static const uint8_t Troubleshooting_md[] = {
#embed "../simplex-gateway/Documentation.docc/Troubleshooting.md"
};
static const uint8_t TypeScript_md[] = {
#embed "../simplex-gateway/Documentation.docc/TypeScript.md"
};
static const uint8_t Webhooks_md[] = {
#embed "../simplex-gateway/Documentation.docc/Webhooks.md"
};
static const uint8_t benchmarks_svg[] = {
#embed "../simplex-gateway/Documentation.docc/Resources/benchmarks.svg"
};
static const uint8_t simplex_gateway_md[] = {
#embed "../simplex-gateway/Documentation.docc/simplex-gateway.md"
};
static const uint8_t web_client_png[] = {
#embed "../simplex-gateway/Documentation.docc/Resources/web-client.png"
};

static const struct sxgw_file files[] = {
    {"AddingACommand.md", AddingACommand_md, sizeof AddingACommand_md},
    {"AddingAPageView.md", AddingAPageView_md, sizeof AddingAPageView_md},
    {"AddingASetting.md", AddingASetting_md, sizeof AddingASetting_md},
    {"AddingATable.md", AddingATable_md, sizeof AddingATable_md},
    {"AddingAWorker.md", AddingAWorker_md, sizeof AddingAWorker_md},
    {"AddingAnEvent.md", AddingAnEvent_md, sizeof AddingAnEvent_md},
    {"Agents.md", Agents_md, sizeof Agents_md},
    {"Architecture.md", Architecture_md, sizeof Architecture_md},
    {"Backup.md", Backup_md, sizeof Backup_md},
    {"Bots.md", Bots_md, sizeof Bots_md},
    {"Browsers.md", Browsers_md, sizeof Browsers_md},
    {"Changelog.md", Changelog_md, sizeof Changelog_md},
    {"Configuration.md", Configuration_md, sizeof Configuration_md},
    {"CrashSafety.md", CrashSafety_md, sizeof CrashSafety_md},
    {"Events.md", Events_md, sizeof Events_md},
    {"Files.md", Files_md, sizeof Files_md},
    {"FirstMinutes.md", FirstMinutes_md, sizeof FirstMinutes_md},
    {"Glossary.md", Glossary_md, sizeof Glossary_md},
    {"Groups.md", Groups_md, sizeof Groups_md},
    {"Integrations.md", Integrations_md, sizeof Integrations_md},
    {"Keys.md", Keys_md, sizeof Keys_md},
    {"LifeOfACommand.md", LifeOfACommand_md, sizeof LifeOfACommand_md},
    {"LifeOfAGroupMessage.md", LifeOfAGroupMessage_md, sizeof LifeOfAGroupMessage_md},
    {"LifeOfAnEvent.md", LifeOfAnEvent_md, sizeof LifeOfAnEvent_md},
    {"Mechanics.md", Mechanics_md, sizeof Mechanics_md},
    {"Modules.md", Modules_md, sizeof Modules_md},
    {"Moving.md", Moving_md, sizeof Moving_md},
    {"Names.md", Names_md, sizeof Names_md},
    {"Operations.md", Operations_md, sizeof Operations_md},
    {"Phones.md", Phones_md, sizeof Phones_md},
    {"ProtocolsAndSpecifications.md", ProtocolsAndSpecifications_md, sizeof ProtocolsAndSpecifications_md},
    {"Python.md", Python_md, sizeof Python_md},
    {"Relays.md", Relays_md, sizeof Relays_md},
    {"Scaling.md", Scaling_md, sizeof Scaling_md},
    {"SecurityModel.md", SecurityModel_md, sizeof SecurityModel_md},
    {"Sending.md", Sending_md, sizeof Sending_md},
    {"Start.md", Start_md, sizeof Start_md},
    {"Stores.md", Stores_md, sizeof Stores_md},
    {"StoresAndDatabases.md", StoresAndDatabases_md, sizeof StoresAndDatabases_md},
    {"TLS.md", TLS_md, sizeof TLS_md},
    {"Testing.md", Testing_md, sizeof Testing_md},
    {"ThreadsAndBlocking.md", ThreadsAndBlocking_md, sizeof ThreadsAndBlocking_md},
    {"Troubleshooting.md", Troubleshooting_md, sizeof Troubleshooting_md},
    {"TypeScript.md", TypeScript_md, sizeof TypeScript_md},
    {"Webhooks.md", Webhooks_md, sizeof Webhooks_md},
    {"benchmarks.svg", benchmarks_svg, sizeof benchmarks_svg},
    {"simplex-gateway.md", simplex_gateway_md, sizeof simplex_gateway_md},
    {"web-client.png", web_client_png, sizeof web_client_png},
};

const struct sxgw_file *sxgw_guide(size_t *count) {
    *count = sizeof files / sizeof *files;
    return files;
}
