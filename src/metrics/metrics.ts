import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** From an unchanged folder to a peer that is slow to answer, in seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

type Reading = number | Readonly<Record<string, number>>

/** What is counted of this process, for Prometheus. Labels have few values each: routes and not paths, outcomes and not
 *  addresses, so that nothing of a message or an organization is given away (docs/metrics.md). */
export class Metrics {
  readonly #registry = new Registry()
  readonly #registers = [this.#registry]

  readonly requests = new Histogram({
    name: 'mailroom_http_request_seconds',
    help: 'HTTP requests by route and status, from their first octet to the end of the answer',
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
    help: 'Recipients that were refused at RCPT, by enhanced status code',
    labelNames: ['status'],
    registers: this.#registers,
  })

  readonly logins = new Counter({
    name: 'mailroom_logins_total',
    help: 'Logins of mail programs that send, by outcome: accepted, refused, throttled',
    labelNames: ['outcome'],
    registers: this.#registers,
  })

  readonly attempts = new Counter({
    name: 'mailroom_outbound_recipients_total',
    help: 'Recipients of mail that leaves, by what an attempt came to: delivered, deferred, refused',
    labelNames: ['result'],
    registers: this.#registers,
  })

  readonly mailHost = new Histogram({
    name: 'mailroom_mail_host_seconds',
    help: 'What the mail host was asked, by operation and whether it was answered',
    labelNames: ['operation', 'outcome'],
    buckets,
    registers: this.#registers,
  })

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
  }

  /** A number that is read whenever the metrics are, or several, by the values of a label. Where `read` throws they are left
   *  out, and the rest is given. */
  gauge(
    { name, help, label }: { name: string; help: string; label?: string },
    read: () => Promise<Reading> | Reading,
  ): void {
    const labelNames = label === undefined ? [] : [label]
    new Gauge({
      ...{ name, help, labelNames, registers: this.#registers },
      async collect() {
        this.reset()
        // Which leaves a 0 where there is no label, and that would be a reading.
        if (label === undefined) this.remove()
        const reading = await Promise.try(read).catch(() => ({}))
        if (typeof reading === 'number') this.set(reading)
        else for (const [value, number] of Object.entries(reading)) this.set({ [label ?? '']: value }, number)
      },
    })
  }

  /** What is counted elsewhere, from the start of the process on. */
  total({ name, help }: { name: string; help: string }, read: () => number): void {
    new Counter({
      ...{ name, help, registers: this.#registers },
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  }

  /** All of it in Prometheus's text format, with its media type. */
  async text(): Promise<{ type: string; body: string }> {
    return { type: this.#registry.contentType, body: await this.#registry.metrics() }
  }
}
