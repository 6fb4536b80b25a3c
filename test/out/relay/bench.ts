import { test } from 'node:test'
import type { Delivery, Outcome, Relay } from '#/out/relay/relay.ts'
import { type Act, Sink, type SinkOptions, type Step } from '#test/world/sockets/sink.ts'
import { type Limits, patience } from '../../../src/out/relay/limits.ts'

export interface RelaySettings {
  readonly limits: Limits
  /** Connections at a time. */
  readonly most: number
}

/** A relay that takes mail for `@dest.test` to the sink, which it calls `mx.dest.test`. */
export type Start = (sink: Sink, settings: RelaySettings) => Relay

export interface TrialOptions extends SinkOptions {
  readonly limits?: Partial<Limits>
  readonly most?: number
}

/** A relay, its server, and the outcomes. */
export interface Trial {
  readonly relay: Relay
  readonly sink: Sink
  /** For each end of data that was asked for, who had been accepted. */
  readonly ends: (readonly string[])[]
  deliver(letter?: Partial<Delivery>, signal?: AbortSignal): Promise<readonly Outcome[]>
}

/** Adds a test that starts with a sink and a relay of its own. */
export type TestIt = (what: string, options: TrialOptions, work: (trial: Trial) => Promise<void>) => void

export function tester(start: Start): TestIt {
  return (what, { limits, most = 20, ...options }, work) => {
    test(what, async () => {
      await using sink = await Sink.start(options)
      await using relay = start(sink, { limits: { ...patience, ...limits }, most })
      const ends: (readonly string[])[] = []
      const deliver = (given: Partial<Delivery> = {}, signal = new AbortController().signal) => {
        const usual = letter('Subject: Hello\r\n\r\nHello\r\n')
        const beforeEndOfData = async (recipients: readonly string[]) => {
          ends.push(recipients)
          await given.beforeEndOfData?.(recipients)
        }
        return relay.deliver({ ...usual, ...given, beforeEndOfData }, signal)
      }
      await work({ relay, sink, ends, deliver })
    })
  }
}

/** A delivery of this message to ada@dest.test. */
export function letter(text: string | Buffer): Omit<Delivery, 'beforeEndOfData'> {
  const octets = Buffer.from(text)
  return {
    sender: 'ann@us.example',
    recipients: ['ada@dest.test'],
    size: octets.length,
    async *content() {
      yield octets
    },
    smtpUtf8: false,
    eightBit: octets.some((octet) => octet > 127),
  }
}

/** The outcomes without words, as in `refused 5.1.1`, and what was ambiguous. */
export function short(outcomes: readonly Outcome[]): string[] {
  return outcomes.map(({ result, status, ambiguous }) => `${result} ${status}${ambiguous ? ' ambiguous' : ''}`)
}

/** Acts so at this step alone. */
export function at(wanted: Step, act: Act) {
  return (step: Step) => (step === wanted ? act : undefined)
}
