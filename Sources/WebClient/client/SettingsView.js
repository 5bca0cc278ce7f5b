// How the gateway reaches relays, which of them the profile uses, and how calls find their way.
import { app, ask, words } from "./base.js"

const choices = { smpProxyMode: ["always", "unknown", "unprotected", "never"], smpProxyFallback: ["allow", "allowProtected", "prohibit"], hostMode: ["public", "onion", "onionViaSocks"] }
const lines = text => text.split("\n").map(line => line.trim()).filter(Boolean)

export async function editNetwork() {
  const { networkConfig } = await app.api.get("/v1/settings/network")
  ask(words.network, [...Object.entries(choices).map(([name, values]) => ({ name, label: words.networkOf[name], value: networkConfig[name], options: values.map(value => [value, words.networkOf[value]]) })),
    { name: "socksProxy", label: words.socksProxy, hint: words.socksProxyHint, value: networkConfig.socksProxy }],
  ({ socksProxy, ...values }) => app.api.put("/v1/settings/network", { ...networkConfig, ...values, socksProxy: socksProxy || undefined }))
}

export async function editCalls() {
  const { appSettings } = await app.api.get("/v1/settings/app"), { webrtcPolicyRelay = true, webrtcICEServers } = appSettings
  ask(words.callSettings, [{ name: "relay", label: words.callRelay, type: "checkbox", value: webrtcPolicyRelay }, { name: "servers", label: words.callServers, hint: words.callServersHint, type: "long", value: webrtcICEServers?.join("\n") }],
    ({ relay, servers }) => app.api.put("/v1/settings/app", { ...appSettings, webrtcPolicyRelay: relay, webrtcICEServers: servers ? lines(servers) : undefined }))
}

/** Those of operators are used or not; one's own are written down, one in a line. */
export async function editServers() {
  const { userServers } = await app.get("/servers"), kinds = { smpServers: "smp:", xftpServers: "xftp:" }
  const each = change => userServers.map(group => ({ ...group, ...Object.fromEntries(Object.keys(kinds).map(kind => [kind, change(group[kind], kind, group)])) }))
  const all = userServers.flatMap(group => [...group.smpServers, ...group.xftpServers]).filter(server => !server.deleted), preset = all.filter(server => server.preset), own = all.filter(server => !server.preset)
  ask(words.servers, [...preset.map(server => ({ name: server.server, label: server.server.replace(/^(\w+:\/\/).*@/, "$1"), type: "checkbox", value: server.enabled })),
    { name: "own", label: words.ownServers, hint: words.ownServersHint, type: "long", value: own.map(server => server.server).join("\n") }], async ({ own: written, ...used }) => {
    const wanted = lines(written), known = new Set(own.map(server => server.server))
    const changed = each((servers, kind, group) => [
      ...servers.map(server => (server.preset ? { ...server, enabled: used[server.server] ?? server.enabled } : { ...server, deleted: !wanted.includes(server.server) })),
      ...group.operator ? [] : wanted.filter(server => server.startsWith(kinds[kind]) && !known.has(server)).map(server => ({ server, preset: false, enabled: true, deleted: false })),
    ])
    await app.put("/servers", { userServers: changed })
  })
}
