import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, readConfig } from './config.ts'

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }

for (const [what, env, sampling] of [
  ['no collector', {}, undefined],
  ['a collector', endpoint, { ratio: 1, parentBased: true }],
  [
    'a collector of traces',
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://x/v1/traces' },
    { ratio: 1, parentBased: true },
  ],
  ['all of it off', { ...endpoint, OTEL_SDK_DISABLED: 'true' }, undefined],
  ['traces off', { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, undefined],
  [
    'a sampler that takes nothing',
    { ...endpoint, OTEL_TRACES_SAMPLER: 'always_off' },
    { ratio: 0, parentBased: false },
  ],
  [
    'a share',
    { ...endpoint, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' },
    { ratio: 0.25, parentBased: true },
  ],
] as const)
  test(`${what}: traces are ${sampling ? 'sampled so' : 'off'}`, () => {
    assert.deepEqual(readConfig(env).tracing, sampling)
  })

test('unusable values are reported', () => {
  const wrong = { OTEL_EXPORTER_OTLP_ENDPOINT: 'x:4317', OTEL_TRACES_SAMPLER: 'some', OTEL_TRACES_SAMPLER_ARG: '2' }
  assert.throws(
    () => readConfig(wrong),
    (error) =>
      error instanceof ConfigError &&
      /^OTEL_EXPORTER_OTLP_ENDPOINT is not a URL[^\n]*\nOTEL_TRACES_SAMPLER is "some"[^\n]*\nOTEL_TRACES_SAMPLER_ARG is "2"/.test(
        error.message,
      ),
  )
})
