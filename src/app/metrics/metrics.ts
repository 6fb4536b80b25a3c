import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** In seconds: from an unchanged folder to a slow peer. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

type Reading = number | Readonly<Record<string, number>>

/** The metrics of this process, for Prometheus. Labels have few values: routes instead of paths, results instead of addresses.
 *  They reveal nothing of a message or an organization (docs/metrics.md). */
export class Metrics {
  readonly #registry = new Registry()
  readonly #registers = [this.#registry]

  readonly requests = new Histogram({
    name: 'mailroom_http_request_seconds',
    help: 'HTTP requests by route and status, from the first octet to the end of the response',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers: this.#registers,
  })

  readonly messages = new Histogram({
    name: 'mailroom_arrival_seconds',
    help: 'Arriving messages, from end of data to reply, by outcome',
    labelNames: ['outcome'],
    buckets,
    registers: this.#registers,
  })

  readonly refusedRecipients = new Counter({
    name: 'mailroom_recipients_refused_total',
    help: 'Recipients refused at RCPT, by enhanced status code',
    labelNames: ['status'],
    registers: this.#registers,
  })

  readonly logins = new Counter({
    name: 'mailroom_logins_total',
    help: 'Logins for submission, by outcome: accepted, refused, throttled',
    labelNames: ['outcome'],
    registers: this.#registers,
  })

  readonly attempts = new Counter({
    name: 'mailroom_outbound_recipients_total',
    help: 'Recipients of outbound mail, by the result of an attempt: delivered, deferred, refused',
    labelNames: ['result'],
    registers: this.#registers,
  })

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
  }

  /** A number that is read with the metrics, or several, by the values of a label. If `read` throws, they are left out. */
  gauge(
    { name, help, label }: { name: string; help: string; label?: string },
    read: () => Promise<Reading> | Reading,
  ): void {
    const labelNames = label === undefined ? [] : [label]
    new Gauge({
      ...{ name, help, labelNames, registers: this.#registers },
      async collect() {
        this.reset()
        // Without a label, reset() leaves a 0, which would be a reading.
        if (label === undefined) this.remove()
        const reading = await Promise.try(read).catch(() => ({}))
        if (typeof reading === 'number') this.set(reading)
        else for (const [value, number] of Object.entries(reading)) this.set({ [label ?? '']: value }, number)
      },
    })
  }

  /** A counter that is kept elsewhere, since the start of the process, or several, by the values of a label. */
  total({ name, help, label }: { name: string; help: string; label?: string }, read: () => Reading): void {
    new Counter({
      ...{ name, help, labelNames: label === undefined ? [] : [label], registers: this.#registers },
      collect() {
        this.reset()
        const reading = read()
        if (typeof reading === 'number') this.inc(reading)
        else for (const [value, number] of Object.entries(reading)) this.inc({ [label ?? '']: value }, number)
      },
    })
  }

  /** All metrics in Prometheus's text format, with its media type. */
  async text(): Promise<{ type: string; body: string }> {
    return { type: this.#registry.contentType, body: await this.#registry.metrics() }
  }
}
