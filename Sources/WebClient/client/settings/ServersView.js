// The page of the settings about the network: servers with a test of each, their operators with the conditions of use,
// and statistics since the start of the gateway.
import {
  app, button, choice, dialog, el, fact, host, isSafe, number, row, say, section, sign, size, sure, text, toggle,
  wholeTime, words,
} from "../elements/base.js"
import { editNetwork, editServers } from "./SettingsView.js"

/** @typedef {import("../elements/rows.js").Section} Section */

/** Returns the sections of the page. `redraw` is called after a change of the operators. */
export async function networkSections(/** @type {() => void} */ redraw) {
  const isAdmin = app.rights.scopes.includes("admin")
  const [{ userServers }, { conditions }] =
    await Promise.all([app.get("/servers"), app.api.get("/v1/server-operators")])
  return /** @type {Section[]} */ ([
    { rows: [
      row(words.servers, () => editServers()),
      isAdmin && row(words.network, editNetwork),
      isAdmin && row(words.serverStatistics, showStatistics),
    ] },
    ...conditions.serverOperators.map(operator => operatorSection(operator, conditions, isAdmin, redraw)),
    ...testSections(userServers),
  ])
}

/** Makes the sections with the servers in use, each of which is tested when its row is pressed. */
function testSections(userServers) {
  const inUse = list => list.filter(({ enabled, deleted }) => enabled && !deleted).map(({ server }) => testOf(server))
  const smp = inUse(userServers.flatMap(({ smpServers }) => smpServers))
  const xftp = inUse(userServers.flatMap(({ xftpServers }) => xftpServers))
  const all = async () => { for (const { run } of [...smp, ...xftp]) await run() }
  const lines = tests => tests.map(({ line }) => line)
  return [
    { title: words.forMessages, rows: lines(smp), note: words.testExplained },
    { title: words.forFiles, rows: lines(xftp) },
    { rows: [smp.length + xftp.length > 1 && row(words.testServers, all)] },
  ]
}

/** Returns the first host of a server. The other hosts are its addresses in Tor. */
const nameOf = (/** @type {string} */ server) => host(server).split(",")[0]

/** Makes a row for the test of a server, and the function that runs the test. */
function testOf(/** @type {string} */ server) {
  const result = el("small", { role: "status" })
  let isRunning = false
  const run = async () => {
    if (isRunning) return
    isRunning = true
    result.className = ""
    result.textContent = words.testRuns
    try {
      const { testFailure } = await app.post("/servers/test", { server })
      result.className = testFailure ? "problem" : ""
      result.textContent = testFailure
        ? words.testFailed(words.testStep[testFailure.testStep] ?? testFailure.testStep)
        : words.testPassed
    } catch (error) {
      result.textContent = ""
      throw error
    } finally { isRunning = false }
  }
  return { run, line: row(text(nameOf(server)), run, { note: result }) }
}

/** Makes the section of an operator of servers. */
function operatorSection(operator, { currentConditions }, isAdmin, redraw) {
  const { operatorId, tradeName, legalName, conditionsAcceptance: { type, acceptedAt }, enabled } = operator
  const isAccepted = type == "accepted"
  const since = acceptedAt ? words.acceptedOn(wholeTime(acceptedAt)) : words.accepted
  const accepted = isAccepted ? since : words.notAccepted
  const use = async isOn => {
    // A user must accept the conditions before the servers of an operator are used.
    if (isOn && !isAccepted && !await showConditions(operator, currentConditions, true)) return false
    const { conditions } = await app.api.get("/v1/server-operators")
    const operators = conditions.serverOperators
      .filter(other => other.operatorId == operatorId)
      .map(other => ({ ...other, enabled: isOn }))
    await app.api.put("/v1/server-operators", { operators })
    redraw()
  }
  const read = async () => { if (await showConditions(operator, currentConditions, isAdmin && !isAccepted)) redraw() }
  return {
    title: tradeName,
    rows: [
      isAdmin && toggle(words.useServers, enabled, use, legalName ?? ""),
      row(words.conditions, read, { note: el("small", { class: isAccepted ? "" : "problem" }, accepted) }),
    ],
  }
}

/** Shows the conditions of use. Returns whether the user has accepted them. */
async function showConditions({ operatorId, tradeName }, { conditionsId }, mayAccept) {
  const { conditionsText } = await app.api.get("/v1/usage-conditions")
  const shown = conditionsText.split(/(https:\/\/[^\s<>"]+)/).map(part =>
    (part.startsWith("https://") && isSafe(part)
      ? el("a", { href: part, target: "_blank", rel: "noopener noreferrer" }, part)
      : part))
  let isAccepted = false
  const accept = async () => {
    await app.api.post(`/v1/usage-conditions/${conditionsId}/accept`, { operatorIds: [operatorId] })
    isAccepted = true
    box.close()
  }
  const box = dialog(words.conditionsOf(tradeName), el("p.explanation", shown),
    mayAccept && el("footer", button(words.accept, accept, { kind: "primary" })))
  await new Promise(end => box.addEventListener("close", end))
  return isAccepted
}

const sum = (stats, names) => names.reduce((all, name) => all + (stats?.[name] ?? 0), 0)
const sent = ["_sentDirect", "_sentViaProxy", "_sentProxied"]
const sendErrors = ["_sentAuthErrs", "_sentQuotaErrs", "_sentExpiredErrs", "_sentOtherErrs"]
const receiveErrors = ["_recvDuplicates", "_recvCryptoErrs", "_recvErrs"]

/** Makes the rows of a server, or of all servers, for messages. */
const messageFacts = ({ sessions, subs, stats }) => [
  sessions && fact(words.sessions, number(sessions.ssConnected)),
  sessions?.ssErrors > 0 && fact(words.sessionErrors, number(sessions.ssErrors)),
  subs && fact(words.subscriptions, `${number(subs.ssActive)} / ${number(subs.ssActive + subs.ssPending)}`),
  stats && [
    fact(words.messagesSent, number(sum(stats, sent))),
    fact(words.sendErrors, number(sum(stats, sendErrors))),
    fact(words.messagesReceived, number(sum(stats, ["_recvMsgs"]))),
    fact(words.receiveErrors, number(sum(stats, receiveErrors))),
  ],
]
/** Makes the rows of a server, or of all servers, for files. */
const fileFacts = ({ stats }) => stats && [
  fact(words.uploaded, size(sum(stats, ["_uploadsSize"]) * 1024)),
  fact(words.downloaded, size(sum(stats, ["_downloadsSize"]) * 1024)),
  fact(words.fileErrors, number(sum(stats, ["_uploadErrs", "_downloadErrs", "_downloadAuthErrs", "_deleteErrs"]))),
]

/** Shows the statistics of this profile or of all profiles, in total and by server. */
async function showStatistics() {
  const place = el("div.place", { role: "status" })
  let isOfAll = false
  const shown = choice(words.statisticsOf, "", [["", words.thisProfile], ["all", words.allProfiles]], value => {
    isOfAll = value == "all"
    return draw()
  })
  const reconnect = async () => { await app.api.post("/v1/servers/reconnect"); say(words.reconnects); await draw() }
  const reset = () => sure(words.resetStatistics, words.resetExplained, words.resetStatistics, async () => {
    await app.api.delete("/v1/diagnostics/servers")
    await draw()
  })
  const draw = async () => {
    const { serversSummary: all } = await app.get("/diagnostics/servers")
    const [smp, xftp] = isOfAll
      ? [all.allUsersSMP, all.allUsersXFTP]
      : [all.currentUserSMP, all.currentUserXFTP]
    const lists = [
      ...Object.entries(smp).map(([name, servers]) => [name, servers, "smpServer", messageFacts]),
      ...Object.entries(xftp).map(([name, servers]) => [name, servers, "xftpServer", fileFacts]),
    ]
    const servers = lists.filter(([, list]) => Array.isArray(list)).flatMap(([, list, name, facts]) =>
      list.map(server => row([text(nameOf(server[name])),
        server.sessions?.ssConnected > 0 && [" ", sign(words.connectedServer, "●")]], () =>
        dialog(nameOf(server[name]), section({ rows: [facts(server)] }) || words.nothingFound))))
    place.replaceChildren(...[
      section({ title: words.forMessages, rows: [messageFacts(smp.smpTotals)] }),
      section({ title: words.forFiles, rows: [fileFacts(xftp.xftpTotals)] }),
      section({ title: words.servers, rows: servers, note: words.statisticsSince(wholeTime(all.statsStartedAt)) }),
    ].filter(part => part instanceof Element))
  }
  await draw()
  dialog(words.serverStatistics, section({ rows: [shown] }), place, el("footer",
    button(words.resetStatistics, reset, { kind: "danger" }), button(words.reconnect, reconnect)))
}
