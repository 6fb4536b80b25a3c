import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from './config.ts'

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }

const always = { ratio: 1, parentBased: true }
const share = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }
for (const [what, env, sampling] of [
  ['no collector', {}, undefined],
  ['a collector', endpoint, always],
  ['a collector of traces', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://x/v1/traces' }, always],
  ['all of it off', { ...endpoint, OTEL_SDK_DISABLED: 'true' }, undefined],
  ['traces off', { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, undefined],
  ['nothing sampled', { ...endpoint, OTEL_TRACES_SAMPLER: 'always_off' }, { ratio: 0, parentBased: false }],
  ['a share', { ...endpoint, ...share }, { ratio: 0.25, parentBased: true }],
] as const)
  test(`${what}: traces are ${sampling ? 'sampled so' : 'off'}`, () => {
    assert.deepEqual(readConfig(env).tracing, sampling)
  })

test('unusable values are reported', () => {
  const wrong = { OTEL_EXPORTER_OTLP_ENDPOINT: 'x:4317', OTEL_TRACES_SAMPLER: 'some', OTEL_TRACES_SAMPLER_ARG: '2' }
  const said = [
    ...['OTEL_EXPORTER_OTLP_ENDPOINT is not a URL', 'OTEL_TRACES_SAMPLER is "some"', 'OTEL_TRACES_SAMPLER_ARG is "2"'],
  ]
  assert.throws(() => readConfig(wrong), new RegExp(`^ConfigError: ${said.join('[^\\n]*\\n')}`))
})
