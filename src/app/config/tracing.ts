import { quote, type Reader, Unusable } from './reader.ts'

/** Which requests and messages are traced: a share of them. With `parentBased`, the parent decides if there is one. */
export interface Sampling {
  readonly ratio: number
  readonly parentBased: boolean
}

/** Reads the variables of OpenTelemetry ("SDK Environment Variables"). The exporter reads its endpoint itself. */
export function readTracing(read: Reader): Sampling | undefined {
  const endpoint = read.value('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', parseEndpoint)
  const general = read.value('OTEL_EXPORTER_OTLP_ENDPOINT', parseEndpoint)
  const disabled = read.value('OTEL_SDK_DISABLED', (text) => text.toLowerCase() === 'true') ?? false
  const none = read.value('OTEL_TRACES_EXPORTER', (text) => text.toLowerCase() === 'none') ?? false
  const sampler = read.value('OTEL_TRACES_SAMPLER', parseSampler) ?? 'parentbased_always_on'
  const share = read.value('OTEL_TRACES_SAMPLER_ARG', parseShare) ?? 1
  if (disabled || none || (endpoint ?? general) === undefined) return undefined
  const ratio = sampler.endsWith('always_off') ? 0 : sampler.endsWith('always_on') ? 1 : share
  return { ratio, parentBased: sampler.startsWith('parentbased_') }
}

function parseEndpoint(text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : undefined
  if (protocol === 'http:' || protocol === 'https:') return text
  throw new Unusable('is not a URL: set it to that of a collector for OTLP over HTTP, such as http://127.0.0.1:4318')
}

const samplers = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`])

function parseSampler(text: string): string {
  if (samplers.includes(text)) return text
  throw new Unusable(`is ${quote(text)}: set it to one of ${samplers.join(', ')}`)
}

function parseShare(text: string): number {
  const share = Number(text)
  if (share >= 0 && share <= 1) return share
  throw new Unusable(`is ${quote(text)}: set it to a share from 0 to 1`)
}
