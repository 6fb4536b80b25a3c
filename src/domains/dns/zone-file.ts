import type { WantedRecord } from './records.ts'

/** The records as a master file (RFC 1035, section 5) that a name server takes as it is, each name absolute. */
export function zoneFile(domain: string, records: readonly WantedRecord[]): string {
  const lines = records.map((record) => `${record.name}. ${record.ttl} IN ${record.type} ${dataOf(record)}`)
  return [`; DNS records of ${domain} for Mailroom`, ...lines, ''].join('\n')
}

function dataOf({ type, value, priority }: WantedRecord): string {
  if (type === 'TXT') return characterStrings(value).map(quoted).join(' ')
  return type === 'MX' ? `${priority} ${value}.` : `${value}.`
}

/** A string in a TXT record holds at most 255 octets (RFC 1035, section 3.3). */
function characterStrings(value: string): string[] {
  const octets = Buffer.from(value)
  const strings: string[] = []
  for (let at = 0; at < octets.length || at === 0; at += 255) strings.push(octets.toString('latin1', at, at + 255))
  return strings
}

function quoted(octets: string): string {
  const escaped = octets.replace(/["\\]|[^\x20-\x7e]/g, (octet) =>
    octet === '"' || octet === '\\' ? `\\${octet}` : `\\${octet.charCodeAt(0).toString().padStart(3, '0')}`,
  )
  return `"${escaped}"`
}
