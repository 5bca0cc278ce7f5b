// Follows the changes at `path` for ever. `begin` reads and shows everything, and returns the cursor of what it has read.
async function follow(path, begin, change) {
  for (let cursor; ; await new Promise(next => setTimeout(next, 1000))) {
    try {
      cursor ??= await begin()
      const source = new EventSource(`${gateway}${path}?cursor=${cursor}&ticket=${await ticket(path)}`)
      await new Promise(ended => {
        source.onmessage = ({ data, lastEventId }) => { change(JSON.parse(data).event); cursor = lastEventId }
        source.addEventListener("gap", () => { cursor = undefined; ended() })            // too late: everything is read again
        source.onerror = () => { if (source.readyState == EventSource.CLOSED) ended() }  // the ticket is no longer good
      })
      source.close()
    } catch (error) { console.log(error) }                                               // the gateway does not answer
  }
}
follow(`${model}/changes`, async () => {
  const answer = await fetch(`${gateway}${model}?ticket=${await ticket(model)}`).then(answer => answer.json())
  show(answer.model)
  return answer.id
}, change => patch(change.patch))
