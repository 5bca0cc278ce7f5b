// Converts recordings for browsers that cannot record MP4. The apps cannot play WebM, but the players of all systems
// can play WAV with G.711 samples.

/** Maximal size in bytes of a voice message that the apps receive automatically. */
const small = 522_240
const header = 58

/** Returns a sample between -1 and 1 as a byte of the μ-law of G.711. */
function compressed(/** @type {number} */ sample) {
  const size = Math.min(32_635, Math.abs(Math.round(sample * 32_767))) + 132
  const exponent = 31 - Math.clz32(size) - 7
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | ((size >> (exponent + 3)) & 0x0f)) & 0xff
}

/**
 * Makes the bytes of a WAV file with one channel.
 * @param {Float32Array} samples
 * @param {number} rate the number of samples in a second
 */
export function wav(samples, rate) {
  const bytes = new Uint8Array(header + samples.length), data = new DataView(bytes.buffer)
  const write = (at, name) => bytes.set([...name].map(letter => letter.charCodeAt(0)), at)
  write(0, "RIFF")
  data.setUint32(4, bytes.length - 8, true)
  write(8, "WAVEfmt ")
  data.setUint32(16, 18, true)
  data.setUint16(20, 7, true)
  data.setUint16(22, 1, true)
  data.setUint32(24, rate, true)
  data.setUint32(28, rate, true)
  data.setUint16(32, 1, true)
  data.setUint16(34, 8, true)
  write(38, "fact")
  data.setUint32(42, 4, true)
  data.setUint32(46, samples.length, true)
  write(50, "data")
  data.setUint32(54, samples.length, true)
  for (const [index, sample] of samples.entries()) bytes[header + index] = compressed(sample)
  return bytes
}

/**
 * Converts a recording. A long recording gets a lower sound quality, so that the apps receive it automatically.
 * @param {Blob} recording
 * @param {number} seconds
 */
export async function converted(recording, seconds) {
  const rate = seconds * 16_000 + header < small ? 16_000 : 8000
  const sound = await new OfflineAudioContext(1, 1, rate).decodeAudioData(await recording.arrayBuffer())
  return new Blob([wav(sound.getChannelData(0), rate)], { type: "audio/wav" })
}
