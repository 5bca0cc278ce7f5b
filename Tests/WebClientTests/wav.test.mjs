// Tests of converting recordings to WAV files.
import assert from "node:assert/strict"
import test from "node:test"

const { wav } = await import(`${process.env.CLIENT}/composer/wav.js`)

/** Returns the sample of a byte of the μ-law of G.711. */
function sample(byte) {
  const bits = ~byte & 0xff
  const size = (((bits & 0x0f) << 3) + 132 << (bits >> 4 & 7)) - 132
  return (bits & 0x80 ? -size : size) / 32_768
}

test("The bytes have the header of a WAV file with μ-law samples", () => {
  const bytes = wav(new Float32Array(1000), 8000), data = new DataView(bytes.buffer)
  const text = (at, length) => String.fromCharCode(...bytes.slice(at, at + length))
  assert.equal(bytes.length, 1058)
  assert.deepEqual([text(0, 4), text(8, 8), text(38, 4), text(50, 4)], ["RIFF", "WAVEfmt ", "fact", "data"])
  assert.equal(data.getUint32(4, true), bytes.length - 8)
  // Format 7 (μ-law), one channel, 8000 bytes per second, 8 bits per sample.
  assert.deepEqual([20, 22, 32, 34].map(at => data.getUint16(at, true)), [7, 1, 1, 8])
  assert.deepEqual([24, 28, 46, 54].map(at => data.getUint32(at, true)), [8000, 8000, 1000, 1000])
})

test("Each sample is read back with the precision of G.711", () => {
  const samples = Float32Array.from({ length: 2001 }, (_, index) => (index - 1000) / 1000)
  const bytes = wav(samples, 16_000).subarray(58)
  for (const [index, byte] of bytes.entries()) {
    const wanted = samples[index]
    assert.ok(Math.abs(sample(byte) - wanted) <= Math.max(0.0005, Math.abs(wanted) * 0.04), `${wanted} ${sample(byte)}`)
  }
  // Samples outside the limits are clipped.
  assert.deepEqual([...wav(Float32Array.of(2, -2, 0), 8000).subarray(58)], [0x80, 0x00, 0xff])
})
