import type { ZoneRecords } from '#/base/network/resolver.ts'
import { hostname } from '#test/world/installation.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'

interface Shown {
  readonly type: string
  readonly name: string
  readonly value: string
  readonly priority: number | null
  readonly purpose: string
  readonly satisfied: boolean
  readonly last_checked_at: string | null
  readonly problem: string | null
  readonly fix: string | null
  readonly found: readonly string[]
}

/** A domain as the API shows it. */
export interface ShownDomain {
  readonly id: string
  readonly domain: string
  readonly status: string
  readonly ownership_token: string | null
  readonly ownership_verified_at: string | null
  readonly receiving_verified_at: string | null
  readonly outstanding: number
  readonly dns: readonly Shown[]
  readonly optional_dns: readonly Shown[]
  readonly next_check_at: string | null
  readonly last_checked_at: string | null
}

/** An enrolment, with methods that publish its records in the world's zone. */
export class Enrolled {
  readonly organization: TestOrganization
  readonly id: string

  private constructor(organization: TestOrganization, id: string) {
    this.organization = organization
    this.id = id
  }

  static async enrol(organization: TestOrganization, domain: string): Promise<Enrolled> {
    const body = await organization.bodyOf(201, 'POST', '/v1/domains', { domain })
    return new Enrolled(organization, body.id)
  }

  async shown(): Promise<ShownDomain> {
    return await this.organization.bodyOf(200, 'GET', `/v1/domains/${this.id}`)
  }

  async status(): Promise<string> {
    return (await this.shown()).status
  }

  /** Publishes the records of these purposes, by default all. */
  async publish(...purposes: readonly string[]): Promise<void> {
    await this.#change(purposes, (zone, record) => add(zone, record))
  }

  /** Withdraws them. */
  async withdraw(...purposes: readonly string[]): Promise<void> {
    await this.#change(purposes, (zone, record) => remove(zone, record))
  }

  async #change(purposes: readonly string[], change: (zone: ZoneRecords, record: Shown) => ZoneRecords) {
    const { dns } = await this.shown()
    const { world } = this.organization
    const zone = zones.get(world) ?? new Map<string, ZoneRecords>()
    zones.set(world, zone)
    for (const record of dns.filter(({ purpose }) => purposes.length === 0 || purposes.includes(purpose))) {
      zone.set(record.name, change(zone.get(record.name) ?? {}, record))
      world.dns.set(record.name, zone.get(record.name))
      world.dns.set(hostname, { a: ['192.0.2.25'] })
    }
  }
}

const zones = new WeakMap<object, Map<string, ZoneRecords>>()

function add(at: ZoneRecords, { type, value, priority }: Shown): ZoneRecords {
  return type === 'MX'
    ? { ...at, mx: [{ exchange: value, priority: priority ?? 0 }] }
    : { ...at, txt: [...(at.txt ?? []).filter((text) => text !== value), value] }
}

function remove(at: ZoneRecords, { type, value }: Shown): ZoneRecords {
  return type === 'MX' ? { ...at, mx: [] } : { ...at, txt: (at.txt ?? []).filter((text) => text !== value) }
}
