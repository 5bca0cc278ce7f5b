// Settings for the network, for servers and relays of the profile, for calls and for media.
import { app, ask, readSettings, row, settingsChanged, toggle, words } from "../elements/base.js"

const choices = {
  smpProxyMode: ["always", "unknown", "unprotected", "never"],
  smpProxyFallback: ["allow", "allowProtected", "prohibit"],
  hostMode: ["public", "onion", "onionViaSocks"],
}
const lines = text => text.split("\n").map(line => line.trim()).filter(Boolean)

export async function editNetwork() {
  const { networkConfig } = await app.api.get("/v1/settings/network")
  ask(words.network,
    [
      ...Object.entries(choices).map(([name, values]) => ({
        name,
        label: words.networkOf[name],
        value: networkConfig[name],
        options: values.map(value => [value, words.networkOf[value]]),
      })),
      { name: "socksProxy", label: words.socksProxy, hint: words.socksProxyHint, value: networkConfig.socksProxy },
    ],
    ({ socksProxy, ...values }) =>
      app.api.patch("/v1/settings/network", { ...values, socksProxy: socksProxy || null }))
}

/** Saves some of the settings of the app. */
async function saveSettings(change) {
  const { appSettings } = await readSettings()
  await app.api.put("/v1/settings/app", { ...appSettings, ...change })
}

/** Returns the rows for calls. */
export async function callRows() {
  const { appSettings: { webrtcPolicyRelay = true, webrtcICEServers } } = await readSettings()
  const editServers = () => ask(words.callServers, [{
    name: "servers",
    label: words.callServers,
    hint: words.callServersHint,
    type: "long",
    value: webrtcICEServers?.join("\n"),
  }], ({ servers }) => saveSettings({ webrtcICEServers: servers ? lines(servers) : undefined }))
  return [
    toggle(words.callRelay, webrtcPolicyRelay, isOn => saveSettings({ webrtcPolicyRelay: isOn }), words.callRelayHint),
    row(words.callServers, editServers),
  ]
}

/** Returns the switch for media that are received when they become visible. */
export async function mediaRow() {
  const { appSettings } = await readSettings()
  return toggle(words.acceptMedia, appSettings.privacyAcceptImages, async isOn => {
    await saveSettings({ privacyAcceptImages: isOn })
    settingsChanged()
  }, words.acceptMediaHint)
}

/**
 * Edits the servers. Preset servers and chat relays have a checkbox. Each of the user's own servers is a line of a text
 * field.
 */
export async function editServers() {
  const { userServers } = await app.get("/servers"), inUse = list => list.filter(({ deleted }) => !deleted)
  const servers = inUse(userServers.flatMap(({ smpServers, xftpServers }) => [...smpServers, ...xftpServers]))
  const own = servers.filter(({ preset }) => !preset)
  const chosen = [
    ...inUse(userServers.flatMap(({ chatRelays }) => chatRelays)),
    ...servers.filter(({ preset }) => preset),
  ]
  const group = userServers.find(({ operator }) => !operator) ?? {}, given = { ...group }
  ask(words.servers, [
    ...chosen.map((it, index) => ({
      name: `${index}`,
      label: it.server?.replace(/^(\w+:\/\/).*@/, "$1") ?? words.chatRelay(it.relayProfile.displayName),
      type: "checkbox",
      value: it.enabled,
    })),
    {
      name: "own",
      label: words.ownServers,
      hint: words.ownServersHint,
      type: "long",
      value: own.map(({ server }) => server).join("\n"),
    },
  ], async ({ own: written, ...used }) => {
    const wanted = lines(written), added = wanted.filter(line => !own.some(({ server }) => server == line))
    for (const [index, it] of chosen.entries()) it.enabled = used[index]
    for (const it of own) it.deleted = !wanted.includes(it.server)
    for (const [kind, scheme] of [["smpServers", "smp:"], ["xftpServers", "xftp:"]])
      group[kind] = [
        ...(given[kind] ?? []),
        ...added
          .filter(line => line.startsWith(scheme))
          .map(server => ({ server, preset: false, enabled: true, deleted: false })),
      ]
    await app.put("/servers", { userServers })
  })
}
